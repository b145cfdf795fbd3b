// app/screen/history_search.c — the incremental search behind ^R and ^S.
//
// Readline 8.2 compares bytes, so it cannot fold the case of letters beyond ASCII. Here the typed
// words are compared with each entry code point by code point, with case folded unless a capital
// was typed. A pasted character that stands for "@" or "/" (verbatim.h) matches what it looks like.
//
// A typed character continues from the current entry, so it narrows the match without leaving an
// entry that still fits; Backspace starts over from the newest. ^R and ^S go to the next entry with
// another text, and stay where they are if no further entry matches. If a typed character leaves no
// match, no entry is found, and Enter ends the search without replacing the line.
#include "app/screen/history_search.h"

#include <string.h>
#include <wctype.h>

// After <stdio.h>: Readline's headers use FILE.
#include <readline/history.h>

#include "app/base/clusters.h"
#include "app/base/verbatim.h"
#include "kernels/base/text.h"

enum {
    NONE = -1,
    CANCEL = 'C' & 0x1F,
    ABORT = 'G' & 0x1F,
    BACKSPACE = 'H' & 0x1F,
    NEWLINE = '\n',
    RETURN = '\r',
    OLDER = 'R' & 0x1F,
    NEWER = 'S' & 0x1F,
    CLEAR = 'U' & 0x1F,
    DELETE = 127,
};

static struct {
    bool on, newer;
    struct text words, prompt;
    struct text last_words; // of the search before: ^R ^R looks for them again
    int entry;              // NONE: there is none with the words
    size_t at;
} search;

static const char *entry_text(int entry) {
    const HIST_ENTRY *found = history_get(history_base + entry);
    return found ? found->line : "";
}

static bool has_capital(const struct text *words) {
    for (size_t at = 0, used; at < words->length; at += used)
        if (iswupper((wint_t)utf8_decode(words->bytes + at, words->length - at, &used)))
            return true;
    return false;
}

// What was pasted is found by what it looks like.
static uint32_t letter(const char *bytes, size_t length, bool folds, size_t *used) {
    const uint32_t code_point = utf8_decode(bytes, length, used);
    const char meant = verbatim_character(code_point);
    if (meant) return (uint32_t)(unsigned char)meant;
    return folds ? (uint32_t)towlower((wint_t)code_point) : code_point;
}

static bool begins_with_words(const char *text, size_t length, bool folds) {
    const struct text *words = &search.words;
    size_t in_text = 0, in_words = 0, used, used_of_words;
    while (in_words < words->length && in_text < length) {
        if (letter(text + in_text, length - in_text, folds, &used) !=
            letter(words->bytes + in_words, words->length - in_words, folds, &used_of_words))
            return false;
        in_text += used;
        in_words += used_of_words;
    }
    return in_words == words->length;
}

static bool has_words(int entry, size_t *found) {
    const char *text = entry_text(entry);
    const size_t length = strlen(text);
    const bool folds = !has_capital(&search.words);
    for (size_t at = 0, used; at < length; at += used) {
        utf8_decode(text + at, length - at, &used);
        if (!begins_with_words(text + at, length - at, folds)) continue;
        *found = at;
        return true;
    }
    return false;
}

// Searches from `entry` on, including it. False: no match, and the previous one stays.
static bool find_from(int entry) {
    for (; entry >= 0 && entry < history_length; entry += search.newer ? 1 : -1)
        if (has_words(entry, &search.at)) {
            search.entry = entry;
            return true;
        }
    return false;
}

static int first_entry(void) { return search.newer ? 0 : history_length - 1; }

static void find_again(int from) {
    search.entry = NONE;
    if (search.words.length > 0) find_from(from);
}

// The next one that is not the same text.
static void find_next(void) {
    const int before = search.entry;
    if (search.words.length == 0) {
        const enum status ignored =
            text_append(&search.words, text_string(&search.last_words), search.last_words.length);
        (void)ignored;
    }
    if (before == NONE) {
        find_again(first_entry());
        return;
    }
    int entry = before;
    do
        entry += search.newer ? 1 : -1;
    while (entry >= 0 && entry < history_length &&
           strcmp(entry_text(entry), entry_text(before)) == 0);
    find_from(entry);
}

bool history_search_is_on(void) { return search.on; }

void history_search_begin(bool newer) {
    search.newer = newer;
    if (search.on) {
        find_next();
        return;
    }
    search.on = true;
    search.entry = NONE;
}

static void take_back(void) {
    struct text *words = &search.words;
    words->length = cluster_backspace(text_string(words), words->length, words->length);
    if (words->bytes) words->bytes[words->length] = '\0';
    find_again(first_entry());
}

static void append(char byte) {
    const int from = search.words.length ? search.entry : first_entry();
    if (text_append(&search.words, &byte, 1) != STATUS_OK ||
        utf8_incomplete_tail(search.words.bytes, search.words.length) > 0)
        return;
    find_again(from);
}

static enum history_search_answer press_byte(char byte) {
    switch (byte) {
    case OLDER:
    case NEWER:
        history_search_begin(byte == NEWER);
        return SEARCH_CONTINUES;
    case BACKSPACE:
    case DELETE:
        take_back();
        return SEARCH_CONTINUES;
    case CLEAR:
        text_clear(&search.words);
        search.entry = NONE;
        return SEARCH_CONTINUES;
    case ABORT:
        search.entry = NONE;
        return SEARCH_ENDS;
    case CANCEL:
        search.entry = NONE;
        return SEARCH_ENDS_BEFORE_KEY;
    case NEWLINE:
    case RETURN:
        return search.entry == NONE ? SEARCH_ENDS : SEARCH_ENDS_BEFORE_KEY;
    }
    if (byte >= 0 && byte < ' ') return SEARCH_ENDS_BEFORE_KEY;
    append(byte);
    return SEARCH_CONTINUES;
}

enum history_search_answer history_search_press(const struct key *key) {
    if (key->kind == KEY_BYTES && key->length == 1) return press_byte(key->bytes[0]);
    return key->kind == KEY_SEQUENCE && key->code == KEY_ESCAPE ? SEARCH_ENDS
                                                                : SEARCH_ENDS_BEFORE_KEY;
}

const char *history_search_prompt(void) {
    text_clear(&search.prompt);
    const bool failed = search.entry == NONE && search.words.length > 0;
    const enum status ignored =
        text_format(&search.prompt, "(%s%si-search)`%s': ", failed ? "failed " : "",
                    search.newer ? "" : "reverse-", text_string(&search.words));
    (void)ignored;
    return text_string(&search.prompt);
}

const char *history_search_entry(size_t *at) {
    if (search.entry == NONE) return NULL;
    *at = search.at;
    return entry_text(search.entry);
}

int history_search_end(void) {
    const int entry = search.on ? search.entry : NONE;
    if (search.words.length > 0) {
        text_deinit(&search.last_words);
        search.last_words = search.words;
        search.words = (struct text){0};
    }
    search.on = false;
    search.entry = NONE;
    return entry;
}
