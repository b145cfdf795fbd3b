#include "app/chat/structure.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "app/base/attachment.h"
#include "engine/grammar/gbnf.h"
#include "engine/grammar/schema.h"
#include "engine/tokenizer/thinking.h"
#include "kernels/base/assert.h"

enum { MARK_BYTES_MAX = 64 };

// Does the vocabulary have this mark, or its beginning, as a token of its own?
static enum status knows(const struct structure *structure, const char *mark, bool *known) {
    const struct piece piece = {PIECE_CONTROL, mark, strlen(mark)};
    struct token_ids ids = {0};
    TRY(tokenizer_encode(structure->tokenizer, &piece, 1, &ids));
    *known = false;
    if (ids.count > 0) {
        const struct gguf_string token = tokenizer_piece(structure->tokenizer, ids.ids[0]);
        *known = token.length > 3 && token.length <= piece.length &&
                 memcmp(token.bytes, mark, token.length) == 0;
    }
    token_ids_deinit(&ids);
    return STATUS_OK;
}

static enum status append_character(struct text *gbnf, const char *at, size_t *used) {
    return text_format(gbnf, "\\U%08X", utf8_decode(at, strlen(at), used));
}

// Rules for any text up to the first `close`: _NAME-I has read its first I characters (Knuth,
// Morris & Pratt, 1977).
static enum status append_until(struct text *gbnf, int name, const char *close) {
    size_t starts[MARK_BYTES_MAX], back[MARK_BYTES_MAX], count = 0, used;
    for (const char *at = close; *at; at += used) {
        ASSERT(count + 1 < MARK_BYTES_MAX);
        starts[count++] = (size_t)(at - close);
        utf8_decode(at, strlen(at), &used);
    }
    starts[count] = strlen(close);
    for (size_t i = 0, matched = 0; i < count; i++) {
        // back[i]: the longest proper prefix of the mark that is a suffix of its first i
        // characters.
        back[i] = matched;
        if (i == 0) continue;
        while (matched > 0 &&
               strncmp(close + starts[matched], close + starts[i], starts[i + 1] - starts[i]) != 0)
            matched = back[matched];
        matched +=
            strncmp(close + starts[matched], close + starts[i], starts[i + 1] - starts[i]) == 0;
    }
    for (size_t i = 0; i < count; i++) {
        char others[MARK_BYTES_MAX * 10 + 1] = "";
        size_t length = 0;
        TRY(text_format(gbnf, "_%d-%zu ::= ", name, i));
        for (size_t from = i;; from = back[from]) { // the mark continues, or begins again
            const char *next = close + starts[from];
            char escape[11];
            snprintf(escape, sizeof escape, "\\U%08X", utf8_decode(next, strlen(next), &used));
            if (!strstr(others, escape)) {
                TRY(text_format(gbnf, "\"%s\" _%d-%zu | ", escape, name, from + 1));
                length += (size_t)snprintf(others + length, sizeof others - length, "%s", escape);
            }
            if (from == 0) break;
        }
        TRY(text_format(gbnf, "[^%s] _%d-0\n", others, name));
    }
    return text_format(gbnf, "_%d-%zu ::= \"\"\n", name, count);
}

// _answer: the root, after after any number of marks and thoughts.
static enum status append_thoughts(const struct structure *structure, struct text *gbnf) {
    struct text marks = {0};
    struct thinking_form form;
    enum status status = STATUS_OK;
    for (int i = 0; thinking_mark((size_t)i, &form) && status == STATUS_OK; i++) {
        bool known;
        size_t used;
        status = knows(structure, form.open, &known);
        if (status != STATUS_OK || !known) continue;
        status = text_append_string(&marks, "_blanks \"");
        for (const char *at = form.open; *at && status == STATUS_OK; at += used)
            status = append_character(&marks, at, &used);
        if (status == STATUS_OK) status = text_append_string(&marks, "\" ");
        if (form.thought) {
            if (status == STATUS_OK) status = text_format(&marks, "_%d-0 _blanks ", i);
            if (status == STATUS_OK) status = append_until(gbnf, i, form.close);
        }
        if (status == STATUS_OK) status = text_append_string(&marks, "| ");
    }
    if (status == STATUS_OK)
        status = text_format(gbnf, "_blanks ::= [ \\t\\r\\n]{0,4}\n_answer ::= (%s[])* root\n",
                             text_string(&marks));
    text_deinit(&marks);
    return status;
}

