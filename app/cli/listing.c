#include "app/cli/listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/base/json.h"
#include "app/base/output.h"
#include "app/base/printable.h"
#include "app/chat/export.h"
#include "app/chat/import.h"
#include "app/chat/removal.h"
#include "app/cli/confirm.h"
#include "app/cli/launch.h"
#include "app/screen/complain.h"
#include "app/screen/input_history.h"
#include "app/screen/terminal.h"
#include "kernels/base/log.h"
#include "prompts/preamble.h"
#include "store/conversation.h"
#include "store/model_source.h"

enum {
    LIST_MOST = 1 << 20,
    FOUND_MOST = 1000, // of a search, where each one costs time
    TITLE_COLUMNS = 34,
    MODEL_COLUMNS = 14,
    INDENT_MOST = 8,
    ID_COLUMNS = 10,
    FOUND_COLUMNS = 68,
};

static int failed(enum status status, const struct error *err) {
    return complain_failed(exit_code_for_store(status), status, err);
}

static int no_memory(void) {
    const struct error err = {0};
    return complain_failed(EXIT_RUN_TIME, STATUS_NO_MEMORY, &err);
}

// As json_put(), as an exit code.
static int put_json(cJSON *json, bool compact) {
    return json_put(json, compact) ? EXIT_DONE : no_memory();
}

// The model of a conversation, or NULL. Often the same as in the row before, so it is cached.
struct place {
    struct db *db;
    struct model_source source; // the last one
};

static const char *place_of(struct place *place, int64_t id) {
    struct error ignored;
    if (!id) return NULL;
    if (place->source.id != id) {
        model_source_deinit(&place->source);
        if (model_source_get(place->db, id, &place->source, &ignored) != STATUS_OK) return NULL;
    }
    return text_string(&place->source.name);
}

static bool fill_row(cJSON *object, const struct conversation_row *row, struct place *place) {
    const struct conversation *conversation = &row->conversation;
    return json_add_text(object, "id", conversation->id) &&
           json_add_text(object, "name", conversation->name) &&
           json_add_text(object, "title", conversation->title[0] ? conversation->title : NULL) &&
           json_add_text(object, "forked_from", conversation->forked_from) &&
           json_add_number(object, "turns", (double)row->turns) &&
           (row->tokens < 0 ? cJSON_AddNullToObject(object, "tokens") != NULL
                            : json_add_number(object, "tokens", (double)row->tokens)) &&
           json_add_text(object, "model", row->model_name) &&
           json_add_text(object, "model_from", place_of(place, conversation->source)) &&
           json_add_text(object, "preview", row->preview) &&
           (!conversation->one_shot || cJSON_AddTrueToObject(object, "one_shot")) &&
           json_add_text(object, "found", row->found[0] ? row->found : NULL) &&
           json_add_number(object, "created_ms", (double)conversation->created_ms) &&
           json_add_number(object, "updated_ms", (double)conversation->updated_ms);
}

static int list_json(struct place *place, const struct conversation_row *rows, size_t count,
                     bool lines) {
    cJSON *array = lines ? NULL : cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        cJSON *object = cJSON_CreateObject();
        if (!object || !fill_row(object, &rows[i], place) ||
            (!lines && !cJSON_AddItemToArray(array, object))) {
            cJSON_Delete(object);
            cJSON_Delete(array);
            return no_memory();
        }
        if (lines && put_json(object, true) != EXIT_DONE) return EXIT_RUN_TIME;
    }
    return lines ? EXIT_DONE : put_json(array, false);
}

// Text from a user, a file or a model in `columns` columns, made safe for a terminal.
static enum status append_column(struct text *line, const char *text, int columns) {
    struct text harmless = {0};
    enum status status = printable_text(text, strlen(text), &harmless);
    if (status == STATUS_OK) status = text_fit(line, text_string(&harmless), columns, true);
    text_deinit(&harmless);
    return status;
}

