// prompts/jinja/lexer.c — tokens, and which white space around the tags is not text.
//
// Whether white space is kept depends on the tags on both sides of it, so text and the tag after it
// are read together (read_text_and_tag): the text is cut at its end once the sign of that tag is
// known, and what a tag removes after itself is skipped before the next text begins.
//
//   source   A{% if x %}⏎  {{ y }}⏎  {%- endif %}⏎B
//   text     A          ␣␣      ""            B
//
//   after "%}" of the if    the newline goes: trim_blocks
//   before "{{"             the blanks stay: only blocks and comments lose them
//   before "{%- endif"      everything goes, for its "-"
//   after "%}" of the endif the newline goes
//
// lstrip_blocks asks whether a tag begins its line. The text before it may be empty because the
// newline was just dropped, so `line_starts` remembers that one was there.
//
// Within brackets, the characters that would end the tag do not: {{ {'a': {}} }} is one tag.
#include "prompts/jinja/lexer.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/text.h"
#include "prompts/jinja/chars.h"

struct lexer {
    struct arena *arena;
    struct lexed *out;
    struct error *err;
    const char *source;
    size_t length, at;
    bool line_starts; // the last text read ended a line, or nothing was read yet
};

enum { NESTING_MOST = 200 }; // of brackets in one tag

static enum status fail_lexing(const struct lexer *lexer, size_t at, const char *what) {
    char position[POSITION_BYTES];
    return error_set(lexer->err, STATUS_BAD_INPUT, "%s%s", lexer_position(lexer->out, at, position),
                     what);
}

static enum status push_token(struct lexer *lexer, enum token_kind kind, size_t from, size_t to) {
    struct lexed *out = lexer->out;
    ASSERT(from <= to && to <= lexer->length);
    if (!arena_reserve(lexer->arena, &out->tokens, out->count, &out->capacity,
                       sizeof out->tokens[0]))
        return STATUS_FULL;
    out->tokens[out->count++] =
        (struct token){kind, (uint32_t)from, lexer->source + from, to - from};
    return STATUS_OK;
}

static bool looking_at(const struct lexer *lexer, size_t at, const char *what) {
    const size_t length = strlen(what);
    return lexer->length - at >= length && memcmp(lexer->source + at, what, length) == 0;
}

static size_t skip_space(const struct lexer *lexer, size_t at) {
    for (size_t used; at < lexer->length; at += used)
        if (!char_is_space(utf8_decode(lexer->source + at, lexer->length - at, &used))) break;
    return at;
}

// Where the white space that ends bytes [from, to) begins.
static size_t strip_end(const struct lexer *lexer, size_t from, size_t to) {
    size_t end = from, used;
    for (size_t at = from; at < to; at += used)
        if (!char_is_space(utf8_decode(lexer->source + at, to - at, &used))) end = at + used;
    return end;
}

// Pushes the text before a tag at `to`, without what the tag's sign or the line rule removes.
static enum status push_text(struct lexer *lexer, size_t from, size_t to, bool line_rule) {
    const char sign = to + 2 < lexer->length ? lexer->source[to + 2] : '\0';
    size_t end = to;
    if (sign == '-') {
        end = strip_end(lexer, from, to);
    } else if (sign != '+' && line_rule) {
        size_t line = to;
        while (line > from && lexer->source[line - 1] != '\n')
            line--;
        if ((line > from || lexer->line_starts) && strip_end(lexer, line, to) == line) end = line;
    }
    return end > from ? push_token(lexer, TOKEN_TEXT, from, end) : STATUS_OK;
}

// Where text continues after a tag that ends at `at`: "-" skips all white space, a block one
// newline.
static size_t after_tag(const struct lexer *lexer, size_t at, char sign, bool newline_rule) {
    if (sign == '-') return skip_space(lexer, at);
    if (sign != '+' && newline_rule && looking_at(lexer, at, "\n")) return at + 1;
    return at;
}

static void move_to(struct lexer *lexer, size_t at) {
    lexer->line_starts = at > 0 && lexer->source[at - 1] == '\n';
    lexer->at = at;
}

static bool is_sign(char c) { return c == '-' || c == '+'; }

static enum status read_comment(struct lexer *lexer, size_t begin) {
    const char *end = memmem(lexer->source + begin + 2, lexer->length - begin - 2, "#}", 2);
    if (!end) return fail_lexing(lexer, begin, "unterminated comment");
    const size_t at = (size_t)(end - lexer->source);
    const char sign = at > begin + 2 && is_sign(end[-1]) ? end[-1] : '\0';
    move_to(lexer, after_tag(lexer, at + 2, sign, true));
    return STATUS_OK;
}

