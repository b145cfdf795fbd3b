// engine/grammar/schema_string.c — strings: lengths, formats, and patterns as grammar rules.
//
// The regular part of ECMA-262's expressions and GBNF are nearly the same notation, so a pattern is
// translated from left to right without a tree. Three things differ:
//
//   - A grammar describes the JSON text, a pattern the string in it. A character that JSON writes
//     with an escape becomes that escape (put_set): [a"] is ([a] | "\\\""). Characters that could
//     only be written as \u00XX are left out, which makes the grammar narrower, never wider.
//   - A pattern matches anywhere: "char*" goes before and after each outermost alternative, unless
//     ^ or $ binds it there (read_sequence). Within a group, ^ and $ are refused.
//   - \d, \w, \s and . are sets of ECMA-262; they are spelled out.
//
// A pattern together with a length would have to hold at the same time, and a grammar has no "and".
// Only ^x*$ and ^x+$ are supported, where the length can become the repetition: ^[a-z]+$ with a
// maxLength of 8 is [a-z]{1,8} (read_bounded). Formats are of ASCII, so a format can be
// multiplied with the keywords next to it (schema_product.c); there, a pattern may begin with
// lookaheads.
#include <string.h>

#include "engine/grammar/schema_parts.h"

enum { PATTERN_MAX_DEPTH = 32 };

// ---- formats

// Written so that every text is one: no 29th of February.
#define TWO_DIGITS_OF_A_DAY "([01] [0-9] | \"2\" [0-3])"
#define DATE                                                                                      \
    "[0-9]{4} \"-\" ((\"0\" [13578] | \"1\" [02]) \"-\" (\"0\" [1-9] | [12] [0-9] | \"3\" [01]) " \
    "| "                                                                                          \
    "(\"0\" [469] | \"11\") \"-\" (\"0\" [1-9] | [12] [0-9] | \"30\") | "                         \
    "\"02-\" (\"0\" [1-9] | \"1\" [0-9] | \"2\" [0-8]))"
#define TIME                                                                        \
    TWO_DIGITS_OF_A_DAY " \":\" [0-5] [0-9] \":\" [0-5] [0-9] (\".\" [0-9]{1,9})? " \
                        "(\"Z\" | [-+] " TWO_DIGITS_OF_A_DAY " \":\" [0-5] [0-9])"
#define BYTE "(\"25\" [0-5] | \"2\" [0-4] [0-9] | \"1\" [0-9] [0-9] | [1-9]? [0-9])"
#define TIME_SPAN                                                                           \
    "(\"T\" [0-9]{1,4} (\"H\" ([0-9]{1,4} \"M\" ([0-9]{1,4} \"S\")?)? | \"M\" ([0-9]{1,4} " \
    "\"S\")? | \"S\"))"
#define IN_URI      "([-a-zA-Z0-9._~!$&'()*+,;=:@/] | \"%\" hex hex)"
#define BASE64      "[a-zA-Z0-9+/]"
#define LABEL       "[a-zA-Z0-9] (\"-\"? [a-zA-Z0-9]){0,30}"
#define BRIEF_LABEL "[a-zA-Z0-9] (\"-\"? [a-zA-Z0-9]){0,11}" // 23 bytes

