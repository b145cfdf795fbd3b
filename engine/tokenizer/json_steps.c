#include "engine/tokenizer/json_steps.h"

#include <string.h>

#include "engine/tokenizer/json_vocabulary.h"
#include "kernels/base/assert.h"

static const char mark[] = "\xE2\x96\x81"; // U+2581, which stands for a space

// State of reading one part; one of the four is filled.
struct reading {
    const char *name, *part;
    struct normalizer *normalizer;
    struct json_cuts *cuts;
    struct json_decoding *decoding;
    struct json_beginning *beginning;
    struct error *err;
};

typedef enum status read_step(const struct reading *reading, struct json_view step);

static bool has_value(struct json_view object, const char *name) {
    const enum json_kind kind = json_view_kind(json_view_find(object, name));
    return kind != JSON_ABSENT && kind != JSON_NULL;
}

static bool flag(struct json_view object, const char *name, bool otherwise) {
    const enum json_kind kind = json_view_kind(json_view_find(object, name));
    return kind == JSON_TRUE || (kind != JSON_FALSE && otherwise);
}

static bool is_type(struct json_view step, const char *type) {
    return json_view_is(json_view_find(step, "type"), type);
}

static enum status refuse_step(const struct reading *reading, const char *what) {
    return error_set(reading->err, STATUS_BAD_FILE, "%s: tokenizer.json: %s: %s", reading->name,
                     reading->part, what);
}

static enum status unsupported(const struct reading *reading, const char *what) {
    return error_set(reading->err, STATUS_UNSUPPORTED,
                     "%s: tokenizer.json: %s: %s is not supported", reading->name, reading->part,
                     what);
}

static enum status unknown_type(const struct reading *reading, struct json_view step) {
    const struct json_view type = json_view_find(step, "type");
    if (json_view_kind(type) != JSON_STRING) return refuse_step(reading, "a step without a type");
    const size_t length = json_view_string_bound(type);
    return error_set(reading->err, STATUS_UNSUPPORTED,
                     "%s: tokenizer.json: %s \"%.*s\" is not supported", reading->name,
                     reading->part, (int)(length < 40 ? length : 40), type.bytes + 1);
}

// Reads the steps one after another. Sequences hold sequences, up to the stated depth.
static enum status read_steps(const struct reading *reading, struct json_view step,
                              const char *members, read_step *read) {
    struct json_view lists[JSON_STEPS_MAX_DEPTH];
    size_t cursors[JSON_STEPS_MAX_DEPTH];
    size_t depth = 0;
    const enum json_kind kind = json_view_kind(step);
    if (kind == JSON_ABSENT || kind == JSON_NULL) return STATUS_OK;
    for (;;) {
        if (json_view_kind(step) != JSON_OBJECT)
            return refuse_step(reading, "a step that is not an object");
        TRY(json_check_flags(step, reading->name, reading->err));
        if (!is_type(step, "Sequence")) {
            TRY(read(reading, step));
        } else {
            if (depth == JSON_STEPS_MAX_DEPTH)
                return unsupported(reading, "such a deeply nested Sequence");
            lists[depth] = json_view_find(step, members);
            if (json_view_kind(lists[depth]) != JSON_ARRAY)
                return refuse_step(reading, "a Sequence without a list");
            cursors[depth++] = 0;
        }
        ASSERT(depth <= JSON_STEPS_MAX_DEPTH);
        while (depth > 0 && !json_view_next(lists[depth - 1], &cursors[depth - 1], NULL, &step))
            depth--;
        if (depth == 0) return STATUS_OK;
    }
}

// A short string of a step; *length is as it was if it is absent.
static enum status read_text(const struct reading *reading, struct json_view text,
                             char out[NORMALIZER_TEXT_BYTES], size_t *length) {
    char buffer[6 * NORMALIZER_TEXT_BYTES];
    if (json_view_kind(text) != JSON_STRING) return refuse_step(reading, "a string is missing");
    if (json_view_string_bound(text) > sizeof buffer)
        return unsupported(reading, "such a long string");
    const size_t bytes = json_view_string(text, buffer);
    if (bytes > NORMALIZER_TEXT_BYTES) return unsupported(reading, "such a long string");
    memcpy(out, buffer, bytes);
    *length = bytes;
    return STATUS_OK;
}