// Is there a tag of nothing but `name` at `at`? *begin_sign and *end_sign are its signs, or 0, and
// *end is where it ends.
static bool find_lone_tag(const struct lexer *lexer, size_t at, const char *name, char *end_sign,
                          size_t *end) {
    if (!looking_at(lexer, at, "{%")) return false;
    at += 2;
    if (at < lexer->length && is_sign(lexer->source[at])) at++;
    at = skip_space(lexer, at);
    if (!looking_at(lexer, at, name)) return false;
    at = skip_space(lexer, at + strlen(name));
    *end_sign = at < lexer->length && is_sign(lexer->source[at]) ? lexer->source[at++] : '\0';
    if (!looking_at(lexer, at, "%}")) return false;
    *end = at + 2;
    return true;
}

static enum status read_raw(struct lexer *lexer, size_t begin, char sign, size_t text) {
    size_t end;
    text = sign == '-' ? skip_space(lexer, text) : text;
    lexer->line_starts = lexer->source[text - 1] == '\n';
    for (size_t at = text; at < lexer->length; at++) {
        if (!find_lone_tag(lexer, at, "endraw", &sign, &end)) continue;
        TRY(push_text(lexer, text, at, true));
        move_to(lexer, after_tag(lexer, end, sign, true));
        return STATUS_OK;
    }
    return fail_lexing(lexer, begin, "unterminated raw block");
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static size_t skip_digits(const struct lexer *lexer, size_t at) {
    while (at < lexer->length && (is_digit(lexer->source[at]) || lexer->source[at] == '_'))
        at++;
    return at;
}

// Skips 12, 0x1f, 1.5 or 1e9; *kind is integer or float.
static size_t skip_number(const struct lexer *lexer, size_t at, enum token_kind *kind) {
    const char *source = lexer->source;
    const size_t begin = at;
    *kind = TOKEN_INTEGER;
    const char mark = at + 1 < lexer->length ? (char)(source[at + 1] | 0x20) : '\0';
    if (source[at] == '0' && (mark == 'x' || mark == 'o' || mark == 'b')) {
        at += 2;
        while (at < lexer->length && (is_digit(source[at]) || is_letter(source[at])))
            at++;
        return at;
    }
    at = skip_digits(lexer, at);
    const bool attribute = begin > 0 && source[begin - 1] == '.';
    if (!attribute && at + 1 < lexer->length && source[at] == '.' && is_digit(source[at + 1])) {
        at = skip_digits(lexer, at + 1);
        *kind = TOKEN_FLOAT;
    }
    size_t power = at;
    if (!attribute && power < lexer->length && (source[power] | 0x20) == 'e') {
        power++;
        if (power < lexer->length && is_sign(source[power])) power++;
        if (power < lexer->length && is_digit(source[power])) {
            at = skip_digits(lexer, power);
            *kind = TOKEN_FLOAT;
        }
    }
    return at;
}

static enum status read_string(struct lexer *lexer) {
    const char quote = lexer->source[lexer->at];
    size_t at = lexer->at + 1;
    while (at < lexer->length && lexer->source[at] != quote)
        at += lexer->source[at] == '\\' ? 2 : 1;
    if (at >= lexer->length) return fail_lexing(lexer, lexer->at, "unterminated string");
    TRY(push_token(lexer, TOKEN_STRING, lexer->at, at + 1));
    lexer->at = at + 1;
    return STATUS_OK;
}

static enum status read_operator(struct lexer *lexer, char closers[NESTING_MOST], size_t *nested) {
    static const char *const twos[] = {"//", "**", "==", "!=", ">=", "<="};
    static const char ones[] = "+-/*%~[](){}><=.:|,;";
    const char c = lexer->source[lexer->at];
    size_t length = 0;
    for (size_t i = 0; i < sizeof twos / sizeof twos[0]; i++)
        if (looking_at(lexer, lexer->at, twos[i])) length = 2;
    if (length == 0 && c && strchr(ones, c)) length = 1;
    if (length == 0) return fail_lexing(lexer, lexer->at, "unexpected character");
    if (c == '(' || c == '[' || c == '{') {
        if (*nested == NESTING_MOST)
            return fail_lexing(lexer, lexer->at, "brackets are nested too deeply");
        closers[(*nested)++] = c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == ')' || c == ']' || c == '}') {
        if (*nested == 0 || closers[--*nested] != c)
            return fail_lexing(lexer, lexer->at, "unmatched closing bracket");
    }
    TRY(push_token(lexer, TOKEN_OPERATOR, lexer->at, lexer->at + length));
    lexer->at += length;
    return STATUS_OK;
}

static enum status read_one(struct lexer *lexer, char closers[NESTING_MOST], size_t *nested) {
    const char c = lexer->source[lexer->at];
    const size_t begin = lexer->at;
    if (c == '\'' || c == '"') return read_string(lexer);
    if (is_digit(c)) {
        enum token_kind kind;
        lexer->at = skip_number(lexer, begin, &kind);
        return push_token(lexer, kind, begin, lexer->at);
    }
    if (!is_letter(c)) return read_operator(lexer, closers, nested);
    while (lexer->at < lexer->length &&
           (is_letter(lexer->source[lexer->at]) || is_digit(lexer->source[lexer->at])))
        lexer->at++;
    return push_token(lexer, TOKEN_NAME, begin, lexer->at);
}

// Reads the tokens of one tag. Within brackets, the tag's end marker does not end it.
static enum status read_tag(struct lexer *lexer, size_t begin, bool block) {
    const char *close = block ? "%}" : "}}";
    char closers[NESTING_MOST];
    size_t nested = 0;
    TRY(push_token(lexer, block ? TOKEN_BLOCK_BEGIN : TOKEN_PRINT_BEGIN, begin, begin + 2));
    lexer->at = begin + 2;
    if (lexer->at < lexer->length && is_sign(lexer->source[lexer->at])) lexer->at++;
    for (;;) {
        lexer->at = skip_space(lexer, lexer->at);
        if (lexer->at >= lexer->length) return fail_lexing(lexer, begin, "unterminated tag");
        const char c = lexer->source[lexer->at];
        const bool sign = c == '-' || (block && c == '+');
        if (nested == 0 && looking_at(lexer, lexer->at + (sign ? 1 : 0), close)) {
            const size_t end = lexer->at + (sign ? 3 : 2);
            TRY(push_token(lexer, block ? TOKEN_BLOCK_END : TOKEN_PRINT_END, lexer->at, end));
            move_to(lexer, after_tag(lexer, end, sign ? c : '\0', block));
            return STATUS_OK;
        }
        TRY(read_one(lexer, closers, &nested));
    }
}

// Reads the text up to the next tag, and the tag.
static enum status read_text_and_tag(struct lexer *lexer) {
    const size_t from = lexer->at;
    size_t tag = from, end;
    char sign;
    while (tag < lexer->length && !looking_at(lexer, tag, "{%") && !looking_at(lexer, tag, "{{") &&
           !looking_at(lexer, tag, "{#"))
        tag++;
    if (tag == lexer->length) {
        lexer->at = tag;
        return tag > from ? push_token(lexer, TOKEN_TEXT, from, tag) : STATUS_OK;
    }
    const char mark = lexer->source[tag + 1];
    TRY(push_text(lexer, from, tag, mark != '{'));
    if (mark == '#') return read_comment(lexer, tag);
    if (mark == '%' && find_lone_tag(lexer, tag, "raw", &sign, &end))
        return read_raw(lexer, tag, sign, end);
    return read_tag(lexer, tag, mark == '%');
}

// Copies the source with \n as the only line end, and without the last one.
static enum status copy_source(struct lexer *lexer, const char *source, size_t length) {
    char *copy = arena_alloc(lexer->arena, length + 1, 1);
    size_t used = 0;
    if (!copy) return STATUS_FULL;
    for (size_t i = 0; i < length; i++) {
        if (source[i] == '\n' && i > 0 && source[i - 1] == '\r') continue;
        copy[used++] = source[i] == '\r' ? '\n' : source[i];
    }
    if (used > 0 && copy[used - 1] == '\n') used--;
    lexer->source = lexer->out->source = copy;
    lexer->length = lexer->out->length = used;
    return STATUS_OK;
}

const char *lexer_position(const struct lexed *lexed, size_t at, char position[POSITION_BYTES]) {
    size_t line = 1, begin = 0;
    for (size_t i = 0; i < at && i < lexed->length; i++) {
        if (lexed->source[i] != '\n') continue;
        line++;
        begin = i + 1;
    }
    const struct chars before = chars_of(lexed->source + begin, at - begin, ORIGIN_TEXT);
    snprintf(position, POSITION_BYTES, "%zu:%zu: ", line, before.count + 1);
    return position;
}

enum status lexer_run(const char *source, size_t length, struct arena *arena, struct lexed *lexed,
                      struct error *err) {
    *lexed = (struct lexed){0};
    struct lexer lexer = {.arena = arena, .out = lexed, .err = err, .line_starts = true};
    size_t bad;
    TRY(copy_source(&lexer, source, length));
    if (!utf8_valid(lexer.source, lexer.length, &bad)) return fail_lexing(&lexer, bad, "not UTF-8");
    while (lexer.at < lexer.length)
        TRY(read_text_and_tag(&lexer));
    return push_token(&lexer, TOKEN_END, lexer.length, lexer.length);
}
