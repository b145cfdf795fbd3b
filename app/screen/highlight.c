#include "app/screen/highlight.h"

#include <string.h>

#include "app/screen/languages.h"

struct place {
    struct highlight *highlight;
    struct wrap *wrap;
    struct text *out;
};

// The rest of the line, as far as it is known.
struct rest {
    const char *text;
    size_t length;
    bool whole;
};

enum found { FOUND, NOT_THERE, NOT_YET }; // NOT_YET: more text decides

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_wordy(char c) { return is_letter(c) || is_digit(c); }

static bool is_blank_or_end(char c) { return c == ' ' || c == '\t' || c == '\0'; }

static enum status put_token(struct place place, unsigned style, const char *bytes, size_t length) {
    if (length == 0) return STATUS_OK;
    place.wrap->style = style;
    place.highlight->last = bytes[length - 1];
    return wrap_append(place.wrap, bytes, length, place.out);
}

// Does the rest begin with this?
static enum found begins(struct rest rest, const char *string) {
    const size_t length = strlen(string), known = length < rest.length ? length : rest.length;
    if (strncmp(rest.text, string, known) != 0) return NOT_THERE;
    if (known == length) return FOUND;
    return rest.whole ? NOT_THERE : NOT_YET;
}

static void open_comment(struct highlight *highlight, const char *close) {
    highlight->close = close;
    highlight->style = WRAP_DIM;
    highlight->escapes = highlight->escaped = false;
    highlight->line_only = !close[0];
}

static void open_string(struct highlight *highlight, const char *quote) {
    highlight->close = quote;
    highlight->style = WRAP_STRING;
    highlight->escapes = !highlight->language->raw;
    highlight->escaped = false;
    highlight->line_only = !language_has_long_string(highlight->language, quote);
}

// The comment or string that begins here: opened, and what opens it.
static enum found find_opening(struct highlight *highlight, struct rest rest,
                               const char **opening) {
    const struct language *language = highlight->language;
    enum found found = NOT_THERE;
    if (language->comment[0]) {
        found = begins(rest, *opening = language->comment[0]);
        if (found == FOUND) open_comment(highlight, language->comment[1]);
    }
    for (size_t i = 0; found == NOT_THERE && i < 2 && language->line_comments[i]; i++) {
        const char *mark = language->line_comments[i];
        const bool apart = *mark == '#' || *mark == ';';
        if (apart && !is_blank_or_end(highlight->last)) continue;
        found = begins(rest, *opening = mark);
        if (found == FOUND) open_comment(highlight, "");
    }
    for (size_t i = 0; found == NOT_THERE && i < LANGUAGE_STRINGS && language->strings[i]; i++) {
        found = begins(rest, *opening = language->strings[i]);
        if (found == FOUND) open_string(highlight, *opening);
    }
    return found;
}

// In a comment or a string: one character, or its end.
static enum status push_inside(struct place place, struct rest rest, size_t *taken) {
    struct highlight *highlight = place.highlight;
    const bool closable = highlight->close[0] && !highlight->escaped;
    const enum found found = closable ? begins(rest, highlight->close) : NOT_THERE;
    *taken = 0;
    if (found == NOT_YET) return STATUS_OK;
    const unsigned style = highlight->style;
    if (found == FOUND) {
        *taken = strlen(highlight->close);
        highlight->close = NULL;
        return put_token(place, style, rest.text, *taken);
    }
    utf8_decode(rest.text, rest.length, taken);
    highlight->escaped = highlight->escapes && !highlight->escaped && rest.text[0] == '\\';
    return put_token(place, style, rest.text, *taken);
}

static size_t word_length(struct rest rest, bool number) {
    size_t at = 1;
    while (at < rest.length && (is_wordy(rest.text[at]) || (number && rest.text[at] == '.')))
        at++;
    return at;
}

// A word or a number, once it is whole.
static enum status push_word(struct place place, struct rest rest, size_t *taken) {
    struct highlight *highlight = place.highlight;
    const bool number = highlight->in_word ? highlight->in_number : is_digit(rest.text[0]);
    const size_t length = word_length(rest, number);
    const bool ends = length < rest.length || rest.whole;
    unsigned style = WRAP_PLAIN;
    *taken = 0;
    if (!ends && !highlight->in_word && length <= HIGHLIGHT_WORD_BYTES) return STATUS_OK;
    const bool rest_of_one = highlight->in_word || length > HIGHLIGHT_WORD_BYTES;
    if (!rest_of_one && number)
        style = WRAP_NUMBER;
    else if (!rest_of_one && language_has_keyword(highlight->language, rest.text, length))
        style = WRAP_KEYWORD;
    highlight->in_word = rest_of_one && !ends;
    highlight->in_number = number;
    *taken = length;
    return put_token(place, style, rest.text, length);
}

static enum status push_one(struct place place, struct rest rest, size_t *taken) {
    struct highlight *highlight = place.highlight;
    const char *opening = NULL;
    if (highlight->close) return push_inside(place, rest, taken);
    const bool point = highlight->in_word && highlight->in_number && rest.text[0] == '.';
    if (is_wordy(rest.text[0]) || point) return push_word(place, rest, taken);
    highlight->in_word = false;
    *taken = 0;
    switch (find_opening(highlight, rest, &opening)) {
    case NOT_YET:
        return STATUS_OK;
    case FOUND:
        *taken = strlen(opening);
        return put_token(place, highlight->style, rest.text, *taken);
    case NOT_THERE:
        break;
    }
    if (rest.text[0] == '#') return push_word(place, rest, taken);
    *taken = 1;
    return put_token(place, WRAP_PLAIN, rest.text, 1);
}

void highlight_begin(struct highlight *highlight, const char *name, size_t length) {
    *highlight = (struct highlight){.language = language_find(name, length)};
}

enum status highlight_append(struct highlight *highlight, struct wrap *wrap, const char *text,
                             size_t length, bool whole, struct text *out, size_t *taken) {
    const struct place place = {highlight, wrap, out};
    size_t some = 1;
    *taken = 0;
    if (!highlight->language) {
        *taken = length;
        return put_token(place, WRAP_PLAIN, text, length);
    }
    while (*taken < length && some > 0) {
        const struct rest rest = {text + *taken, length - *taken, whole};
        TRY(push_one(place, rest, &some));
        *taken += some;
    }
    if (!whole) return STATUS_OK;
    if (highlight->close && highlight->line_only) highlight->close = NULL;
    highlight->in_word = highlight->escaped = false;
    highlight->last = '\0';
    return STATUS_OK;
}

void highlight_release(struct highlight *highlight) {
    highlight->in_word = true;
    highlight->in_number = false;
}