// {"String": "text"} or {"Regex": "expression"}
static enum status read_pattern(const struct reading *reading, struct json_view pattern,
                                struct expression **expression) {
    const bool literal = has_value(pattern, "String");
    const struct json_view view = json_view_find(pattern, literal ? "String" : "Regex");
    if (json_view_kind(view) != JSON_STRING) return refuse_step(reading, "a pattern is missing");
    if (json_view_string_bound(view) > EXPRESSION_MAX_BYTES)
        return unsupported(reading, "such a long pattern");
    char buffer[EXPRESSION_MAX_BYTES];
    return expression_create(buffer, json_view_string(view, buffer), literal, reading->name,
                             expression, reading->err);
}

static enum status add_plain(const struct reading *reading, enum normalizer_kind kind) {
    return normalizer_add(reading->normalizer, (struct normalizer_step){.kind = kind},
                          reading->err);
}

static enum status add_replace(const struct reading *reading, struct json_view step) {
    struct normalizer_step made = {.kind = NORMALIZE_REPLACE};
    TRY(read_text(reading, json_view_find(step, "content"), made.with, &made.with_length));
    TRY(read_pattern(reading, json_view_find(step, "pattern"), &made.expression));
    return normalizer_add(reading->normalizer, made, reading->err);
}

static enum status add_prepend(const struct reading *reading, struct json_view step) {
    struct normalizer_step made = {.kind = NORMALIZE_PREPEND};
    TRY(read_text(reading, json_view_find(step, "prepend"), made.with, &made.with_length));
    return normalizer_add(reading->normalizer, made, reading->err);
}

static enum status add_strip_accents(const struct reading *reading) {
    struct normalizer_step made = {.kind = NORMALIZE_REPLACE};
    TRY(expression_create("\\p{M}+", 6, false, reading->name, &made.expression, reading->err));
    return normalizer_add(reading->normalizer, made, reading->err);
}

static enum status read_normalizer(const struct reading *reading, struct json_view step) {
    static const struct {
        const char *type;
        enum normalizer_kind kind;
    } plain[] = {{"NFC", NORMALIZE_NFC},
                 {"NFD", NORMALIZE_NFD},
                 {"NFKC", NORMALIZE_NFKC},
                 {"NFKD", NORMALIZE_NFKD},
                 {"Lowercase", NORMALIZE_LOWERCASE}};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (is_type(step, plain[i].type)) return add_plain(reading, plain[i].kind);
    if (is_type(step, "Replace")) return add_replace(reading, step);
    if (is_type(step, "Prepend")) return add_prepend(reading, step);
    if (is_type(step, "StripAccents")) return add_strip_accents(reading);
    if (!is_type(step, "Strip")) return unknown_type(reading, step);
    if (flag(step, "strip_left", true)) TRY(add_plain(reading, NORMALIZE_STRIP_LEFT));
    if (flag(step, "strip_right", true)) TRY(add_plain(reading, NORMALIZE_STRIP_RIGHT));
    return STATUS_OK;
}

enum status json_steps_normalizer(struct json_view view, const char *name,
                                  struct normalizer *normalizer, struct error *err) {
    const struct reading reading = {
        .name = name, .part = "normalizer", .normalizer = normalizer, .err = err};
    return read_steps(&reading, view, "normalizers", read_normalizer);
}

static enum status read_behavior(const struct reading *reading, struct json_view step,
                                 enum cut_kind *kind) {
    static const char *const names[] = {"Isolated", "Removed", "MergedWithPrevious",
                                        "MergedWithNext", "Contiguous"}; // as enum cut_kind
    const struct json_view behavior = json_view_find(step, "behavior");
    *kind = CUT_ISOLATED;
    if (json_view_kind(behavior) == JSON_ABSENT) return STATUS_OK;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!json_view_is(behavior, names[i])) continue;
        *kind = (enum cut_kind)i;
        return STATUS_OK;
    }
    return unsupported(reading, "this behavior");
}

