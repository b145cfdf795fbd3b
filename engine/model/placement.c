// engine/model/placement.c — sorts what may leave the card once, and lets as much of it leave as
// must.
//
// Because the order does not depend on the budget, a larger budget keeps a longer end of it on the
// card, and nothing else moves. Filling the gap that the last part leaves with a smaller one would
// use at most one layer's weights more, and a model could get slower with more memory.
#include "engine/model/placement.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"

struct leaver {
    enum placement_kind kind;
    int32_t layer;
    double cost; // seconds of a token for each byte that is freed
};

static const struct placement_part *part_at(const struct placement_need *need, int kind,
                                            int32_t layer) {
    ASSERT(kind >= 0 && kind < PLACEMENT_KINDS && layer >= 0 && layer < need->layers);
    return &need->parts[kind][layer];
}

static bool knows_rates(const struct placement_rates *rates) {
    return rates->card > 0 && rates->host > 0 && rates->link > 0;
}

static double host_seconds(const struct placement_need *need, const struct placement_rates *rates,
                           size_t bytes, int32_t parts) {
    return (double)bytes / rates->host +
           parts * ((double)need->row_bytes / rates->link + rates->crossing_us * 1e-6);
}

// How much longer a token takes for each byte that the part's leaving frees.
static double cost_of(const struct placement_need *need, const struct placement_rates *rates,
                      const struct placement_part *part) {
    if (!knows_rates(rates)) return 0;
    const double here = (double)part->token_bytes / rates->card;
    return (host_seconds(need, rates, part->token_bytes, 1) - here) / (double)part->card_bytes;
}

static int compare(const void *a, const void *b) {
    const struct leaver *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->cost < y->cost || x->cost > y->cost) return x->cost < y->cost ? -1 : 1;
    return x->layer < y->layer ? -1 : x->layer > y->layer;
}

static size_t sort_leavers(const struct placement_need *need, const struct placement_rates *rates,
                           struct leaver leavers[PLACEMENT_KINDS * PLACEMENT_LAYERS_MAX]) {
    size_t count = 0;
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++)
        for (int32_t i = 0; i < need->layers; i++) {
            const struct placement_part *part = part_at(need, kind, i);
            if (part->card_bytes == 0) continue;
            leavers[count++] =
                (struct leaver){(enum placement_kind)kind, i, cost_of(need, rates, part)};
        }
    qsort(leavers, count, sizeof leavers[0], compare);
    return count;
}

// Everything that follows from where the weights are.
static void sum_up(const struct placement_need *need, const struct placement_rates *rates,
                   struct placement *placement) {
    int32_t parts = 0;
    placement->layers = need->layers;
    placement->card_bytes = need->fixed.card_bytes + need->kv_bytes + need->buffer_bytes;
    placement->card_token_bytes = need->fixed.token_bytes;
    placement->host_bytes = placement->host_token_bytes = 0;
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++) {
        placement->host_layers[kind] = placement->all_layers[kind] = 0;
        for (int32_t i = 0; i < need->layers; i++) {
            const struct placement_part *part = part_at(need, kind, i);
            const bool in_host = placement->in_host[kind][i];
            placement->all_layers[kind] += part->card_bytes > 0;
            placement->host_layers[kind] += in_host;
            parts += in_host;
            placement->card_bytes += in_host ? 0 : part->card_bytes;
            placement->host_bytes += in_host ? part->host_bytes : 0;
            *(in_host ? &placement->host_token_bytes : &placement->card_token_bytes) +=
                part->token_bytes;
        }
    }
    const double seconds = knows_rates(rates)
                               ? rates->token_us * 1e-6 +
                                     (double)placement->card_token_bytes / rates->card +
                                     host_seconds(need, rates, placement->host_token_bytes, parts)
                               : 0;
    placement->tokens_s = seconds > 0 ? 1 / seconds : 0;
}

static void obey(const struct placement_need *need, const struct placement_override *override,
                 struct placement *placement) {
    for (int32_t i = 0; i < need->layers; i++) {
        const bool leaves = override->has_ngl && i < need->layers - override->ngl;
        const bool experts = leaves || (override->has_n_cpu_moe && i < override->n_cpu_moe);
        placement->in_host[PLACEMENT_EXPERTS][i] =
            experts && part_at(need, PLACEMENT_EXPERTS, i)->card_bytes > 0;
        placement->in_host[PLACEMENT_DENSE][i] =
            leaves && part_at(need, PLACEMENT_DENSE, i)->card_bytes > 0;
    }
}

static enum status refuse(const struct placement_need *need, size_t bytes, size_t card_bytes,
                          bool overridden, struct error *err) {
    char all[SIZE_TEXT_BYTES], kv[SIZE_TEXT_BYTES], more[SIZE_TEXT_BYTES];
    return error_set(err, STATUS_NO_MEMORY,
                     "%s, a KV cache of %s and buffers need %s of GPU memory, %s more than is free",
                     overridden ? "what --ngl and --n-cpu-moe keep there" : "attention",
                     size_format(need->kv_bytes, kv), size_format(bytes, all),
                     size_format(bytes - card_bytes, more));
}

