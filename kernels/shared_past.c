// kernels/shared_past.c — cuts the tree of block tables into spans, without building the tree.
//
// A run is a set of sequences that are neighbours in `order` and have the same first blocks. Taking
// a run apart (divide): find how many further blocks all of them have, make a span of those if that
// saves enough reading, sort the run by the next block, and push each group of equals as a run of
// its own. The header's example, with spans that always pay:
//
//   run {0 1 2}   all have 7 3     span 7 3       next blocks 12 12 88: runs {0 1} and {2}
//   run {0 1}     both have 12     span 12        next blocks 40 9: each is alone
//   run {2}       alone: its own keys begin behind 7 3
//
// A comparison begins where the parent's common blocks ended, so every table is read about once.
// Where a span does not pay, `covered` stays behind, and a span further down the tree may cover
// those keys as well. Runs that find no space in the list are treated as if they had nothing in
// common: that costs reading, and changes no result.
#include "kernels/shared_past.h"

#include <string.h>

#include "kernels/base/assert.h"

enum { RUNS_MAX = 2 * SHARED_SPANS_MAX, COMPARED = 64 };

struct run {              // sequences side by side in `order`
    int32_t first, count; // with
    int32_t blocks;       // known to be the same, and
    int32_t covered;      // keys in `depth` spans
    int32_t depth;
};

struct search {
    const struct batch *batch;
    const struct shared_past_rule *rule;
    const struct shared_past_arrays *found;
    struct run runs[RUNS_MAX]; // to be examined
    int32_t num_runs, num_spans;
};

static const int32_t *table_of(const struct search *search, int32_t sequence) {
    ASSERT(sequence >= 0 && sequence < search->batch->num_seqs);
    return search->batch->block_table +
           (size_t)sequence * (size_t)search->batch->max_blocks_per_seq;
}

// Whole blocks before a sequence's only query; 0 where there are several.
static int32_t past_blocks(const struct search *search, int32_t sequence) {
    const struct batch *batch = search->batch;
    const int32_t *start = batch->cu_seqlens_q + sequence;
    return start[1] - start[0] == 1 ? (batch->seq_lens_kv[sequence] - 1) / search->rule->block_size
                                    : 0;
}

// Blocks that two sequences have in common, of which the first `from` are known to be.
static int32_t common_blocks(const struct search *search, int32_t a, int32_t b, int32_t from) {
    const int32_t *one = table_of(search, a), *other = table_of(search, b);
    const int32_t past_a = past_blocks(search, a), past_b = past_blocks(search, b);
    const int32_t end = past_a < past_b ? past_a : past_b;
    while (from + COMPARED <= end &&
           memcmp(one + from, other + from, COMPARED * sizeof one[0]) == 0)
        from += COMPARED;
    while (from < end && one[from] == other[from])
        from++;
    return from;
}

static int32_t common_blocks_of(const struct search *search, const struct run *run) {
    const int32_t *order = search->found->order + run->first;
    int32_t common = past_blocks(search, order[0]);
    for (int32_t i = 1; i < run->count && common > run->blocks; i++) {
        const int32_t both = common_blocks(search, order[0], order[i], run->blocks);
        common = both < common ? both : common;
    }
    return common > run->blocks ? common : run->blocks;
}

// A sequence's block number `index`; -1: its past has no such block.
static int32_t block_at(const struct search *search, int32_t sequence, int32_t index) {
    return index < past_blocks(search, sequence) ? table_of(search, sequence)[index] : -1;
}

static void sort_by_block(const struct search *search, const struct run *run, int32_t index) {
    int32_t *order = search->found->order + run->first;
    for (int32_t i = 1; i < run->count; i++) {
        const int32_t sequence = order[i], block = block_at(search, sequence, index);
        int32_t j = i;
        for (; j > 0 && block_at(search, order[j - 1], index) > block; j--)
            order[j] = order[j - 1];
        order[j] = sequence;
    }
}

static int32_t shortest_of(const struct search *search, const struct run *run) {
    const int32_t *order = search->found->order + run->first, *keys = search->batch->seq_lens_kv;
    int32_t shortest = keys[order[0]];
    for (int32_t i = 1; i < run->count; i++)
        shortest = keys[order[i]] < shortest ? keys[order[i]] : shortest;
    return shortest;
}

// Makes a span of what the run has in common, if that pays.
static void push_span(struct search *search, struct run *run, int32_t blocks) {
    const struct shared_past_rule *rule = search->rule;
    const int32_t end = (int32_t)((int64_t)blocks * rule->block_size / rule->keys * rule->keys);
    const int64_t saved = (int64_t)(run->count - 1) * (end - run->covered);
    if (end <= run->covered || saved < rule->least || run->depth == SHARED_DEPTH_MAX ||
        search->num_spans == SHARED_SPANS_MAX)
        return;
    search->found->spans[search->num_spans++] = (struct shared_span){
        run->first, run->count, run->covered, end, shortest_of(search, run), run->depth};
    run->covered = end;
    run->depth++;
}

// Sequences first ... end - 1 of `order`, whose next block is the same.
static void push_run(struct search *search, const struct run *parent, int32_t first, int32_t end,
                     int32_t blocks) {
    const struct shared_past_arrays *found = search->found;
    const bool is_last = end == parent->first + parent->count; // its neighbour is an ancestor's
    ASSERT(parent->first <= first && first < end && end <= parent->first + parent->count);
    if (!is_last) found->common[end - 1] = parent->covered;
    if (end - first > 1 && search->num_runs < RUNS_MAX) {
        search->runs[search->num_runs++] =
            (struct run){first, end - first, blocks, parent->covered, parent->depth};
        return;
    }
    for (int32_t i = first; i < end; i++) {
        found->own[found->order[i]] = parent->covered;
        if (i < end - 1) found->common[i] = parent->covered;
    }
}

static void divide(struct search *search, struct run run) {
    const int32_t blocks = common_blocks_of(search, &run), end = run.first + run.count;
    const int32_t *order = search->found->order;
    push_span(search, &run, blocks);
    ASSERT(run.count > 0 && end <= search->batch->num_seqs && blocks >= run.blocks);
    sort_by_block(search, &run, blocks);
    for (int32_t first = run.first, next; first < end; first = next) {
        const int32_t block = block_at(search, order[first], blocks);
        for (next = first + 1; next < end && block >= 0; next++)
            if (block_at(search, order[next], blocks) != block) break;
        push_run(search, &run, first, next, blocks);
    }
}

int32_t shared_past_find(const struct batch *batch, const struct shared_past_rule *rule,
                         const struct shared_past_arrays *found) {
    struct search search = {.batch = batch, .rule = rule, .found = found};
    ASSERT(rule->keys > 0 && rule->block_size > 0 && batch->num_seqs > 0);
    for (int32_t s = 0; s < batch->num_seqs; s++)
        found->order[s] = s;
    memset(found->spans, 0, SHARED_SPANS_MAX * sizeof found->spans[0]);
    search.runs[search.num_runs++] = (struct run){0, batch->num_seqs, 0, 0, 0};
    while (search.num_runs > 0)
        divide(&search, search.runs[--search.num_runs]);
    found->common[batch->num_seqs - 1] = 0;
    int32_t depth = 0;
    for (int32_t i = 0; i < search.num_spans; i++)
        if (found->spans[i].depth >= depth) depth = found->spans[i].depth + 1;
    return depth;
}
