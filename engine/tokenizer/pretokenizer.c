#include "engine/tokenizer/pretokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/pretokenizer_names.h"
#include "kernels/base/assert.h"

enum { NAME_BYTES = 32 };

struct cut_step {
    struct expression *expression;
    enum cut_kind kind;
    bool inverted;
};

struct pretokenizer {
    char name[NAME_BYTES];
    bool ignores_merges, adds_bos;
    struct cut_step steps[PRETOKENIZER_MAX_STEPS];
    size_t count;
};

// A piece of the step before, and where this step is in it. Offsets are of the text.
struct level {
    size_t begin, end; // the piece
    size_t at;         // up to where it is cut
    size_t search;     // from where the next match is looked for; above `at` behind an empty match
    size_t match_begin, match_end; // a match that is found and not yet passed on
    bool has_match;
};

struct segment {
    size_t begin, end;
    bool match;
};

struct pretokenizer_walk {
    const struct pretokenizer *pretokenizer;
    struct expression_match *match;
    const char *bytes;
    size_t length;
    size_t valid; // bytes[run..valid) is well-formed
    struct level levels[PRETOKENIZER_MAX_STEPS];
};

enum status pretokenizer_create(struct pretokenizer **pretokenizer) {
    struct pretokenizer *created = calloc(1, sizeof *created);
    if (!created) return STATUS_NO_MEMORY;
    *pretokenizer = created;
    return STATUS_OK;
}

enum status pretokenizer_add(struct pretokenizer *pretokenizer, struct expression *expression,
                             enum cut_kind kind, bool inverted, struct error *err) {
    if (pretokenizer->count == PRETOKENIZER_MAX_STEPS) {
        expression_destroy(expression);
        return error_set(err, STATUS_UNSUPPORTED, "the pre-tokenizer has more than %d steps",
                         PRETOKENIZER_MAX_STEPS);
    }
    ASSERT(pretokenizer->count < PRETOKENIZER_MAX_STEPS);
    pretokenizer->steps[pretokenizer->count++] = (struct cut_step){expression, kind, inverted};
    return STATUS_OK;
}

static enum status add_expression(struct pretokenizer *pretokenizer, const char *pattern,
                                  struct error *err) {
    struct expression *expression;
    TRY(expression_create(pattern, strlen(pattern), false, "pre-tokeniser", &expression, err));
    return pretokenizer_add(pretokenizer, expression, CUT_ISOLATED, false, err);
}

enum status pretokenizer_add_words(struct pretokenizer *pretokenizer, struct error *err) {
    return add_expression(pretokenizer, pretokenizer_words, err);
}

enum status pretokenizer_open(struct gguf_string name, struct pretokenizer **pretokenizer,
                              struct error *err) {
    const struct pretokenizer_row *row = pretokenizer_find_row(name);
    if (!row)
        return error_set(err, STATUS_UNSUPPORTED, "pre-tokenizer \"%.*s\" is not supported",
                         (int)(name.length < 64 ? name.length : 64), name.bytes);
    struct pretokenizer *opened;
    TRY(pretokenizer_create(&opened));
    opened->ignores_merges = row->ignores_merges;
    opened->adds_bos = row->adds_bos;
    if (name.length)
        snprintf(opened->name, sizeof opened->name, "%.*s", (int)name.length, name.bytes);
    else
        snprintf(opened->name, sizeof opened->name, "default");
    enum status status = STATUS_OK;
    for (size_t i = 0; i < PRETOKENIZER_ROW_STEPS && row->steps[i] && status == STATUS_OK; i++)
        status = add_expression(opened, row->steps[i], err);
    if (status != STATUS_OK)
        pretokenizer_close(opened);
    else
        *pretokenizer = opened;
    return status;
}

void pretokenizer_close(struct pretokenizer *pretokenizer) {
    if (!pretokenizer) return;
    ASSERT(pretokenizer->count <= PRETOKENIZER_MAX_STEPS);
    for (size_t i = 0; i < pretokenizer->count; i++)
        expression_destroy(pretokenizer->steps[i].expression);
    free(pretokenizer);
}

const char *pretokenizer_name(const struct pretokenizer *pretokenizer) {
    return pretokenizer->name;
}

bool pretokenizer_is_empty(const struct pretokenizer *pretokenizer) {
    return pretokenizer->count == 0;
}

bool pretokenizer_ignores_merges(const struct pretokenizer *pretokenizer) {
    return pretokenizer->ignores_merges;
}

bool pretokenizer_adds_bos(const struct pretokenizer *pretokenizer) {
    return pretokenizer->adds_bos;
}

enum status pretokenizer_walk_create(const struct pretokenizer *pretokenizer,
                                     struct pretokenizer_walk **walk) {
    struct pretokenizer_walk *created = calloc(1, sizeof *created);
    if (!created) return STATUS_NO_MEMORY;
    created->pretokenizer = pretokenizer;
    const enum status status = expression_match_create(&created->match);
    if (status != STATUS_OK)
        free(created);
    else
        *walk = created;
    return status;
}

void pretokenizer_walk_destroy(struct pretokenizer_walk *walk) {
    if (!walk) return;
    expression_match_destroy(walk->match);
    free(walk);
}

