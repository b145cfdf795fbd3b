#include "app/chat/import.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/chat/export.h"
#include "kernels/base/array.h"
#include "kernels/base/json_view.h"
#include "kernels/base/log.h"
#include "kernels/base/text.h"

static const char NO_HEADER[] = "expected the first line of an exported conversation";
static const double CREATED_MOST = 1e15; // milliseconds: the year 33,658

struct reading {
    struct import *import;
    const char *line; // the current one
    size_t length, number;
    struct json_view view; // of the line
    bool begun;            // the first line was read, and
    double announced;      // and announced this many messages; HUGE_VAL: none given
};

static enum status refuse_line(const struct reading *reading, const char *why, struct error *err) {
    return error_set(err, STATUS_BAD_INPUT, "line %zu: %s", reading->number, why);
}

static bool is_blank_line(const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!memchr(" \t\r", bytes[i], 3)) return false;
    return true;
}

static enum status parse(struct reading *reading, cJSON **json, struct error *err) {
    const char *end = reading->line;
    cJSON *parsed = cJSON_ParseWithLengthOpts(reading->line, reading->length, &end, false);
    // cJSON does not report a lack of memory, so parse again: the result then differs, or memory is
    // really short.
    if (!parsed) parsed = cJSON_ParseWithLengthOpts(reading->line, reading->length, &end, false);
    void *some = parsed ? NULL : malloc(sizeof *parsed);
    if (!parsed && !some) return STATUS_NO_MEMORY;
    free(some);
    const size_t used = parsed ? (size_t)(end - reading->line) : 0;
    if (parsed && cJSON_IsObject(parsed) && is_blank_line(end, reading->length - used) &&
        json_view_open(reading->line, used, "", &reading->view, NULL) == STATUS_OK) {
        *json = parsed;
        return STATUS_OK;
    }
    cJSON_Delete(parsed);
    return refuse_line(reading, "expected one JSON object", err);
}

static const char *string_of(const cJSON *json, const char *key) {
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));
}

static bool is_header(const cJSON *json) {
    const char *type = string_of(json, "type");
    return type && strcmp(type, "conversation") == 0;
}

static enum status read_header(struct reading *reading, const cJSON *json, struct error *err) {
    const char *name = string_of(json, "name");
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(json, "version");
    const cJSON *count = cJSON_GetObjectItemCaseSensitive(json, "messages");
    if (!cJSON_IsNumber(version) || !(version->valuedouble >= 1))
        return refuse_line(reading, NO_HEADER, err);
    if (!(version->valuedouble <= EXPORT_VERSION))
        return refuse_line(reading,
                           "written by a newer version of quire; import it with that version", err);
    if (cJSON_IsNumber(count)) reading->announced = count->valuedouble;
    struct error why = {0};
    const char *model = string_of(json, "model");
    if (model && strlen(model) < sizeof reading->import->model)
        memcpy(reading->import->model, model, strlen(model) + 1);
    if (!name || !name[0]) return STATUS_OK;
    if (conversation_check_name(name, &why) == STATUS_OK)
        memcpy(reading->import->name, name, strlen(name) + 1);
    else
        log_write(LOG_WARNING, "imported without its name: %s", why.text);
    return STATUS_OK;
}

static bool role_of(const char *name, enum message_role *role) {
    for (int i = MESSAGE_SYSTEM; name && i <= MESSAGE_ASSISTANT; i++)
        if (strcmp(name, export_role_name((enum message_role)i)) == 0) {
            *role = (enum message_role)i;
            return true;
        }
    return false;
}

static bool stop_of(const char *name, enum message_stop *stop) {
    for (int i = STOP_NONE; name && i <= STOP_CONTEXT; i++)
        if (strcmp(name, message_stop_name((enum message_stop)i)) == 0) {
            *stop = (enum message_stop)i;
            return true;
        }
    return !name;
}

// Checks the order of roles: system first, then user and assistant in turn.
static bool fits(const struct import *import, enum message_role role) {
    if (role == MESSAGE_SYSTEM) return import->count == 0;
    const enum message_role last =
        import->count ? import->messages[import->count - 1].role : MESSAGE_SYSTEM;
    return (role == MESSAGE_ASSISTANT) == (last == MESSAGE_USER);
}

static enum status push(struct import *import, struct message *message) {
    if (!array_reserve(&import->messages, import->count, &import->capacity,
                       sizeof import->messages[0]))
        return STATUS_NO_MEMORY;
    import->messages[import->count++] = *message;
    return STATUS_OK;
}

// The "text" of the line's object.
static struct json_view text_of(const struct reading *reading) {
    return json_view_find(reading->view, "text");
}