static enum status add_cut(const struct reading *reading, const char *pattern, enum cut_kind kind,
                           bool inverted) {
    ASSERT(!reading->cuts->byte_level);
    struct expression *expression;
    TRY(expression_create(pattern, strlen(pattern), false, reading->name, &expression,
                          reading->err));
    return pretokenizer_add(reading->cuts->pretokenizer, expression, kind, inverted, reading->err);
}

static enum status add_split(const struct reading *reading, struct json_view step) {
    struct expression *expression = NULL;
    enum cut_kind kind;
    TRY(read_behavior(reading, step, &kind));
    TRY(read_pattern(reading, json_view_find(step, "pattern"), &expression));
    return pretokenizer_add(reading->cuts->pretokenizer, expression, kind,
                            flag(step, "invert", false), reading->err);
}

static enum status add_delimiter(const struct reading *reading, struct json_view step) {
    char text[NORMALIZER_TEXT_BYTES];
    size_t length = 0;
    struct expression *expression;
    TRY(read_text(reading, json_view_find(step, "delimiter"), text, &length));
    TRY(expression_create(text, length, true, reading->name, &expression, reading->err));
    return pretokenizer_add(reading->cuts->pretokenizer, expression, CUT_REMOVED, false,
                            reading->err);
}

// Text is changed only before it is cut; a step that would change pieces is not supported.
static enum status add_spacing(const struct reading *reading, struct normalizer_step step) {
    ASSERT(step.with_length <= NORMALIZER_TEXT_BYTES);
    if (!pretokenizer_is_empty(reading->cuts->pretokenizer)) {
        expression_destroy(step.expression);
        return unsupported(reading, "add_prefix_space after another step");
    }
    return normalizer_add(reading->cuts->spacing, step, reading->err);
}

static enum status add_byte_level(const struct reading *reading, struct json_view step) {
    const struct normalizer_step space = {
        .kind = NORMALIZE_BEGIN_WITH, .with = " ", .with_length = 1};
    if (flag(step, "add_prefix_space", true)) TRY(add_spacing(reading, space));
    if (flag(step, "use_regex", true))
        TRY(pretokenizer_add_words(reading->cuts->pretokenizer, reading->err));
    reading->cuts->byte_level = true;
    return STATUS_OK;
}

// Spaces become U+2581, one is put before a text that does not begin with one, and words begin at
// them.
static enum status add_metaspace(const struct reading *reading, struct json_view step) {
    struct normalizer_step replace = {.kind = NORMALIZE_REPLACE}, begin = {0};
    const struct json_view scheme = json_view_find(step, "prepend_scheme");
    const struct json_view replacement = json_view_find(step, "replacement");
    if (!json_view_is(replacement, mark))
        return unsupported(reading, "a replacement other than U+2581");
    const bool first = json_view_is(scheme, "first");
    const bool always = json_view_is(scheme, "always") || (!has_value(step, "prepend_scheme") &&
                                                           flag(step, "add_prefix_space", true));
    if (!first && !always && has_value(step, "prepend_scheme") && !json_view_is(scheme, "never"))
        return unsupported(reading, "this prepend_scheme");
    replace.with_length = begin.with_length = sizeof mark - 1;
    memcpy(replace.with, mark, sizeof mark - 1);
    memcpy(begin.with, mark, sizeof mark - 1);
    begin.kind = first ? NORMALIZE_BEGIN_FIRST : NORMALIZE_BEGIN_WITH;
    TRY(expression_create(" ", 1, true, reading->name, &replace.expression, reading->err));
    TRY(add_spacing(reading, replace));
    if (first || always) TRY(add_spacing(reading, begin));
    return flag(step, "split", true) ? add_cut(reading, mark, CUT_WITH_NEXT, false) : STATUS_OK;
}