// `brief`: fewer strings, of at most brief_most bytes, for a schema with a maxLength: counting the
// length of all would take too many states.
static const struct format {
    const char *name, *gbnf, *brief;
    int32_t brief_most;
} FORMATS[] = {
    {.name = "date", .gbnf = DATE},
    {.name = "time", .gbnf = TIME},
    {.name = "date-time", .gbnf = DATE " \"T\" " TIME},
    {.name = "uuid", .gbnf = "hex{8} \"-\" hex{4} \"-\" hex{4} \"-\" hex{4} \"-\" hex{12}"},
    {.name = "ipv4", .gbnf = BYTE " (\".\" " BYTE "){3}"},
    {.name = "ipv6", .gbnf = "hex{1,4} (\":\" hex{1,4}){7}"},
    {.name = "uri",
     .gbnf = "[a-zA-Z] [-+.a-zA-Z0-9]{0,15} \"://\" " LABEL " (\".\" " LABEL "){0,5} "
             "(\":\" [0-9]{1,5})? (\"/\" " IN_URI "*)? (\"?\" " IN_URI "*)? (\"#\" " IN_URI "*)?",
     .brief = "[a-zA-Z] [-+.a-zA-Z0-9]{0,7} \"://\" " BRIEF_LABEL " (\".\" " BRIEF_LABEL "){0,2} "
              "(\":\" [0-9]{1,5})? (\"/\" " IN_URI "{0,50})?",
     .brief_most = 8 + 3 + 23 + 2 * 24 + 6 + 1 + 50 * 3},
    {.name = "duration", .gbnf = "\"P\" ([0-9]{1,6} \"D\" " TIME_SPAN "? | " TIME_SPAN ")"},
    {.name = "byte",
     .gbnf =
         "(" BASE64 "{4})* (" BASE64 " [AQgw] \"==\" | " BASE64 "{2} [AEIMQUYcgkosw048] \"=\")?"},
    {.name = "hostname",
     .gbnf = LABEL " (\".\" " LABEL "){0,3}",
     .brief = BRIEF_LABEL " (\".\" " BRIEF_LABEL "){0,2}",
     .brief_most = 23 + 2 * 24},
    {.name = "email",
     .gbnf = "[a-zA-Z0-9] ([-._+]? [a-zA-Z0-9]){0,31} \"@\" " LABEL " (\".\" " LABEL "){1,3}",
     .brief = "[a-zA-Z0-9] ([-._+]? [a-zA-Z0-9]){0,15} \"@\" " BRIEF_LABEL " \".\" " BRIEF_LABEL,
     .brief_most = 1 + 15 * 2 + 1 + 23 + 1 + 23},
};

static const struct format *find_format(const cJSON *format) {
    for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; i++)
        if (cJSON_IsString(format) && strcmp(format->valuestring, FORMATS[i].name) == 0)
            return &FORMATS[i];
    return NULL;
}

static enum status refuse_format(struct compiler *compiler, const cJSON *format, bool has_pattern) {
    const char *name = cJSON_IsString(format) ? format->valuestring : "?";
    return schema_refuse(compiler, STATUS_UNSUPPORTED, "\"format\": \"%.40s\" is not supported%s",
                         name, has_pattern ? "; without it, \"pattern\" alone decides" : "");
}

static enum status add_length(int32_t least, int32_t most, struct text *out) {
    if (most < 0) return text_format(out, "\"\\\"\" char{%d,} \"\\\"\"", least);
    if (most < least) return text_append_string(out, "never");
    return text_format(out, "\"\\\"\" char{%d,%d} \"\\\"\"", least, most);
}

// ---- a format together with a pattern or a length

struct several { // that must all fit
    struct schema_expression parts[SCHEMA_MAX_PARTS];
    size_t count;
};

// The length of the group that the text begins with, or of an unclosed one, all of it.
static size_t group_length(const char *text) {
    size_t at = 0;
    int depth = 0;
    bool class = false;
    for (; text[at]; at++) {
        if (text[at] == '\\' && text[at + 1])
            at++;
        else if (class)
            class = text[at] != ']';
        else if (text[at] == '[')
            class = true;
        else if (text[at] == '(')
            depth++;
        else if (text[at] == ')' && --depth == 0)
            return at + 1;
    }
    return at;
}

static bool has_alternatives(const char *text) {
    for (bool class = false; *text; text++) {
        if (*text == '\\' && text[1])
            text++;
        else if (class)
            class = *text != ']';
        else if (*text == '[')
            class = true;
        else if (*text == '(')
            text += group_length(text) - 1;
        else if (*text == '|')
            return true;
    }
    return false;
}

// The pattern, and each lookahead that it begins with as an expression of its own: ^(?!a)(?=b)c is
// ^c, ^(?:b), and not ^(?:a).
static enum status add_pattern(struct compiler *compiler, const char *pattern,
                               struct several *several) {
    struct text one = {0};
    const char *at = pattern + (*pattern == '^');
    const bool splits = *pattern == '^' && !has_alternatives(at);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && splits && at[0] == '(' && at[1] == '?' &&
           (at[2] == '!' || at[2] == '=') && several->count < SCHEMA_MAX_PARTS - 2) {
        struct schema_expression *part = &several->parts[several->count++];
        const size_t length = group_length(at);
        part->excluded = at[2] == '!';
        text_clear(&one);
        status = text_append_string(&one, "^(?:");
        if (status == STATUS_OK) status = text_append(&one, at + 3, length - 3);
        if (status == STATUS_OK)
            status = schema_pattern(compiler, one.bytes, 0, -1, &part->expression);
        at += length;
    }
    text_clear(&one);
    if (status == STATUS_OK) status = text_append_string(&one, splits ? "^" : "");
    if (status == STATUS_OK) status = text_append_string(&one, splits ? at : pattern);
    if (status == STATUS_OK)
        status = schema_pattern(compiler, text_string(&one), 0, -1,
                                &several->parts[several->count++].expression);
    text_deinit(&one);
    return status;
}