// Reads the whole text, because a cJSON string would end at a NUL.
static enum status read_text(const struct reading *reading, struct message *message,
                             struct error *err) {
    const struct json_view text = text_of(reading);
    message->text = malloc(json_view_string_bound(text) + 1);
    if (!message->text) return STATUS_NO_MEMORY;
    message->length = json_view_string(text, message->text);
    message->text[message->length] = '\0';
    if (message->role != MESSAGE_SYSTEM || !memchr(message->text, '\0', message->length))
        return STATUS_OK;
    message_deinit(message);
    return refuse_line(reading, "a system prompt cannot contain a NUL", err);
}

static enum status read_message(struct reading *reading, const cJSON *json, struct error *err) {
    struct message message = {.stop = STOP_NONE};
    if (!role_of(string_of(json, "role"), &message.role) || !string_of(json, "text"))
        return refuse_line(reading, "\"role\" or \"text\" is missing", err);
    if (!fits(reading->import, message.role))
        return refuse_line(reading, "out of order: user and assistant must alternate", err);
    if (message.role != MESSAGE_ASSISTANT && !string_of(json, "text")[0] &&
        json_view_string_bound(text_of(reading)) == 0)
        return refuse_line(reading, "the message is empty", err);
    if (!stop_of(string_of(json, "stop_reason"), &message.stop))
        return refuse_line(reading, "unsupported \"stop_reason\"", err);
    if (message.role == MESSAGE_ASSISTANT && message.stop == STOP_NONE) message.stop = STOP_END;
    if (message.role != MESSAGE_ASSISTANT) message.stop = STOP_NONE;
    const cJSON *created = cJSON_GetObjectItemCaseSensitive(json, "created_ms");
    if (cJSON_IsNumber(created) && created->valuedouble > 0 && created->valuedouble < CREATED_MOST)
        message.created_ms = (int64_t)created->valuedouble;
    if (reading->import->count == IMPORT_MAX_MESSAGES)
        return refuse_line(reading, "too many messages (at most 100,000)", err);
    TRY(read_text(reading, &message, err));
    const enum status status = push(reading->import, &message);
    if (status != STATUS_OK) message_deinit(&message);
    return status;
}

// What another kind of file has in its first line is not examined any further.
static enum status check_place(const struct reading *reading, const cJSON *json,
                               struct error *err) {
    if (is_header(json) == !reading->begun) return STATUS_OK;
    return refuse_line(reading,
                       reading->begun
                           ? "another conversation begins here; import each one from its own file"
                           : NO_HEADER,
                       err);
}

// A value of the wrong type is an error, not treated as missing.
static enum status check_kinds(const struct reading *reading, const cJSON *json,
                               struct error *err) {
    static const struct {
        const char *key, *refusal;
        int kind;
    } kinds[] = {{"name", "\"name\" must be a string", cJSON_String},
                 {"stop_reason", "\"stop_reason\" must be a string", cJSON_String},
                 {"messages", "\"messages\" must be a number", cJSON_Number},
                 {"created_ms", "\"created_ms\" must be a number", cJSON_Number}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, kinds[i].key);
        if (item && !cJSON_IsNull(item) && (item->type & 0xFF) != kinds[i].kind)
            return refuse_line(reading, kinds[i].refusal, err);
    }
    return STATUS_OK;
}

// Of a key that is there twice, one value would be dropped.
static enum status check_once(const struct reading *reading, const cJSON *json, struct error *err) {
    static const char *const keys[] = {"type", "version", "name",        "model",     "messages",
                                       "role", "text",    "stop_reason", "created_ms"};
    const cJSON *item;
    char why[64];
    cJSON_ArrayForEach(item, json)
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
            if (strcmp(item->string, keys[i]) == 0 &&
                item != cJSON_GetObjectItemCaseSensitive(json, keys[i])) {
                snprintf(why, sizeof why, "the key \"%s\" occurs twice", keys[i]);
                return refuse_line(reading, why, err);
            }
    return STATUS_OK;
}

static enum status read_line(struct reading *reading, struct error *err) {
    cJSON *json = NULL;
    if (is_blank_line(reading->line, reading->length)) return STATUS_OK;
    TRY(parse(reading, &json, err));
    enum status status = check_place(reading, json, err);
    if (status == STATUS_OK) status = check_once(reading, json, err);
    if (status == STATUS_OK) status = check_kinds(reading, json, err);
    if (status == STATUS_OK)
        status =
            reading->begun ? read_message(reading, json, err) : read_header(reading, json, err);
    reading->begun = true;
    cJSON_Delete(json);
    return status;
}