// The server decides what is valid, in its own dialect.
static enum status leave_to_server(const struct structure *structure, enum structure_kind kind,
                                   const char *text, struct grammar **grammar, struct error *err) {
    const bool is_schema = kind == STRUCTURE_SCHEMA;
    cJSON *json = is_schema ? cJSON_Parse(text) : NULL;
    const bool fits = !is_schema || cJSON_IsObject(json);
    cJSON_Delete(json);
    if (!fits) return error_set(err, STATUS_BAD_INPUT, "the schema is not a JSON object");
    if (!is_schema && !structure->takes_grammars)
        return error_set(err, STATUS_UNSUPPORTED,
                         "this server accepts schemas, but not grammars; llama-server, vLLM and "
                         "SGLang accept both");
    return grammar_create_elsewhere(text, is_schema, grammar);
}

// Appends the grammar if it is complete by itself, so that errors name its own lines.
static enum status copy_grammar(const char *text, struct text *gbnf, struct error *err) {
    struct network network;
    TRY(gbnf_read(text, strlen(text), "root", &network, err));
    network_deinit(&network);
    return text_format(gbnf, "%s\n", text);
}

// The line numbers of the generated grammar mean nothing for a schema.
static void name_schema(enum status status, struct error *err) {
    static const char LINE[] = "grammar, line ", GRAMMAR[] = "the grammar";
    char why[sizeof err->text];
    const char *colon = strstr(err->text, ": "), *name = strstr(err->text, GRAMMAR);
    if (strncmp(err->text, LINE, sizeof LINE - 1) == 0 && colon)
        snprintf(why, sizeof why, "the schema: %.400s", colon + 2);
    else if (name)
        snprintf(why, sizeof why, "%.*sthe schema%.200s", (int)(name - err->text), err->text,
                 name + sizeof GRAMMAR - 1);
    else
        return;
    (void)error_set(err, status, "%s", why);
}

enum status structure_read(struct structure *structure, enum structure_kind kind, const char *text,
                           struct grammar **grammar, struct error *err) {
    struct text gbnf = {0};
    enum status status = STATUS_OK;
    if (structure->remote) return leave_to_server(structure, kind, text, grammar, err);
    if (!structure->trie)
        TRY(token_trie_create(structure->tokenizer, thinking_is_mark, &structure->trie, err));
    status = append_thoughts(structure, &gbnf);
    if (status == STATUS_OK && kind == STRUCTURE_SCHEMA)
        status = schema_to_gbnf(text, strlen(text), &gbnf, err);
    else if (status == STATUS_OK)
        status = copy_grammar(text, &gbnf, err);
    if (status == STATUS_OK)
        status = grammar_create(structure->trie, text_string(&gbnf), "_answer", grammar, err);
    if (status != STATUS_OK && kind == STRUCTURE_SCHEMA) name_schema(status, err);
    text_deinit(&gbnf);
    return status;
}

bool structure_is_inline(const char *schema) { return schema[strspn(schema, " \t\r\n")] == '{'; }

enum status structure_set(struct structure *structure, enum structure_kind kind, const char *source,
                          struct error *err) {
    const bool inline_schema = kind == STRUCTURE_SCHEMA && structure_is_inline(source);
    struct text text = {0}, name = {0};
    struct grammar *grammar = NULL;
    enum status status = STATUS_OK;
    if (kind != STRUCTURE_NONE) {
        status = inline_schema ? text_append_string(&text, source) : file_read(source, &text, err);
        if (status == STATUS_OK) status = file_check_text(&text, 0, source, err);
        if (status == STATUS_OK) status = text_append_string(&name, source);
        if (status == STATUS_OK)
            status = structure_read(structure, kind, text_string(&text), &grammar, err);
    }
    text_deinit(&text);
    if (status != STATUS_OK) {
        text_deinit(&name);
        return status;
    }
    grammar_release(structure->grammar);
    text_deinit(&structure->source);
    structure->kind = kind;
    structure->grammar = grammar;
    structure->source = name;
    return STATUS_OK;
}

void structure_deinit(struct structure *structure) {
    grammar_release(structure->grammar);
    token_trie_destroy(structure->trie);
    text_deinit(&structure->source);
    *structure = (struct structure){0};
}