enum status placement_plan(const struct placement_need *need, const struct placement_limits *limits,
                           struct placement *result, struct error *err) {
    ASSERT(need->layers > 0 && need->layers <= PLACEMENT_LAYERS_MAX);
    const bool overridden = placement_is_overridden(&limits->override);
    struct leaver leavers[PLACEMENT_KINDS * PLACEMENT_LAYERS_MAX];
    struct placement placement = {0};
    if (overridden) obey(need, &limits->override, &placement);
    sum_up(need, &limits->rates, &placement);
    const size_t count = overridden ? 0 : sort_leavers(need, &limits->rates, leavers);
    size_t bytes = placement.card_bytes;
    for (size_t i = 0; i < count && bytes > limits->card_bytes; i++) {
        placement.in_host[leavers[i].kind][leavers[i].layer] = true;
        bytes -= part_at(need, (int)leavers[i].kind, leavers[i].layer)->card_bytes;
    }
    sum_up(need, &limits->rates, &placement);
    ASSERT(placement.card_bytes == bytes);
    if (bytes > limits->card_bytes) return refuse(need, bytes, limits->card_bytes, overridden, err);
    *result = placement;
    return STATUS_OK;
}

size_t placement_largest_part(const struct placement_need *need) {
    size_t most = 0;
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++)
        for (int32_t i = 0; i < need->layers; i++)
            if (part_at(need, kind, i)->card_bytes > most)
                most = part_at(need, kind, i)->card_bytes;
    return most;
}

size_t placement_need_bytes(const struct placement_need *need) {
    size_t bytes = need->fixed.card_bytes;
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++)
        for (int32_t i = 0; i < need->layers; i++)
            bytes += part_at(need, kind, i)->card_bytes;
    return bytes;
}

const char *placement_describe(const struct placement *placement, char text[PLACEMENT_TEXT_BYTES]) {
    static const char *const WHAT[PLACEMENT_KINDS] = {"experts", "feed-forwards"};
    char size[SIZE_TEXT_BYTES];
    int length = 0;
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++) {
        if (placement->host_layers[kind] == 0) continue;
        length += snprintf(text + length, (size_t)(PLACEMENT_TEXT_BYTES - length),
                           "%s%" PRId32 " of %" PRId32 " layers' %s", length ? " and " : "",
                           placement->host_layers[kind], placement->all_layers[kind], WHAT[kind]);
    }
    if (length == 0) length = snprintf(text, PLACEMENT_TEXT_BYTES, "no weights");
    length += snprintf(text + length, (size_t)(PLACEMENT_TEXT_BYTES - length), " in memory (%s)",
                       size_format(placement->host_bytes, size));
    if (placement->tokens_s > 0)
        length += snprintf(text + length, (size_t)(PLACEMENT_TEXT_BYTES - length),
                           "; about %.*f tokens/s", placement->tokens_s < 10 ? 1 : 0,
                           placement->tokens_s);
    ASSERT(length < PLACEMENT_TEXT_BYTES);
    return text;
}

static bool begins(const char *name, size_t length, const char *with) {
    return length >= strlen(with) && memcmp(name, with, strlen(with)) == 0;
}

static bool ends(const char *name, size_t length, const char *with) {
    return length >= strlen(with) && memcmp(name + length - strlen(with), with, strlen(with)) == 0;
}

// "ffn_up_exps.weight", or "ffn_up.7.weight" of older files; "ffn_up.weight" is dense. An expert's
// scale is the router's.
bool placement_kind_of(const char *name, size_t length, enum placement_kind *kind) {
    static const char *const STEMS[] = {"ffn_gate", "ffn_up", "ffn_down", "ffn_gate_up"};
    if (begins(name, length, "blk.")) {
        const char *dot = memchr(name + 4, '.', length - 4);
        if (!dot) return false;
        length -= (size_t)(dot + 1 - name);
        name = dot + 1;
    }
    if (!ends(name, length, ".weight") && !ends(name, length, ".bias")) return false;
    for (size_t i = 0; i < sizeof STEMS / sizeof STEMS[0]; i++) {
        if (!begins(name, length, STEMS[i])) continue;
        const char *rest = name + strlen(STEMS[i]);
        const size_t left = length - strlen(STEMS[i]);
        const bool numbered = left > 1 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9';
        if (begins(rest, left, "_exps.") || numbered) {
            *kind = PLACEMENT_EXPERTS;
            return true;
        }
        if (begins(rest, left, ".weight") || begins(rest, left, ".bias")) {
            *kind = PLACEMENT_DENSE;
            return true;
        }
    }
    return false;
}

void placement_check(const struct placement_need *need, const struct placement_limits *limits,
                     const struct placement *placement) {
    struct leaver leavers[PLACEMENT_KINDS * PLACEMENT_LAYERS_MAX];
    struct placement same = *placement;
    const size_t count = sort_leavers(need, &limits->rates, leavers);
    size_t left = 0;
    ASSERT(placement->card_bytes <= limits->card_bytes);
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++)
        for (int32_t i = 0; i < need->layers; i++)
            ASSERT(!placement->in_host[kind][i] || part_at(need, kind, i)->card_bytes > 0);
    sum_up(need, &limits->rates, &same);
    ASSERT(memcmp(same.host_layers, placement->host_layers, sizeof same.host_layers) == 0);
    ASSERT(same.card_bytes == placement->card_bytes && same.host_bytes == placement->host_bytes);
    ASSERT(same.card_token_bytes == placement->card_token_bytes);
    ASSERT(same.host_token_bytes == placement->host_token_bytes);
    ASSERT(!(same.tokens_s < placement->tokens_s) && !(same.tokens_s > placement->tokens_s));
    if (placement_is_overridden(&limits->override)) return;
    while (left < count && placement->in_host[leavers[left].kind][leavers[left].layer])
        left++;
    for (size_t i = left; i < count; i++)
        ASSERT(!placement->in_host[leavers[i].kind][leavers[i].layer]);
    if (left == 0) return;
    const struct leaver *last = &leavers[left - 1];
    ASSERT(part_at(need, (int)last->kind, last->layer)->card_bytes >
           limits->card_bytes - placement->card_bytes);
}
