#include "engine/tokenizer/expression.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/text.h"

// Unicode's White_Space. PCRE2's own \s would add U+180E, which lost that property.
#define SPACE  \
    "\\t-\\r " \
    "\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}"
// Unicode's word characters (UTS 18, annex C), which PCRE2 10.42 has without the marks.
#define WORD  "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}"
#define DIGIT "\\p{Nd}"

enum {
    MAX_STEPS = 10 * 1000 * 1000, // as PCRE2 counts them, for one match
    MAX_HEAP_KIB = 256 * 1024,
};

struct expression {
    pcre2_code *code;
    bool compiled; // to machine code
};

struct expression_match {
    pcre2_match_data *data;
    pcre2_match_context *context;
};

// A pattern that is being translated from one dialect to the other.
struct translation {
    const char *pattern;
    size_t length, at;
    struct text *out;
};

static bool follows(const struct translation *translation, const char *what) {
    ASSERT(translation->at <= translation->length);
    const size_t length = strlen(what);
    return translation->length - translation->at >= length &&
           memcmp(translation->pattern + translation->at, what, length) == 0;
}

// The translation of a class escape inside brackets, or NULL.
static const char *class_of(char letter) {
    switch (letter) {
    case 's':
    case 'S':
        return SPACE;
    case 'w':
    case 'W':
        return WORD;
    case 'd':
    case 'D':
        return DIGIT;
    default:
        return NULL;
    }
}

// A script's name means the character's own script; PCRE2 would also match its script extensions.
static enum status translate_script(struct translation *translation, bool *written) {
    static const char *const scripts[] = {"Han",    "Hiragana", "Katakana",  "Hangul",
                                          "Latin",  "Cyrillic", "Greek",     "Arabic",
                                          "Hebrew", "Thai",     "Devanagari"};
    *written = false;
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        char name[32];
        for (int turned = 0; turned < 2; turned++) {
            snprintf(name, sizeof name, "\\%c{%s}", turned ? 'P' : 'p', scripts[i]);
            if (!follows(translation, name)) continue;
            translation->at += strlen(name);
            *written = true;
            return text_format(translation->out, "\\%c{sc:%s}", turned ? 'P' : 'p', scripts[i]);
        }
    }
    return STATUS_OK;
}

// Translates an escape. In brackets an upper-case letter, a negated class, is left to PCRE2.
static enum status translate_escape(struct translation *translation, bool in_brackets) {
    ASSERT(translation->pattern[translation->at] == '\\');
    if (translation->length - translation->at < 2) return STATUS_UNSUPPORTED;
    const char *escape = translation->pattern + translation->at, letter = escape[1];
    const bool turned = letter == 'S' || letter == 'W' || letter == 'D';
    const char *class = class_of(letter);
    bool written;
    TRY(translate_script(translation, &written));
    if (written) return STATUS_OK;
    // Hexadecimal digits there and blanks here; lines, bytes and keeps that nobody means.
    if (strchr("hHRXCKG", letter)) return STATUS_UNSUPPORTED;
    translation->at += 2;
    if (!class || (in_brackets && turned)) return text_append(translation->out, escape, 2);
    if (in_brackets) return text_append_string(translation->out, class);
    return text_format(translation->out, "[%s%s]", turned ? "^" : "", class);
}

// Translates a class from its first item, after '[' and '^', and moves past its end, which is not
// written. *without is what stands between "&&[^" and "]", if anything.
static enum status translate_items(struct translation *translation, struct text *without) {
    for (bool first = true;; first = false) {
        if (translation->at >= translation->length) return STATUS_UNSUPPORTED;
        const char *item = translation->pattern + translation->at;
        if (item[0] == '\\') {
            TRY(translate_escape(translation, true));
            continue;
        }
        if (item[0] == ']' && !first) break;
        if (follows(translation, "&&[^") && without) {
            translation->at += 4;
            struct translation inner = *translation;
            inner.out = without;
            TRY(translate_items(&inner, NULL));
            translation->at = inner.at;
            if (!follows(translation, "]")) return STATUS_UNSUPPORTED;
            continue;
        }
        if (item[0] == '[' && !follows(translation, "[:")) return STATUS_UNSUPPORTED;
        if (follows(translation, "&&")) return STATUS_UNSUPPORTED;
        const char *name_end =
            item[0] == '[' ? memchr(item, ']', translation->length - translation->at) : item;
        if (!name_end) return STATUS_UNSUPPORTED;
        TRY(text_append(translation->out, item, (size_t)(name_end - item) + 1));
        translation->at += (size_t)(name_end - item) + 1;
    }
    translation->at++;
    return STATUS_OK;
}

static enum status translate_class(struct translation *translation) {
    ASSERT(translation->pattern[translation->at] == '[');
    struct text items = {0}, without = {0};
    struct translation inside = *translation;
    inside.at++;
    const bool turned = follows(&inside, "^");
    inside.at += turned;
    inside.out = &items;
    enum status status = translate_items(&inside, turned ? NULL : &without);
    if (status == STATUS_OK && without.length)
        status = text_format(translation->out, "(?:(?![%s])[%s])", text_string(&without),
                             text_string(&items));
    else if (status == STATUS_OK)
        status = text_format(translation->out, "[%s%s]", turned ? "^" : "", text_string(&items));
    translation->at = inside.at;
    text_deinit(&items);
    text_deinit(&without);
    return status;
}

