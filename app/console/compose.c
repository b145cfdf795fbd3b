#include "app/console/compose.h"

#include <string.h>
#include <sys/stat.h>

#include "app/base/attachment.h"
#include "app/base/figures.h"
#include "app/base/path.h"
#include "app/base/verbatim.h"
#include "app/chat/chat_turn.h"
#include "app/console/command.h"
#include "app/console/overflow.h"
#include "app/screen/terminal.h"

static const char BLANKS[] = " \t\n", PUNCTUATION[] = ".,;:!?)]}'";

enum { UNQUOTED_WORDS = 8, UNQUOTED_BYTES = 1024 }; // of a file name whose blanks are not quoted

static bool exists(const struct text *path) {
    struct stat found;
    return stat(text_string(path), &found) == 0;
}

static bool looks_like_a_path(const char *word, size_t length) {
    const char *dot = memrchr(word, '.', length);
    return memchr(word, '/', length) || (dot && dot > word && dot + 1 < word + length);
}

static bool names_file(const char *name, struct text *path) {
    text_clear(path);
    return path_expand(name, path) == STATUS_OK && exists(path);
}

// The file that the word after an @ names, expanded into *path, with or without the punctuation at
// its end. False: it names none.
static bool find_file(const char *word, struct text *path) {
    struct text name = {0};
    const char *rest = word;
    bool found = false;
    if (word[0] == '"') {
        found = path_next(&rest, &name) && names_file(name.bytes, path);
        text_deinit(&name);
        return found;
    }
    for (size_t length = strlen(word); length > 0 && !found; length--) {
        text_clear(&name);
        if (text_append(&name, word, length) != STATUS_OK) break;
        path_unquote(name.bytes);
        found = names_file(name.bytes, path);
        if (!strchr(PUNCTUATION, word[length - 1])) break;
    }
    text_deinit(&name);
    return found;
}

// Does the word, together with words after it on its line, name a file whose blanks are not quoted?
// Appends that name, quoted.
static bool find_unquoted(const char *word, size_t length, struct text *quoted) {
    struct text plain = {0}, path = {0};
    const char *end = strchr(word, '\n');
    const size_t line = end ? (size_t)(end - word) : strlen(word);
    bool found = false;
    for (int words = 1; words < UNQUOTED_WORDS && length < line && !found; words++) {
        length += strspn(word + length, " \t");
        length += strcspn(word + length, BLANKS);
        if (length > UNQUOTED_BYTES) break;
        text_clear(&plain);
        if (verbatim_plain(&plain, word, length) != STATUS_OK) break;
        while (plain.length > 0 && !(found = names_file(plain.bytes, &path)) &&
               strchr(PUNCTUATION, plain.bytes[plain.length - 1]))
            plain.bytes[--plain.length] = '\0';
    }
    found = found && path_quote(plain.bytes, quoted) == STATUS_OK;
    text_deinit(&plain);
    text_deinit(&path);
    return found;
}

// Appends the file that a word beginning with @ names. A name in quotation marks is meant to be
// one.
static enum status expand_word(const char *word, size_t length, struct text *message, size_t *files,
                               struct error *err) {
    struct text path = {0}, plain = {0}, quoted = {0};
    enum status status = verbatim_plain(&plain, word + 1, length - 1);
    const char *name = text_string(&plain);
    if (status == STATUS_OK && find_file(name, &path)) {
        status = attachment_append(message, text_string(&path), err);
        ++*files;
    } else if (status == STATUS_OK && find_unquoted(word + 1, length - 1, &quoted)) {
        status =
            error_set(err, STATUS_NOT_FOUND,
                      "a file name with blanks needs quotes: @%.200s (\\@ sends the word as it "
                      "is)",
                      text_string(&quoted));
    } else if (status == STATUS_OK && (name[0] == '"' || looks_like_a_path(name, plain.length))) {
        status =
            error_set(err, STATUS_NOT_FOUND, "no file %.200s (\\@ sends the word as it is)", name);
    }
    text_deinit(&path);
    text_deinit(&plain);
    text_deinit(&quoted);
    return status;
}

// *kept still has the marks of pasted text.
static enum status expand_words(const char *typed, size_t length, struct text *message,
                                struct text *kept, size_t *files, struct error *err) {
    for (size_t at = 0; at < length;) {
        const bool begins = at == 0 || strchr(BLANKS, typed[at - 1]) || typed[at - 1] == '(';
        const size_t word = begins && typed[at] == '@' ? 1 + path_word_length(typed + at + 1) : 1;
        if (begins && typed[at] == '\\' && typed[at + 1] == '@' && typed[at + 2] &&
            !strchr(BLANKS, typed[at + 2]))
            at++;
        else if (word > 1)
            TRY(expand_word(typed + at, word, message, files, err));
        TRY(text_append(kept, typed + at, word));
        at += word;
    }
    return STATUS_OK;
}