static enum status format_row(const struct conversation_row *row, struct text *line) {
    const struct conversation *conversation = &row->conversation;
    char age[AGE_TEXT_BYTES], title[512], tokens[24] = "";
    const int indent = row->depth * 2 < INDENT_MOST ? row->depth * 2 : INDENT_MOST;
    snprintf(title, sizeof title, "%*s%s%s", indent, "", conversation->one_shot ? "-p " : "",
             conversation_row_title(row));
    TRY(text_format(line, "%s  ", conversation->id));
    TRY(append_column(line, title, TITLE_COLUMNS));
    if (row->tokens >= 0) snprintf(tokens, sizeof tokens, "%" PRId64, row->tokens);
    TRY(text_format(line, " %5" PRId64 " %7s %6s ", row->turns, tokens,
                    age_format(calendar_ms() - conversation->updated_ms, age)));
    return append_column(line, row->model_name, MODEL_COLUMNS);
}

// The found words, below their conversation.
static enum status append_found(const char *found, struct text *line) {
    TRY(text_format(line, "%*s", ID_COLUMNS, ""));
    return append_column(line, found, FOUND_COLUMNS);
}

static void put_line(struct text *line) {
    while (line->length && line->bytes[line->length - 1] == ' ')
        line->bytes[--line->length] = '\0';
    output_string(text_string(line));
    output_string("\n");
    text_clear(line);
}

static int list_table(const struct conversation_row *rows, size_t count) {
    struct text line = {0};
    int code = EXIT_DONE;
    if (text_format(&line, "%-8s  %-*s %5s %7s %6s %s", "id", TITLE_COLUMNS, "name or first words",
                    "turns", "tokens", "age", "model") == STATUS_OK)
        put_line(&line);
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        if (format_row(&rows[i], &line) == STATUS_OK)
            put_line(&line);
        else
            code = no_memory();
        if (rows[i].found[0] && append_found(rows[i].found, &line) == STATUS_OK) put_line(&line);
    }
    text_deinit(&line);
    return code;
}

int listing_list(struct db *db, const struct args *args) {
    struct conversation_row *rows = NULL;
    size_t count = 0;
    struct error err = {0};
    const struct conversation_query query = {
        .words = args->operand_count ? args->operands[0] : "",
        .limit = args->operand_count ? FOUND_MOST : LIST_MOST,
        .one_shot = args->all,
    };
    const enum status status = conversation_list(db, &query, &rows, &count, &err);
    if (status != STATUS_OK) return failed(status, &err);
    struct place place = {.db = db};
    int code = EXIT_DONE;
    if (count == query.limit)
        log_write(LOG_WARNING, "showing the newest %zu; quire list with %s finds others", count,
                  args->operand_count ? "more words" : "words");
    if (strcmp(args->format, "text") != 0)
        code = list_json(&place, rows, count, strcmp(args->format, "jsonl") == 0);
    else if (count)
        code = list_table(rows, count);
    else if (!args->quiet)
        fprintf(stderr, "%s\n",
                *query.words ? "nothing found"
                : args->all  ? "no conversations yet"
                             : "no conversations yet (--all includes those started with -p)");
    model_source_deinit(&place.source);
    free(rows);
    return output_exit_code(code);
}

static cJSON *message_json(const struct message *message) {
    cJSON *object = cJSON_CreateObject();
    if (object && json_add_number(object, "id", (double)message->id) &&
        json_add_number(object, "parent", (double)message->parent) &&
        json_add_text(object, "role", export_role_name(message->role)) &&
        json_add_bytes(object, "text", message->text, message->length) &&
        json_add_text(object, "stop_reason", message_stop_name(message->stop)) &&
        json_add_number(object, "created_ms", (double)message->created_ms))
        return object;
    cJSON_Delete(object);
    return NULL;
}

static int path_json(const struct conversation *conversation, const struct message *path,
                     size_t count) {
    cJSON *object = cJSON_CreateObject();
    cJSON *messages = NULL;
    bool whole = object && json_add_text(object, "id", conversation->id) &&
                 json_add_text(object, "name", conversation->name) &&
                 (messages = cJSON_AddArrayToObject(object, "messages"));
    for (size_t i = 0; i < count && whole; i++) {
        cJSON *message = message_json(&path[i]);
        whole = message && cJSON_AddItemToArray(messages, message);
    }
    if (whole) return put_json(object, false);
    cJSON_Delete(object);
    return no_memory();
}