// The only expression in use that searches for the end of a run from each position in it. A match
// begins at the run's first character or not at all; stating this makes long runs linear.
static bool is_line_end(const char *pattern, size_t length) {
    return length == 4 && memcmp(pattern, "\\s+$", 4) == 0;
}

static enum status translate(const char *pattern, size_t length, struct text *out) {
    struct translation translation = {pattern, length, 0, out};
    if (is_line_end(pattern, length)) TRY(text_append_string(out, "(?<![" SPACE "])"));
    while (translation.at < length) {
        if (pattern[translation.at] == '\\')
            TRY(translate_escape(&translation, false));
        else if (pattern[translation.at] == '[')
            TRY(translate_class(&translation));
        else
            TRY(text_append(out, pattern + translation.at++, 1));
    }
    return STATUS_OK;
}

static enum status compile(struct expression *expression, const char *pattern, size_t length,
                           bool literal) {
    ASSERT(!expression->code);
    int code;
    PCRE2_SIZE where;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!context) return STATUS_NO_MEMORY;
    (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    const uint32_t options =
        literal ? PCRE2_LITERAL
                : PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_START_OPTIMIZE;
    expression->code =
        pcre2_compile((PCRE2_SPTR)pattern, length, PCRE2_UTF | options, &code, &where, context);
    pcre2_compile_context_free(context);
    if (!expression->code)
        return code == PCRE2_ERROR_HEAP_FAILED ? STATUS_NO_MEMORY : STATUS_UNSUPPORTED;
    // Fails on systems that forbid generating code at run time; matching is then slower but the
    // same.
    expression->compiled = pcre2_jit_compile(expression->code, PCRE2_JIT_COMPLETE) == 0;
    return STATUS_OK;
}

enum status expression_create(const char *pattern, size_t length, bool literal, const char *name,
                              struct expression **expression, struct error *err) {
    struct text translated = {0};
    struct expression *created = calloc(1, sizeof *created);
    enum status status = created ? STATUS_OK : STATUS_NO_MEMORY;
    if (length > EXPRESSION_MAX_BYTES || (literal && length == 0)) status = STATUS_UNSUPPORTED;
    if (status == STATUS_OK)
        status = literal ? text_append(&translated, pattern, length)
                         : translate(pattern, length, &translated);
    if (status == STATUS_OK)
        status = compile(created, text_string(&translated), translated.length, literal);
    text_deinit(&translated);
    if (status == STATUS_OK)
        *expression = created;
    else
        expression_destroy(created);
    if (status == STATUS_UNSUPPORTED)
        return error_set(err, status, "%s: the regular expression \"%.*s\" is not supported", name,
                         (int)(length < 200 ? length : 200), pattern);
    return status;
}

void expression_destroy(struct expression *expression) {
    if (!expression) return;
    pcre2_code_free(expression->code);
    free(expression);
}

enum status expression_match_create(struct expression_match **match) {
    struct expression_match *created = calloc(1, sizeof *created);
    if (!created) return STATUS_NO_MEMORY;
    created->data = pcre2_match_data_create(1, NULL);
    created->context = pcre2_match_context_create(NULL);
    if (!created->data || !created->context) {
        expression_match_destroy(created);
        return STATUS_NO_MEMORY;
    }
    (void)pcre2_set_match_limit(created->context, MAX_STEPS);
    (void)pcre2_set_heap_limit(created->context, MAX_HEAP_KIB);
    *match = created;
    return STATUS_OK;
}

void expression_match_destroy(struct expression_match *match) {
    if (!match) return;
    pcre2_match_data_free(match->data);
    pcre2_match_context_free(match->context);
    free(match);
}

// The machine code has a small stack of its own. If groups that repeat over a long run outgrow it,
// the interpreter, which allocates memory as needed, takes over.
enum status expression_find(const struct expression *expression, struct expression_match *match,
                            const char *bytes, size_t length, size_t from, bool *found,
                            size_t *begin, size_t *end) {
    int code = PCRE2_ERROR_JIT_STACKLIMIT;
    const PCRE2_SPTR subject = (PCRE2_SPTR)(bytes ? bytes : "");
    ASSERT(from <= length);
    if (expression->compiled)
        code = pcre2_jit_match(expression->code, subject, length, from, 0, match->data,
                               match->context);
    if (code == PCRE2_ERROR_JIT_STACKLIMIT)
        code = pcre2_match(expression->code, subject, length, from,
                           PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, match->data, match->context);
    if (code == PCRE2_ERROR_NOMEMORY) return STATUS_NO_MEMORY;
    if (code < 0 && code != PCRE2_ERROR_NOMATCH) return STATUS_UNSUPPORTED;
    *found = code >= 0;
    if (code < 0) return STATUS_OK;
    const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(match->data);
    *begin = offsets[0];
    *end = offsets[1] < offsets[0] ? offsets[0] : offsets[1];
    return STATUS_OK;
}