static enum status add_together(struct compiler *compiler, const struct format *format,
                                const cJSON *pattern, int32_t least, int32_t most,
                                struct text *out) {
    struct several several = {.count = 1};
    const bool brief = format->brief && most >= 0 && least <= format->brief_most;
    enum status status = text_format(&several.parts[0].expression, "\"\\\"\" %s \"\\\"\"",
                                     brief ? format->brief : format->gbnf);
    if (brief && most >= format->brief_most) most = -1;
    if (status == STATUS_OK && pattern)
        status = add_pattern(compiler, pattern->valuestring, &several);
    if (status == STATUS_OK && (least > 0 || most >= 0))
        status = add_length(least, most, &several.parts[several.count++].expression);
    if (status == STATUS_OK) status = schema_product(compiler, several.parts, several.count, out);
    for (size_t i = 0; i < several.count; i++)
        text_deinit(&several.parts[i].expression);
    return status;
}

enum status schema_string(struct compiler *compiler, const cJSON *schema, struct text *out) {
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(schema, "format");
    const cJSON *pattern = cJSON_GetObjectItemCaseSensitive(schema, "pattern");
    int32_t least, most;
    TRY(schema_count(compiler, schema, "minLength", 0, &least));
    TRY(schema_count(compiler, schema, "maxLength", -1, &most));
    const bool bounded = least > 0 || most >= 0;
    if (pattern && !cJSON_IsString(pattern))
        return schema_refuse(compiler, STATUS_BAD_INPUT, "\"pattern\" must be a string");
    if (cJSON_IsString(format) && strcmp(format->valuestring, "password") == 0)
        format = NULL; // says how it is shown
    const struct format *known = find_format(format);
    if (format && !known) return refuse_format(compiler, format, pattern != NULL);
    if (known && (pattern || bounded))
        return add_together(compiler, known, pattern, least, most, out);
    if (known) return text_format(out, "\"\\\"\" %s \"\\\"\"", known->gbnf);
    if (pattern) return schema_pattern(compiler, pattern->valuestring, least, most, out);
    return add_length(least, most, out);
}

// ---- patterns: the regular part of ECMA-262's expressions

struct pattern {
    struct compiler *compiler;
    const char *start, *at;
    struct text *out;
    int depth;
};

static enum status refuse_pattern(struct pattern *pattern, const char *what) {
    return schema_refuse(pattern->compiler, STATUS_UNSUPPORTED,
                         "\"pattern\": %s at offset %d is not supported", what,
                         (int)(pattern->at - pattern->start));
}

// One character of the set as it stands in JSON: those that JSON writes with an escape, with it.
static enum status put_set(struct pattern *pattern, const struct character_set *set) {
    static const char SPECIAL[] = "\"\\\n\r\t\f\b", WRITTEN[] = "\"\\nrtfb";
    struct text *out = pattern->out;
    TRY(text_append_string(out, "(["));
    for (int32_t i = 0; i < set->count; i++)
        for (uint32_t first = set->ranges[i].first, last; first <= set->ranges[i].last;) {
            const bool plain = first >= ' ' && first != '"' && first != '\\';
            last = set->ranges[i].last;
            if (first < '"' && last >= '"') last = '"' - 1;
            if (first < '\\' && last >= '\\') last = '\\' - 1;
            if (!plain) last = first;
            if (plain) TRY(text_format(out, "\\U%08X-\\U%08X", first, last));
            first = last + 1;
        }
    TRY(text_append_string(out, "]"));
    for (size_t i = 0; SPECIAL[i]; i++) {
        const uint32_t character = (unsigned char)SPECIAL[i];
        bool has = false;
        for (int32_t j = 0; j < set->count; j++)
            has = has || (set->ranges[j].first <= character && character <= set->ranges[j].last);
        if (has) TRY(text_format(out, " | \"\\\\\\U%08X\"", (unsigned char)WRITTEN[i]));
    }
    return text_append_string(out, ")");
}

static const char DIGIT[] = "\x30\x39", WORD[] = "\x30\x39\x41\x5A\x5F\x5F\x61\x7A";