static int path_lines(const struct message *path, size_t count) {
    int code = EXIT_DONE;
    for (size_t i = 0; i < count && code == EXIT_DONE; i++)
        code = put_json(message_json(&path[i]), true);
    return code;
}

static void put_text(const char *bytes, size_t length) {
    output_text(bytes, length);
    if (length == 0 || bytes[length - 1] != '\n') output_string("\n");
}

static void put_message(const struct message *message) {
    struct text preamble = {0};
    if (message->role != MESSAGE_SYSTEM)
        put_text(message->text, message->length);
    else if (preamble_show(message->text, &preamble) == STATUS_OK)
        put_text(text_string(&preamble), preamble.length);
    text_deinit(&preamble);
}

static int path_text(const struct message *path, size_t count) {
    for (size_t i = 0; i < count; i++) {
        output_string(i ? "\n## " : "## ");
        output_string(export_role_name(path[i].role));
        if (path[i].role == MESSAGE_ASSISTANT && path[i].stop != STOP_END) {
            output_string(" (");
            output_string(message_stop_name(path[i].stop));
            output_string(")");
        }
        output_string("\n\n");
        put_message(&path[i]);
    }
    return EXIT_DONE;
}

static int show_path(struct db *db, const struct args *args) {
    struct conversation conversation;
    struct message *path = NULL;
    size_t count = 0;
    struct error err = {0};
    enum status status = conversation_find_begun(db, args->operands[0], &conversation, &err);
    if (status == STATUS_OK) status = message_path(db, conversation.tip, &path, &count, &err);
    if (status != STATUS_OK) return failed(status, &err);
    int code;
    if (strcmp(args->format, "json") == 0)
        code = path_json(&conversation, path, count);
    else if (strcmp(args->format, "jsonl") == 0)
        code = path_lines(path, count);
    else
        code = path_text(path, count);
    message_path_free(path, count);
    return output_exit_code(code);
}

int listing_show(struct db *db, const struct args *args) { return show_path(db, args); }

static enum export_format format_of(const struct args *args) {
    if (args->html || args->tree) return EXPORT_HTML;
    return strcmp(args->format, "jsonl") == 0 ? EXPORT_JSONL : EXPORT_MARKDOWN;
}

// Markdown, HTML, or JSONL for import; JSON is the same as for show.
int listing_export(struct db *db, const struct args *args) {
    struct conversation conversation;
    struct message *messages = NULL;
    struct text text = {0};
    size_t count = 0;
    struct error err = {0};
    const enum export_format format = format_of(args);
    if (strcmp(args->format, "json") == 0 && format != EXPORT_HTML) return show_path(db, args);
    enum status status = conversation_find_begun(db, args->operands[0], &conversation, &err);
    if (status == STATUS_OK)
        status = args->tree ? export_tree(db, &conversation, &messages, &count, &err)
                            : message_path(db, conversation.tip, &messages, &count, &err);
    if (status != STATUS_OK) return failed(status, &err);
    struct place place = {.db = db};
    const char *model = place_of(&place, conversation.source) ? place.source.model_name : "";
    const struct exported exported = {&conversation, model, messages, count};
    status = export_append(&exported, format, &text);
    if (status == STATUS_OK) output_text(text_string(&text), text.length);
    model_source_deinit(&place.source);
    message_path_free(messages, count);
    text_deinit(&text);
    return status == STATUS_OK ? output_exit_code(EXIT_DONE) : no_memory();
}

