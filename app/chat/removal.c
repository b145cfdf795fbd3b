// app/chat/removal.c — what was typed has no pointer to what was said, so it is found by its words.
//
// An entry of the input history goes with a deletion when it has one of three things:
//
//   what was said    the entry, or the end of a command such as "/ask 3f2a And in winter?", is a
//                    deleted message. Both are compared without quotation marks, backslashes and
//                    repeated blanks, which is all that the editor and the commands change
//   a name           "/name fox" ends with the name of a deleted conversation
//   a word           that deleted messages had and no message has now: the entry was typed about
//                    them ("/find axolotl"). Short words say nothing and are not asked about
//
// The order of erasing: first the rows, in one transaction under the locks of all conversations
// that go; then the bytes that they leave in free pages, the log and the cache. If that fails, it
// is a warning, as the rows are gone already.
#include "app/chat/removal.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/log.h"
#include "store/disk_cache/disk_cache.h"
#include "store/preview.h"

enum { LISTED = 8, OPENING_BYTES = 41, WORD_LEAST = 5 };

// The first words of the user on the path to the tip.
static enum status append_opening(struct db *db, const struct conversation *conversation,
                                  struct text *text) {
    struct message *path;
    size_t count;
    char opening[OPENING_BYTES] = "";
    if (message_path(db, conversation->tip, &path, &count, NULL) != STATUS_OK) return STATUS_OK;
    for (size_t i = 0; i < count && !opening[0]; i++)
        if (path[i].role == MESSAGE_USER)
            preview_make(path[i].text + path[i].said, path[i].length - path[i].said, opening,
                         sizeof opening);
    message_path_free(path, count);
    return opening[0] ? text_format(text, " \"%s\"", opening) : STATUS_OK;
}

enum status removal_list(struct db *db, const struct conversation *conversations, size_t count,
                         struct text *text) {
    for (size_t i = 0; i < count && i < LISTED; i++) {
        const struct conversation *one = &conversations[i];
        const char *called = one->name[0] ? one->name : one->title;
        TRY(text_format(text, "%s%s", i ? ", " : "", one->id));
        TRY(called[0] ? text_format(text, " (%s)", called) : append_opening(db, one, text));
    }
    return count > LISTED ? text_format(text, " and %zu more", count - LISTED) : STATUS_OK;
}

enum status removal_run(struct db *db, struct deletion *deletion, struct error *err) {
    size_t locked = 0;
    enum status status = STATUS_OK;
    while (locked < deletion->gone_count && status == STATUS_OK) {
        status = conversation_lock(db, deletion->gone[locked].id, err);
        locked += status == STATUS_OK;
    }
    if (status == STATUS_OK) status = deletion_run(db, deletion, err);
    while (locked > 0)
        conversation_unlock(db, deletion->gone[--locked].id);
    return status;
}

static void warn(const char *where, enum status status, const struct error *err) {
    log_write(LOG_WARNING, "deleted text may remain in %s: %s", where,
              err->text[0] ? err->text : status_text(status));
}

static enum status forget_cached(const struct deletion *deletion, const char *kv_folder,
                                 struct error *err) {
    uint64_t freed_bytes, *numbers = calloc(deletion->gone_count + 1, sizeof *numbers);
    if (!numbers) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < deletion->gone_count; i++)
        numbers[i] = conversation_number(deletion->gone[i].id);
    const enum status status =
        disk_cache_forget(kv_folder, numbers, deletion->gone_count, &freed_bytes, err);
    free(numbers);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

void removal_erase(struct db *db, const struct deletion *deletion, const char *kv_folder) {
    struct error err = {0};
    enum status status = deletion_erase(db, &err);
    if (status != STATUS_OK) warn("the database", status, &err);
    if (!kv_folder) return;
    status = forget_cached(deletion, kv_folder, &err);
    if (status != STATUS_OK) warn(kv_folder, status, &err);
}

// ---- the history

// Sent and typed text differ in quotation marks, backslashes and blanks (app/console).
static enum status normalise(const char *typed, struct text *text) {
    static const char BLANKS[] = " \t\r\n";
    bool blank = false;
    text_clear(text);
    for (; *typed; typed++) {
        if (*typed == '"' || *typed == '\\') continue;
        if (strchr(BLANKS, *typed)) {
            blank = text->length > 0;
            continue;
        }
        if (blank) TRY(text_append(text, " ", 1));
        TRY(text_append(text, typed, 1));
        blank = false;
    }
    return STATUS_OK;
}

// "/ask 3f2a And in winter?" ends with what was said, "/name fox" with a name, after a blank.
static bool ends_with(const struct text *entry, const struct text *said) {
    if (said->length == 0 || entry->length < said->length) return false;
    const char *at = entry->bytes + entry->length - said->length;
    if (memcmp(at, said->bytes, said->length) != 0) return false;
    return at == entry->bytes || (entry->bytes[0] == '/' && strchr(" /@", at[-1]));
}

static bool was_said(const struct deletion *deletion, const char *entry) {
    struct text typed = {0}, said = {0};
    bool found = false;
    const bool known = normalise(entry, &typed) == STATUS_OK && typed.length > 0;
    for (size_t i = 0; known && !found && i < deletion->said_count; i++)
        found = normalise(deletion->said[i], &said) == STATUS_OK && ends_with(&typed, &said);
    for (size_t i = 0; known && !found && i < deletion->gone_count; i++)
        found = entry[0] == '/' && normalise(deletion->gone[i].name, &said) == STATUS_OK &&
                ends_with(&typed, &said);
    text_deinit(&typed);
    text_deinit(&said);
    return found;
}

// "on", "3f2a" and the like do not identify a text.
static bool says_something(const char *word, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (word[i] & 0x80) return true;
    return length >= WORD_LEAST;
}

static bool has_lost_word(const struct removal *removal, const char *entry) {
    static const char AROUND[] = " \t\r\n\"'`()[]{}<>,.;:!?*_/@=";
    const struct deletion *deletion = removal->deletion;
    if (entry[0] == '/') entry += strcspn(entry, " \t\n"); // the command
    while (*(entry += strspn(entry, AROUND))) {
        const size_t length = strcspn(entry, AROUND);
        char *word = says_something(entry, length) ? strndup(entry, length) : NULL;
        bool deleted = false, left = true;
        for (size_t i = 0; word && !deleted && i < deletion->said_count; i++)
            deleted = strcasestr(deletion->said[i], word) != NULL;
        free(word);
        if (deleted && deletion_left_word(removal->db, entry, length, &left, NULL) == STATUS_OK &&
            !left)
            return true;
        entry += length;
    }
    return false;
}

bool removal_had_typed(const void *user, const char *entry) {
    const struct removal *removal = user;
    return was_said(removal->deletion, entry) || has_lost_word(removal, entry);
}