// \d, \w, \s and their opposites.
static bool add_kind(char kind, struct character_set *set) {
    static const uint32_t SPACES[][2] = {
        {9, 13},          {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
        {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
    struct character_set own = {0};
    const char lower = (char)(kind | 0x20);
    const char *ranges = lower == 'd' ? DIGIT : lower == 'w' ? WORD : "";
    if (lower != 'd' && lower != 'w' && lower != 's') return false;
    for (; *ranges; ranges += 2)
        character_set_add(&own, (unsigned char)ranges[0], (unsigned char)ranges[1]);
    for (size_t i = 0; i < sizeof SPACES / sizeof SPACES[0] && lower == 's'; i++)
        character_set_add(&own, SPACES[i][0], SPACES[i][1]);
    if (kind != lower) character_set_negate(&own);
    for (int32_t i = 0; i < own.count; i++)
        if (!character_set_add(set, own.ranges[i].first, own.ranges[i].last)) return false;
    return true;
}

static bool read_hex(struct pattern *pattern, int digits, uint32_t *character) {
    uint32_t value = 0;
    for (int i = 0; i < digits; i++, pattern->at++) {
        static const char HEX[] = "0123456789abcdef";
        const char c = *pattern->at;
        const char lower = c >= 'A' && c <= 'F' ? (char)(c | 0x20) : c;
        const char *digit = lower ? strchr(HEX, lower) : NULL;
        if (!digit) return false;
        value = value << 4 | (uint32_t)(digit - HEX);
    }
    *character = value;
    return value > 0;
}

// The character at a pattern's place, escapes undone. False: it is none that is understood.
static bool read_character(struct pattern *pattern, uint32_t *character) {
    static const char LETTERS[] = "nrtfv", MEANT[] = "\n\r\t\f\v";
    size_t used;
    if (*pattern->at != '\\') {
        *character = utf8_decode(pattern->at, strlen(pattern->at), &used);
        pattern->at += used;
        return true;
    }
    const char escape = pattern->at[1];
    if (!escape) return false;
    pattern->at += 2;
    const char *letter = strchr(LETTERS, escape);
    *character = letter ? (unsigned char)MEANT[letter - LETTERS] : (unsigned char)escape;
    if (escape == 'x') return read_hex(pattern, 2, character);
    if (escape == 'u') return read_hex(pattern, 4, character);
    return letter || strchr("^$\\.*+?()[]{}|/-\"'#&,:;<=>@!%_`~ ", escape);
}

static enum status read_class(struct pattern *pattern) {
    struct character_set set = {0};
    const bool negated = pattern->at[1] == '^';
    bool fits = true;
    pattern->at += negated ? 2 : 1;
    while (*pattern->at != ']') {
        uint32_t first, last;
        if (!*pattern->at) return refuse_pattern(pattern, "an unclosed [");
        if (*pattern->at == '\\' && add_kind(pattern->at[1], &set)) {
            pattern->at += 2;
            continue;
        }
        if (!read_character(pattern, &first)) return refuse_pattern(pattern, "this escape");
        last = first;
        if (pattern->at[0] == '-' && pattern->at[1] && pattern->at[1] != ']') {
            pattern->at++;
            if (!read_character(pattern, &last) || last < first)
                return refuse_pattern(pattern, "this range");
        }
        fits = fits && character_set_add(&set, first, last);
    }
    pattern->at++;
    if (!fits) return refuse_pattern(pattern, "such a large character class");
    if (negated) character_set_negate(&set);
    return put_set(pattern, &set);
}

static enum status read_choice(struct pattern *pattern);

static enum status read_group(struct pattern *pattern) {
    if (pattern->at[1] == '?' && pattern->at[2] != ':')
        return refuse_pattern(pattern, "a lookaround or a named group");
    pattern->at += pattern->at[1] == '?' ? 3 : 1;
    if (++pattern->depth > PATTERN_MAX_DEPTH)
        return refuse_pattern(pattern, "such a deeply nested group");
    TRY(text_append_string(pattern->out, "("));
    TRY(read_choice(pattern));
    if (*pattern->at != ')') return refuse_pattern(pattern, "an unclosed (");
    pattern->at++;
    pattern->depth--;
    return text_append_string(pattern->out, ")");
}

static enum status read_atom(struct pattern *pattern) {
    struct character_set set = {0};
    uint32_t character;
    const char c = *pattern->at;
    if (c == '(') return read_group(pattern);
    if (c == '[') return read_class(pattern);
    if (strchr("*+?{}])^$", c)) return refuse_pattern(pattern, "this character");
    if (c == '.') { // all but the ends of lines
        const uint32_t ends[] = {'\n', '\r', 0x2028, 0x2029};
        for (size_t i = 0; i < 4; i++)
            character_set_add(&set, ends[i], ends[i]);
        character_set_negate(&set);
        pattern->at++;
        return put_set(pattern, &set);
    }
    if (c == '\\' && add_kind(pattern->at[1], &set)) {
        pattern->at += 2;
        return put_set(pattern, &set);
    }
    if (!read_character(pattern, &character)) return refuse_pattern(pattern, "this escape");
    character_set_add(&set, character, character);
    return put_set(pattern, &set);
}

// * + ? and {…} are written alike in both; a lazy one matches the same texts.
static enum status read_repeat(struct pattern *pattern) {
    const char *at = pattern->at;
    if (*at && strchr("*+?", *at)) {
        TRY(text_append(pattern->out, at, 1));
        pattern->at++;
    } else if (*at == '{') {
        const size_t length = strspn(at + 1, "0123456789,");
        if (length == 0 || at[1] == ',' || at[1 + length] != '}')
            return refuse_pattern(pattern, "this repetition");
        TRY(text_append(pattern->out, at, length + 2));
        pattern->at += length + 2;
    } else {
        return STATUS_OK;
    }
    if (*pattern->at == '?') pattern->at++;
    if (*pattern->at && strchr("*+{", *pattern->at))
        return refuse_pattern(pattern, "a second repetition");
    return STATUS_OK;
}

// At the outermost level ^ and $ bind an alternative to the text's ends; without them, anything may
// stand there.
static enum status read_sequence(struct pattern *pattern) {
    const bool outer = pattern->depth == 0;
    if (outer && *pattern->at == '^')
        pattern->at++;
    else if (outer)
        TRY(text_append_string(pattern->out, "char* "));
    TRY(text_append_string(pattern->out, "\"\""));
    while (*pattern->at && *pattern->at != '|' && *pattern->at != ')') {
        if (outer && *pattern->at == '$' && (!pattern->at[1] || pattern->at[1] == '|')) {
            pattern->at++;
            return STATUS_OK;
        }
        TRY(text_append_string(pattern->out, " "));
        TRY(read_atom(pattern));
        TRY(read_repeat(pattern));
    }
    return outer ? text_append_string(pattern->out, " char*") : STATUS_OK;
}

static enum status read_choice(struct pattern *pattern) {
    for (;;) {
        TRY(read_sequence(pattern));
        if (*pattern->at != '|') return STATUS_OK;
        pattern->at++;
        TRY(text_append_string(pattern->out, " | "));
    }
}

// ^x+$ and ^x*$, where x is one character: the repetition takes the bounds.
static enum status read_bounded(struct pattern *pattern, int32_t least, int32_t most) {
    const bool alone = *pattern->at == '^' && pattern->at[1] && pattern->at[1] != '(';
    if (alone) pattern->at++;
    if (alone) TRY(read_atom(pattern));
    const bool some = strcmp(pattern->at, "+$") == 0;
    if (!alone || (!some && strcmp(pattern->at, "*$") != 0))
        return schema_refuse(pattern->compiler, STATUS_UNSUPPORTED,
                             "\"pattern\" and \"%s\" together are not supported unless the pattern "
                             "repeats one character, like ^[a-z]+$",
                             least > 0 ? "minLength" : "maxLength");
    pattern->at += 2;
    if (some && least == 0) least = 1;
    if (most < 0) return text_format(pattern->out, "{%d,}", least);
    if (most < least) return text_append_string(pattern->out, " never");
    return text_format(pattern->out, "{%d,%d}", least, most);
}

enum status schema_pattern(struct compiler *compiler, const char *text, int32_t least, int32_t most,
                           struct text *out) {
    struct pattern pattern = {.compiler = compiler, .start = text, .at = text, .out = out};
    TRY(text_append_string(out, "\"\\\"\" ("));
    TRY(least > 0 || most >= 0 ? read_bounded(&pattern, least, most) : read_choice(&pattern));
    if (*pattern.at) return refuse_pattern(&pattern, "an unmatched )");
    return text_append_string(out, ") \"\\\"\"");
}