int listing_import(struct db *db, const struct args *args) {
    const bool piped = strcmp(args->operands[0], "-") == 0;
    const char *path = piped ? "stdin" : args->operands[0];
    struct conversation made;
    struct text text = {0};
    struct import import = {0};
    struct error err = {0}, why = {0};
    char messages[COUNT_TEXT_BYTES];
    enum status status =
        piped ? file_read_open(STDIN_FILENO, path, &text, &err) : file_read(path, &text, &err);
    if (status != STATUS_OK) return complain_failed(exit_code_for_file(status), status, &err);
    status = import_read(text_string(&text), text.length, &import, &why);
    if (status != STATUS_OK)
        error_set(&err, status, "%.200s: %.280s", path,
                  why.text[0] ? why.text : status_text(status));
    if (status == STATUS_OK) status = import_store(db, &import, &made, &err);
    const size_t count = import.count;
    import_deinit(&import);
    text_deinit(&text);
    if (status != STATUS_OK) return failed(status, &err);
    output_string(made.id);
    output_string("\n");
    if (!args->quiet)
        fprintf(stderr, "imported %s: %s\n", made.id,
                nouns_format((int64_t)count, "message", messages));
    return output_exit_code(EXIT_DONE);
}

// Prints a line to stderr, made safe for a terminal.
static void tell_line(const struct text *line) {
    struct text shown = {0};
    if (printable_text(text_string(line), line->length, &shown) == STATUS_OK)
        fprintf(stderr, "%s\n", text_string(&shown));
    text_deinit(&shown);
}

// Says which text stays, and where.
static void tell_kept(struct db *db, const struct deletion *deletion) {
    struct text line = {0};
    if (deletion->kept_count == 0) return;
    if (text_append_string(&line, "shared text stays in ") == STATUS_OK &&
        removal_list(db, deletion->kept, deletion->kept_count, &line) == STATUS_OK)
        tell_line(&line);
    text_deinit(&line);
}

static void tell_removed(struct db *db, const struct deletion *deletion) {
    for (size_t i = 0; i < deletion->gone_count; i++)
        fprintf(stderr, "removed %s\n", deletion->gone[i].id);
    if (deletion->kept_count == 0 || confirm_possible()) return; // the question said so already
    tell_kept(db, deletion);
    fprintf(stderr, "to delete those too: quire rm --family %s\n", deletion->kept[0].id);
}

// Asks only at a terminal; a script has none. The answer is y, n, or f.
static char ask_removal(struct db *db, const struct deletion *deletion) {
    struct text question = {0};
    char answer = 'n';
    if (!confirm_possible()) return 'y';
    tell_kept(db, deletion);
    if (text_append_string(&question, "delete ") == STATUS_OK &&
        removal_list(db, deletion->gone, deletion->gone_count, &question) == STATUS_OK &&
        text_append_string(&question, " permanently") == STATUS_OK)
        answer = confirm_letter(text_string(&question),
                                deletion->kept_count ? "[y/N, f: those too]" : "[y/N]");
    text_deinit(&question);
    return answer == 'f' && deletion->kept_count == 0 ? 'n' : answer;
}

static void erase(struct db *db, const struct deletion *deletion,
                  const struct removal_paths *paths) {
    const struct removal removal = {db, deletion};
    removal_erase(db, deletion, paths->kv_folder);
    input_history_open(paths->history);
    input_history_forget(removal_had_typed, &removal);
    input_history_close();
}

int listing_remove(struct db *db, const struct args *args, const struct removal_paths *paths) {
    struct deletion deletion = {0};
    struct error err = {0};
    const char *id = args->operands[0];
    enum status status = deletion_plan(db, id, args->family, &deletion, &err);
    const char answer = status == STATUS_OK ? ask_removal(db, &deletion) : 'n';
    if (answer == 'f') {
        deletion_deinit(&deletion);
        status = deletion_plan(db, id, true, &deletion, &err);
    }
    const bool agreed = status == STATUS_OK && (answer == 'y' || answer == 'f');
    if (agreed) status = removal_run(db, &deletion, &err);
    if (agreed && status == STATUS_OK) {
        if (!args->quiet) tell_removed(db, &deletion);
        erase(db, &deletion, paths);
    }
    deletion_deinit(&deletion);
    return status == STATUS_OK ? EXIT_DONE : failed(status, &err);
}