enum status compose_expand(const char *typed, size_t length, struct text *message,
                           struct text *rest, size_t *files, struct error *err) {
    struct text kept = {0};
    enum status status = expand_words(typed, length, message, &kept, files, err);
    if (status == STATUS_OK) status = verbatim_plain(rest, text_string(&kept), kept.length);
    text_deinit(&kept);
    return status;
}

// ": 38 tokens, 1,900 free": what the files add to a message, and what is free before it. Nothing
// if that cannot be known: a server counts for itself. Sets *fits for a message of the files alone.
static enum status measure_files(const struct console *console, const char *files, size_t length,
                                 struct text *said, bool *fits, struct error *err) {
    struct chat *chat = console->session->front;
    int32_t tokens, whole, free_tokens;
    char count[COUNT_TEXT_BYTES], left[COUNT_TEXT_BYTES];
    *fits = true;
    if (strcmp(console->session->remote, "messages") == 0) return STATUS_OK;
    TRY(chat_count_tokens(chat, files, length, &tokens));
    TRY(chat_measure(chat, files, length, &whole, &free_tokens, err));
    *fits = whole < free_tokens;
    return text_format(said, ": %s, %s free", tokens_format(tokens, count),
                       count_format(free_tokens, left));
}

static void say_files(const struct console *console, const char *text, size_t length,
                      size_t files) {
    struct text said = {0};
    struct error ignored;
    bool fits;
    if (measure_files(console, text, length, &said, &fits, &ignored) == STATUS_OK)
        terminal_tell(STYLE_DIM, "[%zu file%s attached%s]\n", files, files == 1 ? "" : "s",
                      text_string(&said));
    text_deinit(&said);
}

static void attached_deinit(struct attached *attached) {
    text_deinit(&attached->text);
    *attached = (struct attached){0};
}

void compose_deinit(struct console *console) {
    text_deinit(&console->composed.message);
    text_deinit(&console->composed.typed);
    attached_deinit(&console->composed.attached);
    attached_deinit(&console->attached);
}

// Remembers the message with its parts, in case it comes back.
static enum status remember(struct console *console, const struct text *message,
                            const char *typed) {
    struct composed *composed = &console->composed;
    text_clear(&composed->message);
    text_clear(&composed->typed);
    attached_deinit(&composed->attached);
    TRY(text_append(&composed->message, message->bytes, message->length));
    TRY(text_append_string(&composed->typed, typed));
    composed->attached = console->attached;
    console->attached = (struct attached){0};
    return STATUS_OK;
}

static bool is_composed(const struct console *console, const char *message) {
    const struct text *last = &console->composed.message;
    return last->length > 0 && strcmp(message, text_string(last)) == 0;
}

// Attaches the last message's files to the next one, before any attached already.
static void take_files_back(struct console *console) {
    struct attached *files = &console->composed.attached, *waiting = &console->attached;
    if (text_append(&files->text, text_string(&waiting->text), waiting->text.length) == STATUS_OK)
        files->files += waiting->files;
    else
        terminal_say(STYLE_ERROR, "%s\n", status_text(STATUS_NO_MEMORY));
    attached_deinit(waiting);
    *waiting = *files;
    *files = (struct attached){0};
    text_clear(&console->composed.message);
}

void compose_take_back(struct console *console, const char *message) {
    const bool composed = is_composed(console, message);
    if (composed)
        console_give_back(console, text_string(&console->composed.typed));
    else
        console_give_back_message(console, message);
    if (composed) take_files_back(console);
}

// Joins the waiting files, the named files and the typed text.
static enum status compose(const struct console *console, const char *typed, size_t length,
                           struct text *message, size_t *said, size_t *files, struct error *err) {
    const struct attached *attached = &console->attached;
    struct text rest = {0};
    *files = attached->files;
    enum status status = text_append(message, text_string(&attached->text), attached->text.length);
    if (status == STATUS_OK) status = compose_expand(typed, length, message, &rest, files, err);
    *said = strspn(text_string(&rest), BLANKS) < rest.length ? message->length : 0;
    if (status == STATUS_OK) status = text_append(message, text_string(&rest), rest.length);
    text_deinit(&rest);
    return status;
}