static enum status check_whole(const struct reading *reading, struct error *err) {
    const size_t count = reading->import->count;
    if (count == 0) return error_set(err, STATUS_BAD_INPUT, "no messages");
    if (isinf(reading->announced) || reading->announced == (double)count) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "expected %.0f messages, found %zu", reading->announced,
                     count);
}

enum status import_read(const char *bytes, size_t length, struct import *import,
                        struct error *err) {
    struct reading reading = {.import = import, .announced = HUGE_VAL};
    enum status status = STATUS_OK;
    size_t offset;
    if (length > 0 && !utf8_valid(bytes, length, &offset))
        return error_set(err, STATUS_BAD_INPUT, "not UTF-8: byte 0x%02x at offset %zu",
                         (unsigned char)bytes[offset], offset);
    for (size_t at = 0; at < length && status == STATUS_OK; at += reading.length + 1) {
        const char *end = memchr(bytes + at, '\n', length - at);
        reading.line = bytes + at;
        reading.length = end ? (size_t)(end - reading.line) : length - at;
        reading.number++;
        status = read_line(&reading, err);
    }
    if (status == STATUS_OK) status = check_whole(&reading, err);
    if (status != STATUS_OK) import_deinit(import);
    return status;
}

void import_deinit(struct import *import) {
    message_path_free(import->messages, import->count);
    *import = (struct import){0};
}

static enum status add_messages(struct db *db, const struct import *import, const char *id,
                                struct error *err) {
    int64_t tip = MESSAGE_NONE;
    for (size_t i = 0; i < import->count; i++) {
        struct message message = import->messages[i];
        message.parent = tip;
        TRY(message_add(db, &message, 0, NULL, 0, &tip, err));
    }
    return conversation_move(db, id, tip, 0, err);
}

// The source of the model of this name that was used last; 0: none, or several models have it. A
// file does not choose a server, to which the next message would go.
static enum status find_source(struct db *db, const char *name, int64_t *result,
                               struct error *err) {
    enum { SOURCES_MOST = 1000 };
    int64_t *ids, model = 0;
    size_t count;
    bool several = false;
    *result = 0;
    if (!name[0]) return STATUS_OK;
    TRY(model_source_recent(db, SOURCES_MOST, &ids, &count, err));
    for (size_t i = 0; i < count; i++) {
        struct model_source source = {0};
        struct error ignored; // a damaged row is no model of this name
        if (model_source_get(db, ids[i], &source, &ignored) != STATUS_OK) continue;
        const bool here = source.kind != MODEL_SERVER && source.kind != MODEL_SECTION;
        if (here && strcmp(source.model_name, name) == 0) {
            several = several || (model != 0 && model != source.model);
            model = source.model;
            if (*result == 0) *result = source.id;
        }
        model_source_deinit(&source);
    }
    free(ids);
    if (several) *result = 0;
    return STATUS_OK;
}

static enum status store_as(struct db *db, const struct import *import, const char *name,
                            struct conversation *made, struct error *err) {
    struct conversation fresh;
    int64_t source;
    TRY(find_source(db, import->model, &source, err));
    enum status status = db_begin(db, err);
    if (status != STATUS_OK) return status;
    status = conversation_create(db, name, 0, &fresh, err);
    if (status == STATUS_OK && source) status = conversation_set_source(db, fresh.id, source, err);
    if (status == STATUS_OK) fresh.source = source;
    if (status == STATUS_OK) status = add_messages(db, import, fresh.id, err);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status != STATUS_OK)
        db_rollback(db);
    else
        *made = fresh;
    return status;
}

enum { NAMES_TRIED = 99 };

// "name (2)", with as much of the name as fits.
static void number_name(const char *name, int number, char numbered[CONVERSATION_NAME_BYTES]) {
    char suffix[16];
    const size_t room =
        CONVERSATION_NAME_BYTES - 1 - (size_t)snprintf(suffix, sizeof suffix, " (%d)", number);
    size_t length = strlen(name);
    if (length > room) length = room - utf8_incomplete_tail(name, room);
    snprintf(numbered, CONVERSATION_NAME_BYTES, "%.*s%s", (int)length, name, suffix);
}

enum status import_store(struct db *db, const struct import *import, struct conversation *made,
                         struct error *err) {
    char name[CONVERSATION_NAME_BYTES];
    enum status status = store_as(db, import, import->name, made, err);
    if (!import->name[0]) return status;
    for (int number = 2; status == STATUS_BAD_INPUT && number <= NAMES_TRIED; number++) {
        number_name(import->name, number, name);
        status = store_as(db, import, name, made, err);
    }
    if (status != STATUS_BAD_INPUT) return status;
    return store_as(db, import, "", made, err); // it can be no name here
}
