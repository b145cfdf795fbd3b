#include "app/chat/export.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "app/base/descriptor.h"
#include "app/base/json.h"
#include "app/chat/page.h"
#include "prompts/preamble.h"
#include "store/family.h"

const char *export_role_name(enum message_role role) {
    switch (role) {
    case MESSAGE_SYSTEM:
        return "system";
    case MESSAGE_USER:
        return "user";
    case MESSAGE_ASSISTANT:
        return "assistant";
    }
    return "";
}

static enum status append_field(struct text *out, const char *name, const char *value) {
    TRY(text_format(out, "\"%s\":", name));
    TRY(json_append_string(out, value, strlen(value)));
    return text_append_string(out, ",");
}

static enum status append_line(struct text *out, const struct message *message) {
    TRY(text_append_string(out, "{"));
    TRY(append_field(out, "role", export_role_name(message->role)));
    TRY(text_append_string(out, "\"text\":"));
    TRY(json_append_string(out, message->text, message->length));
    return text_format(out, ",\"stop_reason\":\"%s\",\"created_ms\":%" PRId64 "}\n",
                       message_stop_name(message->stop), message->created_ms);
}

static enum status append_jsonl(const struct exported *exported, struct text *out) {
    TRY(text_format(out, "{\"type\":\"conversation\",\"version\":%d,", EXPORT_VERSION));
    TRY(append_field(out, "id", exported->conversation->id));
    TRY(append_field(out, "name", exported->conversation->name));
    TRY(append_field(out, "model", exported->model));
    TRY(text_format(out, "\"created_ms\":%" PRId64 ",\"messages\":%zu}\n",
                    exported->conversation->created_ms, exported->count));
    for (size_t i = 0; i < exported->count; i++)
        TRY(append_line(out, &exported->messages[i]));
    return STATUS_OK;
}

static enum status append_section(struct text *out, const struct message *message) {
    const bool cut = message->role == MESSAGE_ASSISTANT && message->stop != STOP_END;
    TRY(text_format(out, "\n## %s%s%s%s\n\n", export_role_name(message->role), cut ? " (" : "",
                    cut ? message_stop_name(message->stop) : "", cut ? ")" : ""));
    if (message->role == MESSAGE_SYSTEM)
        TRY(preamble_show(message->text, out));
    else
        TRY(text_append(out, message->text, message->length));
    if (out->bytes[out->length - 1] != '\n') TRY(text_append_string(out, "\n"));
    return STATUS_OK;
}

static enum status append_markdown(const struct exported *exported, struct text *out) {
    const struct conversation *conversation = exported->conversation;
    TRY(text_format(out, "# %s\n", conversation->name[0] ? conversation->name : conversation->id));
    if (exported->model[0]) TRY(text_format(out, "\nmodel: %s\n", exported->model));
    for (size_t i = 0; i < exported->count; i++)
        TRY(append_section(out, &exported->messages[i]));
    return STATUS_OK;
}

bool export_format_of(const char *path, enum export_format *format) {
    static const struct {
        const char *suffix;
        enum export_format format;
    } SUFFIXES[] = {
        {".jsonl", EXPORT_JSONL}, {".html", EXPORT_HTML},         {".htm", EXPORT_HTML},
        {".md", EXPORT_MARKDOWN}, {".markdown", EXPORT_MARKDOWN}, {".txt", EXPORT_MARKDOWN},
    };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    *format = EXPORT_MARKDOWN;
    if (!dot || dot == name || strspn(dot + 1, "0123456789") == strlen(dot + 1)) return true;
    for (size_t i = 0; i < sizeof SUFFIXES / sizeof SUFFIXES[0]; i++) {
        if (strcasecmp(dot, SUFFIXES[i].suffix) != 0) continue;
        *format = SUFFIXES[i].format;
        return true;
    }
    return false;
}

enum status export_append(const struct exported *exported, enum export_format format,
                          struct text *out) {
    const struct page page = {exported->conversation, exported->messages, exported->count};
    switch (format) {
    case EXPORT_MARKDOWN:
        return append_markdown(exported, out);
    case EXPORT_JSONL:
        return append_jsonl(exported, out);
    case EXPORT_HTML:
        return page_append(&page, out);
    }
    return STATUS_OK;
}

enum status export_tree(struct db *db, const struct conversation *conversation,
                        struct message **messages, size_t *count, struct error *err) {
    struct family_message *family = NULL;
    size_t family_count = 0, read = 0;
    TRY(family_messages(db, conversation->id, SIZE_MAX, &family, &family_count, err));
    struct message *all = calloc(family_count + 1, sizeof *all);
    enum status status = all ? STATUS_OK : STATUS_NO_MEMORY;
    while (read < family_count && status == STATUS_OK) {
        status = message_get(db, family[read].id, &all[read], err);
        if (status == STATUS_OK) read++;
    }
    free(family);
    if (status != STATUS_OK) {
        message_path_free(all, read);
        return status;
    }
    *messages = all;
    *count = read;
    return STATUS_OK;
}

enum status export_write(const char *path, const struct text *text, struct error *err) {
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST)
        return error_set(err, STATUS_BAD_INPUT, "%s already exists; choose another name", path);
    if (file < 0)
        return error_set(err, STATUS_IO, "cannot create %s: %s", path,
                         errno == ENOENT ? "its folder does not exist" : strerror(errno));
    bool whole = descriptor_write(file, text_string(text), text->length);
    const int cause = errno;
    whole = close(file) == 0 && whole;
    if (whole) return STATUS_OK;
    unlink(path);
    return error_set(err, STATUS_IO, "cannot write %s: %s", path, strerror(cause ? cause : errno));
}