static void send(struct console *console, const struct outgoing *message) {
    switch (overflow_send(console, message)) {
    case SENT:
        break;
    case SENT_BACK:
        compose_take_back(console, message->text);
        break;
    case SENT_NOWHERE:
        if (is_composed(console, message->text)) take_files_back(console);
        break;
    }
}

void compose_send(struct console *console, const char *typed, size_t length) {
    struct text message = {0};
    struct error err = {0};
    size_t said, files;
    enum status status = compose(console, typed, length, &message, &said, &files, &err);
    if (status == STATUS_OK && files > 0) {
        say_files(console, message.bytes, said > 0 ? said : message.length, files);
        status = remember(console, &message, typed);
    }
    const bool blank = files == 0 && strspn(text_string(&message), BLANKS) == message.length;
    if (console_failed(status, &err))
        console_give_back(console, typed);
    else if (!blank) // else it is as Enter alone
        send(console, &(struct outgoing){
                          .text = text_string(&message), .length = message.length, .said = said});
    text_deinit(&message);
}

// ---- /read

// Attaches all of the files, or none.
static enum status read_words(const struct console *console, const char *argument,
                              struct attached *attached, struct error *err) {
    const char *rest = argument;
    struct text word = {0}, path = {0};
    const struct attached *waiting = &console->attached;
    attached->files = waiting->files;
    enum status status =
        text_append(&attached->text, text_string(&waiting->text), waiting->text.length);
    while (status == STATUS_OK && path_next(&rest, &word)) {
        status = path_expand(text_string(&word), &path);
        if (status == STATUS_OK)
            status = attachment_append(&attached->text, text_string(&path), err);
        if (status == STATUS_OK && attached->text.length > ATTACHMENT_MAX_BYTES)
            status = error_set(err, STATUS_BAD_INPUT, "the files are larger than %d MiB",
                               ATTACHMENT_MAX_BYTES >> 20);
        attached->files++;
        text_clear(&word);
        text_clear(&path);
    }
    text_deinit(&word);
    text_deinit(&path);
    return status;
}

// The argument is names, or a single one whose blanks are not quoted.
static enum status read_files(const struct console *console, const char *argument,
                              struct attached *attached, struct error *err) {
    const char *rest = argument;
    struct text whole = {0}, first = {0}, path = {0};
    struct error why;
    enum status status = read_words(console, argument, attached, err);
    const bool several =
        !strpbrk(argument, "\"\\") && path_next(&rest, &first) && rest[strspn(rest, BLANKS)];
    if (status == STATUS_NOT_FOUND && several && !names_file(text_string(&first), &path)) {
        why = *err;
        status = path_quote(argument, &whole);
        if (status == STATUS_OK && names_file(argument, &path)) {
            attached_deinit(attached);
            status = read_words(console, text_string(&whole), attached, err);
        } else if (status == STATUS_OK) {
            status =
                error_set(err, STATUS_NOT_FOUND, "%.300s; quote a name with blanks: /read %.150s",
                          why.text, text_string(&whole));
        }
    }
    text_deinit(&whole);
    text_deinit(&first);
    text_deinit(&path);
    return status;
}

static void say_waiting(const struct console *console) {
    struct text said = {0};
    struct error err = {0};
    bool fits;
    const struct attached *attached = &console->attached;
    const enum status status =
        measure_files(console, attached->text.bytes, attached->text.length, &said, &fits, &err);
    if (!console_failed(status, &err)) {
        terminal_tell(STYLE_DIM, "The next message attaches %zu file%s%s.\n", attached->files,
                      attached->files == 1 ? "" : "s", text_string(&said));
        if (!fits) terminal_tell(STYLE_ERROR, "This does not fit the context; /read - drops it.\n");
    }
    text_deinit(&said);
}

void command_read(struct console *console, const char *argument) {
    struct attached attached = {0};
    struct error err = {0};
    if (strcmp(argument, "-") == 0) {
        attached_deinit(&console->attached);
        terminal_tell(STYLE_DIM, "Dropped the attached files.\n");
        return;
    }
    if (argument[0]) {
        if (console_failed(read_files(console, argument, &attached, &err), &err)) {
            attached_deinit(&attached);
            return;
        }
        attached_deinit(&console->attached);
        console->attached = attached;
    }
    if (console->attached.files > 0)
        say_waiting(console);
    else
        terminal_tell(STYLE_DIM, "No file attached; use /read FILE…, or @FILE in a message.\n");
}