static void level_start(struct level *level, size_t begin, size_t end) {
    ASSERT(begin <= end);
    *level = (struct level){.begin = begin, .end = end, .at = begin, .search = begin};
}

void pretokenizer_walk_start(struct pretokenizer_walk *walk, const char *bytes, size_t length) {
    walk->bytes = bytes;
    walk->length = length;
    walk->valid = 0;
    for (size_t i = 0; i < PRETOKENIZER_MAX_STEPS; i++)
        level_start(&walk->levels[i], 0, 0);
}

// Finds the level's next match. An empty match at a position that is already cut is ignored.
static enum status find_match(struct pretokenizer_walk *walk, size_t step) {
    ASSERT(step < walk->pretokenizer->count);
    struct level *level = &walk->levels[step];
    const char *piece = walk->bytes + level->begin;
    const size_t length = level->end - level->begin;
    bool found = level->search <= level->end;
    while (found) {
        size_t begin, end;
        TRY(expression_find(walk->pretokenizer->steps[step].expression, walk->match, piece, length,
                            level->search - level->begin, &found, &begin, &end));
        if (!found) break;
        level->match_begin = level->begin + begin;
        level->match_end = level->begin + end;
        level->search = level->match_end;
        if (begin < end) break;
        if (level->match_end >= level->end) {
            found = false;
            break;
        }
        size_t used;
        utf8_decode(piece + end, length - end, &used);
        level->search += used;
        if (level->match_begin > level->at) break;
    }
    level->has_match = found;
    if (!found) level->match_begin = level->match_end = level->end;
    return STATUS_OK;
}

// The next match or stretch between two of the level's piece; an empty one at its end. An empty
// match ends a stretch and is none itself.
static enum status next_segment(struct pretokenizer_walk *walk, size_t step,
                                struct segment *segment) {
    struct level *level = &walk->levels[step];
    ASSERT(step < walk->pretokenizer->count && level->at <= level->end);
    if (!level->has_match && level->at < level->end) TRY(find_match(walk, step));
    const bool inverted = walk->pretokenizer->steps[step].inverted;
    segment->begin = level->at;
    if (level->has_match && level->at == level->match_begin) {
        segment->end = level->match_end;
        segment->match = !inverted;
        level->has_match = false;
    } else {
        segment->end = level->has_match ? level->match_begin : level->end;
        segment->match = inverted;
        if (level->match_begin == level->match_end) level->has_match = false;
    }
    level->at = segment->end;
    return STATUS_OK;
}

// Does the piece continue with the next segment, which is only peeked at?
static enum status goes_on(struct pretokenizer_walk *walk, size_t step, struct segment segment,
                           struct segment *next, bool *on) {
    const enum cut_kind kind = walk->pretokenizer->steps[step].kind;
    const struct level before = walk->levels[step];
    *on = false;
    if (kind == CUT_ISOLATED || kind == CUT_REMOVED) return STATUS_OK;
    TRY(next_segment(walk, step, next));
    if (next->begin < next->end)
        *on = (kind == CUT_CONTIGUOUS && segment.match == next->match) ||
              (kind == CUT_WITH_PREVIOUS && !segment.match && next->match) ||
              (kind == CUT_WITH_NEXT && segment.match && !next->match);
    if (!*on) walk->levels[step] = before;
    return STATUS_OK;
}

// The next piece that this step makes of its own; *begin == *end when there is none.
static enum status next_piece(struct pretokenizer_walk *walk, size_t step, size_t *begin,
                              size_t *end) {
    struct segment segment, next;
    do
        TRY(next_segment(walk, step, &segment));
    while (segment.begin < segment.end && segment.match &&
           walk->pretokenizer->steps[step].kind == CUT_REMOVED);
    *begin = segment.begin;
    *end = segment.end;
    for (bool on = segment.begin < segment.end; on; segment = next) {
        TRY(goes_on(walk, step, segment, &next, &on));
        if (on) *end = next.end;
        if (walk->pretokenizer->steps[step].kind != CUT_CONTIGUOUS) break;
    }
    return STATUS_OK;
}

// The next stretch of well-formed text, or one byte that is not; at the end an empty one.
static void next_stretch(struct pretokenizer_walk *walk, size_t *begin, size_t *end, bool *sound) {
    *begin = walk->valid;
    size_t bad = 0;
    *sound = utf8_valid(walk->bytes + *begin, walk->length - *begin, &bad) || bad > 0;
    if (*sound)
        walk->valid = bad > 0 ? *begin + bad : walk->length;
    else
        walk->valid = *begin + 1;
    *end = walk->valid;
}

enum status pretokenizer_walk_next(struct pretokenizer_walk *walk, size_t *start, size_t *length) {
    const size_t count = walk->pretokenizer->count;
    size_t begin, end;
    bool sound = true;
    // From the last step upwards to the first that has a piece left, then down again.
    size_t step = count;
    for (;;) {
        if (step == 0) {
            next_stretch(walk, &begin, &end, &sound);
            if (begin == end || !sound) break;
        } else {
            TRY(next_piece(walk, step - 1, &begin, &end));
            if (begin == end) {
                step--;
                continue;
            }
        }
        if (step == count) break;
        level_start(&walk->levels[step], begin, end);
        step++;
    }
    ASSERT(begin <= end && end <= walk->length);
    *start = begin;
    *length = end - begin;
    return STATUS_OK;
}
