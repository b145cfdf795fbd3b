// app/console/command_export.c — /export /import /copy: text that leaves quire, and comes back.
#include <inttypes.h>
#include <string.h>

#include "app/base/attachment.h"
#include "app/base/figures.h"
#include "app/base/path.h"
#include "app/chat/export.h"
#include "app/chat/import.h"
#include "app/chat/thinking.h"
#include "app/console/command.h"
#include "app/screen/clipboard.h"
#include "app/screen/terminal.h"

static enum status write_export(struct console *console, const char *path, size_t *messages,
                                struct error *err) {
    const struct conversation *conversation = &console->session->front->conversation;
    struct message *messages_read = NULL;
    struct engine_info info;
    struct text text = {0};
    size_t count = 0;
    engine_info(console->session->engine, &info);
    enum status status =
        message_path(console->session->db, conversation->tip, &messages_read, &count, err);
    const struct exported exported = {conversation, info.model_name, messages_read, count};
    if (status == STATUS_OK) status = export_append(&exported, export_format_of(path), &text);
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
    const char *id = console->session->front->conversation.id;
    if (chat_message_count(console->session->front) == 0) {
        terminal_tell(STYLE_ERROR, "there is nothing to export yet\n");
        return;
    }
    enum status status =
        argument[0] ? path_expand(argument, &path) : text_format(&path, "quire-%s.md", id);
    if (status == STATUS_OK) status = write_export(console, path.bytes, &messages, &err);
    if (!console_failed(status, &err))
        terminal_tell(STYLE_DIM, "%zu messages are in %s.\n", messages, path.bytes);
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
        terminal_tell(STYLE_ERROR, "which file? /import FILE.jsonl\n");
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

void command_copy(struct console *console, const char *argument) {
    struct error err = {0};
    const char *way;
    int64_t turn = 0;
    if (argument[0] && !command_number(argument, &turn)) {
        terminal_tell(STYLE_ERROR, "which answer? /copy [N], N the number of its turn\n");
        return;
    }
    const struct message *answer = find_answer(console->session->front, turn);
    if (!answer && turn > 0) terminal_tell(STYLE_ERROR, "turn %" PRId64 " has no answer\n", turn);
    if (!answer && turn == 0) terminal_tell(STYLE_ERROR, "there is no answer yet\n");
    if (!answer) return;
    struct text text = {0}; // without the thought
    enum status status = thinking_split(answer->text, answer->length, NULL, &text);
    if (status == STATUS_OK) status = clipboard_put(text_string(&text), text.length, &way, &err);
    if (!console_failed(status, &err)) {
        char bytes[COUNT_TEXT_BYTES];
        terminal_tell(STYLE_DIM, "%s bytes are on the clipboard, by %s.\n",
                      count_format((int64_t)text.length, bytes), way);
    }
    text_deinit(&text);
}