static enum status read_cut(const struct reading *reading, struct json_view step) {
    if (reading->cuts->byte_level) return unsupported(reading, "a step after ByteLevel");
    if (is_type(step, "ByteLevel")) return add_byte_level(reading, step);
    if (is_type(step, "Split")) return add_split(reading, step);
    if (is_type(step, "Metaspace")) return add_metaspace(reading, step);
    if (is_type(step, "CharDelimiterSplit")) return add_delimiter(reading, step);
    if (is_type(step, "Digits"))
        return add_cut(reading, "\\p{N}",
                       flag(step, "individual_digits", false) ? CUT_ISOLATED : CUT_CONTIGUOUS,
                       false);
    if (is_type(step, "Whitespace")) return add_cut(reading, "\\w+|[^\\w\\s]+", CUT_REMOVED, true);
    if (is_type(step, "WhitespaceSplit")) return add_cut(reading, "\\s", CUT_REMOVED, false);
    if (!is_type(step, "Punctuation")) return unknown_type(reading, step);
    enum cut_kind kind;
    TRY(read_behavior(reading, step, &kind));
    return add_cut(reading, "[!-/:-@\\[-`{-~\\p{P}]", kind, false);
}

enum status json_steps_pretokenizer(struct json_view view, const char *name, struct json_cuts *cuts,
                                    struct error *err) {
    const struct reading reading = {
        .name = name, .part = "pre_tokenizer", .cuts = cuts, .err = err};
    return read_steps(&reading, view, "pretokenizers", read_cut);
}

static enum status read_decoder(const struct reading *reading, struct json_view step) {
    struct json_decoding *decoding = reading->decoding;
    int64_t start, stop;
    if (is_type(step, "Replace")) {
        const struct json_view pattern = json_view_find(step, "pattern");
        if (!json_view_is(json_view_find(pattern, "String"), mark) ||
            !json_view_is(json_view_find(step, "content"), " "))
            return unsupported(reading, "a Replace other than U+2581 with a space");
        decoding->marks_space = true;
    } else if (is_type(step, "Metaspace")) {
        decoding->marks_space = true;
        decoding->drops_space = !json_view_is(json_view_find(step, "prepend_scheme"), "never") &&
                                flag(step, "add_prefix_space", true);
    } else if (is_type(step, "Strip")) {
        if (!json_view_is(json_view_find(step, "content"), " ") ||
            !json_view_int(json_view_find(step, "start"), &start) || start < 0 || start > 1 ||
            !json_view_int(json_view_find(step, "stop"), &stop) || stop != 0)
            return unsupported(reading, "a Strip other than of one leading space");
        decoding->drops_space = start == 1;
    } else if (!is_type(step, "ByteLevel") && !is_type(step, "ByteFallback") &&
               !is_type(step, "Fuse")) { // what these do follows from the model
        return unknown_type(reading, step);
    }
    return STATUS_OK;
}

enum status json_steps_decoder(struct json_view view, const char *name,
                               struct json_decoding *decoding, struct error *err) {
    const struct reading reading = {
        .name = name, .part = "decoder", .decoding = decoding, .err = err};
    return read_steps(&reading, view, "decoders", read_decoder);
}

// Of several templates the first counts. What stands behind the text is not for a chat.
static enum status read_post_processor(const struct reading *reading, struct json_view step) {
    struct json_view first = {0};
    size_t cursor = 0;
    if (is_type(step, "ByteLevel")) return STATUS_OK; // only offsets
    if (!is_type(step, "TemplateProcessing")) return unknown_type(reading, step);
    (void)json_view_next(json_view_find(step, "single"), &cursor, NULL, &first);
    const struct json_view token = json_view_find(json_view_find(first, "SpecialToken"), "id");
    if (json_view_kind(token) != JSON_STRING && !has_value(first, "Sequence"))
        return refuse_step(reading, "the template has no first element");
    if (!reading->beginning->templates)
        *reading->beginning = (struct json_beginning){.templates = true, .token = token};
    return STATUS_OK;
}

enum status json_steps_post_processor(struct json_view view, const char *name,
                                      struct json_beginning *beginning, struct error *err) {
    const struct reading reading = {
        .name = name, .part = "post_processor", .beginning = beginning, .err = err};
    return read_steps(&reading, view, "processors", read_post_processor);
}
