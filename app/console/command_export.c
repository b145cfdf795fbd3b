// app/console/command_export.c — /export /import /copy: text that leaves quire, and comes back.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/base/attachment.h"
#include "app/base/figures.h"
#include "app/base/path.h"
#include "app/chat/code_block.h"
#include "app/chat/export.h"
#include "app/chat/import.h"
#include "app/console/command.h"
#include "app/screen/clipboard.h"
#include "app/screen/terminal.h"
#include "engine/tokenizer/thinking.h"

static enum status write_export(struct console *console, const char *path, size_t *messages,
                                struct error *err) {
    const struct conversation *conversation = &console->session->front->conversation;
    struct message *messages_read = NULL;
    struct engine_info info;
    struct text text = {0};
    size_t count = 0;
    enum export_format format;
    if (!export_format_of(path, &format))
        return error_set(err, STATUS_BAD_INPUT,
                         "unsupported file type \"%.60s\" (expected .md, .html or .jsonl)",
                         strrchr(path, '.'));
    engine_info(console->session->engine, &info);
    enum status status =
        message_path(console->session->db, conversation->tip, &messages_read, &count, err);
    const struct exported exported = {conversation, info.model_name, messages_read, count};
    if (status == STATUS_OK) status = export_append(&exported, format, &text);
    if (status == STATUS_OK) status = export_write(path, &text, err);
    message_path_free(messages_read, count);
    text_deinit(&text);
    *messages = count;
    return status;
}

void command_export(struct console *console, const char *argument) {
    struct text path = {0};
    struct error err = {0};
    size_t messages = 0;
    char count[COUNT_TEXT_BYTES];
    const char *id = console->session->front->conversation.id;
    if (chat_message_count(console->session->front) == 0) {
        terminal_tell(STYLE_ERROR, "nothing to export yet\n");
        return;
    }
    enum status status =
        argument[0] ? path_expand(argument, &path) : text_format(&path, "quire-%s.md", id);
    if (status == STATUS_OK) status = write_export(console, path.bytes, &messages, &err);
    if (!console_failed(status, &err))
        terminal_tell(STYLE_DIM, "Wrote %s to %s.\n",
                      nouns_format((int64_t)messages, "message", count), path.bytes);
    text_deinit(&path);
}

static enum status import(struct console *console, const char *path, struct conversation *made,
                          struct error *err) {
    struct text text = {0};
    struct import import = {0};
    struct error why = {0};
    enum status status = file_read(path, &text, err);
    if (status == STATUS_OK) {
        status = import_read(text_string(&text), text.length, &import, &why);
        if (status != STATUS_OK && why.text[0])
            error_set(err, status, "%.200s: %.280s", path, why.text);
    }
    if (status == STATUS_OK) status = import_store(console->session->db, &import, made, err);
    import_deinit(&import);
    text_deinit(&text);
    return status;
}

void command_import(struct console *console, const char *argument) {
    struct conversation made;
    struct text path = {0};
    struct error err = {0};
    if (!argument[0]) {
        terminal_tell(STYLE_ERROR, "usage: /import FILE.jsonl\n");
        return;
    }
    enum status status = path_expand(argument, &path);
    if (status == STATUS_OK) status = import(console, path.bytes, &made, &err);
    text_deinit(&path);
    if (!console_failed(status, &err)) command_resume(console, made.id);
}

// The answer to turn N; N 0: the last one. NULL: there is none.
static const struct message *find_answer(const struct chat *chat, int64_t turn) {
    const struct message *found = NULL;
    int64_t seen = 0;
    for (size_t i = 0; i < chat_message_count(chat); i++) {
        const struct message *message = chat_message(chat, i);
        seen += message->role == MESSAGE_USER;
        if (message->role == MESSAGE_ASSISTANT && (turn == 0 || seen == turn)) found = message;
    }
    return found;
}

static void put_on_clipboard(const struct text *text, const char *what) {
    struct error err = {0};
    char bytes[COUNT_TEXT_BYTES];
    if (!console_failed(clipboard_put(text_string(text), text->length, &err), &err))
        terminal_tell(STYLE_DIM, "%s %s to the clipboard.\n", what,
                      nouns_format((int64_t)text->length, "byte", bytes));
}

// The newest answer that has code: its block `number`, or its last.
static enum status find_code(const struct chat *chat, size_t number, struct code_block *block,
                             size_t *count) {
    enum status status = STATUS_OK;
    *count = 0;
    for (size_t i = chat_message_count(chat); i > 0 && *count == 0 && status == STATUS_OK; i--) {
        const struct message *message = chat_message(chat, i - 1);
        struct text answer = {0};
        if (message->role != MESSAGE_ASSISTANT) continue;
        status = thinking_split(message->text, message->length, NULL, &answer);
        if (status == STATUS_OK)
            status = code_block_find(text_string(&answer), answer.length, number, block, count);
        text_deinit(&answer);
    }
    return status;
}

// "Block 2 of 3, python: copied 412 bytes to the clipboard."
static void copy_code(const struct chat *chat, const char *argument) {
    struct code_block block = {0};
    struct error err = {0};
    char what[96];
    int64_t number = 0;
    size_t count = 0;
    if (argument[0] && !command_number(argument, &number)) {
        terminal_tell(STYLE_ERROR, "usage: /copy code [N]\n");
        return;
    }
    const bool failed = console_failed(find_code(chat, (size_t)number, &block, &count), &err);
    const size_t found = number ? (size_t)number : count;
    snprintf(what, sizeof what, "Block %zu of %zu%s%.40s: copied", found, count,
             block.language.length ? ", " : "", text_string(&block.language));
    if (!failed && count == 0)
        terminal_tell(STYLE_ERROR, "no code in this conversation\n");
    else if (!failed && found > count)
        terminal_tell(STYLE_ERROR, "the last answer with code has %zu block%s\n", count,
                      count == 1 ? "" : "s");
    else if (!failed)
        put_on_clipboard(&block.code, what);
    code_block_deinit(&block);
}

static void copy_answer(const struct chat *chat, int64_t turn) {
    struct error err = {0};
    struct text text = {0}; // without the thought
    const struct message *answer = find_answer(chat, turn);
    if (!answer && turn > 0) terminal_tell(STYLE_ERROR, "turn %" PRId64 " has no answer\n", turn);
    if (!answer && turn == 0) terminal_tell(STYLE_ERROR, "no answer yet\n");
    if (!answer) return;
    if (!console_failed(thinking_split(answer->text, answer->length, NULL, &text), &err))
        put_on_clipboard(&text, "Copied");
    text_deinit(&text);
}

void command_copy(struct console *console, const char *argument) {
    static const char code[] = "code";
    const struct chat *chat = console->session->front;
    const bool of_code = strncmp(argument, code, sizeof code - 1) == 0;
    const char *after = argument + (of_code ? sizeof code - 1 : 0);
    int64_t turn = 0;
    if (of_code && (*after == ' ' || !*after)) {
        copy_code(chat, after + strspn(after, " "));
    } else if (argument[0] && !command_number(argument, &turn)) {
        terminal_tell(STYLE_ERROR, "usage: /copy [N], where N is a turn, or /copy code [N]\n");
    } else {
        copy_answer(chat, turn);
    }
}
