// engine/model/placement.c — sorts the parts once into the order in which they leave the card, and
// tries the prefixes of that order.
//
// Since the order does not depend on the budget, whatever fits a budget fits a larger one, with at
// least as many slots. Filling the gap that the last part leaves with a smaller part would use at
// most one layer's weights more, and would lose that property.
//
// The speed is predicted for a step with one token, which takes
//
//   token_us  +  bytes that it reads on the card / card  +  part_us for each part on the card
//             +  factor * (the time of all parts in host memory)
//
// A part in host memory gets its input from the card and sends its result back:
//
//   request = crossing_us + row_bytes / link
//
// Its bytes can be read in three ways. Whichever is fastest is used for all parts:
//
//   by the processor alone         request + bytes / host
//   with copies on the card        max(request + COPYING * (1 - hits) * bytes / host,
//                                      part_us + bytes / card)
//   with weights that cross        request + max((1 - share) * bytes / host + slowed * crossing,
//                                                part_us + bytes / card + crossing)
//
// With copies, the card computes what hits while the processor computes what misses. Some of what
// misses is read once more, to be copied. Without copies, a share of the weights crosses: whole
// experts of a mixture, or rows of a dense matrix. Then crossing = share * bytes / (the part of the
// link's rate that can be reached), and `slowed` is what the processor loses meanwhile, because
// host memory serves both.
#include "engine/model/placement.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"

enum {
    SLOTS_LEAST_PART = 8,  // no slots are made for less than an eighth of the experts,
    SLOTS_ENOUGH_PART = 2, // and no layer leaves to make them for more than half
    TOKENS_MOST = 4096,    // of a batch
    ROWS_STEPS = 16,       // rows cross by sixteenths of a matrix,
    ROWS_MOST = 7,         // at most seven, so that they fit the slot twice
};

// The share of the link's rate that is reached when weights cross for one token and are then
// arranged and used: by experts of a few MB, which a kernel reads after the router has chosen them,
// and by rows, which are copied.
static const double GATHERED_SHARE = 0.66, ROWS_SHARE = 0.85;

// What a token missed may be copied to the card in the background, which reads it once more. In
// three splits, the processor took 1.15 to 1.45 times as long because of that.
static const double COPYING = 1.25;

// What the first change must gain. Measured again and again, a token's time varies by a fifth, and
// where two plans were about equally fast, up to 17 of 30 starts changed from one to the other.
static const double CLEARLY_FASTER = 1.05;

// How many bytes of experts cross together. The card computes with some while others cross, and the
// link takes a hundred times as long for this many bytes as it takes to begin.
static const size_t EXPERTS_BYTES = (size_t)128 << 20, TIGHT_BYTES = (size_t)32 << 20;

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

double placement_crossing_seconds(const struct placement_rates *rates, enum placement_kind kind,
                                  double bytes) {
    return bytes / ((kind == PLACEMENT_DENSE ? ROWS_SHARE : GATHERED_SHARE) * rates->link);
}

// What a part in host memory takes besides its bytes.
static double request_seconds(const struct placement_need *need,
                              const struct placement_rates *rates) {
    return (double)need->row_bytes / rates->link + rates->crossing_us * 1e-6;
}

// How much longer a token takes, for each byte that is freed if the part leaves.
static double cost_of(const struct placement_need *need, const struct placement_rates *rates,
                      const struct placement_part *part) {
    if (!knows_rates(rates)) return 0;
    const double bytes = (double)part->token_bytes;
    const double here = bytes / rates->card + rates->part_us * 1e-6;
    return (bytes / rates->host + request_seconds(need, rates) - here) / (double)part->card_bytes;
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

// The hits of choices that are drawn from what was measured with a mixture of 512 experts
// (llama.cpp #27861), as tests/bench/bench_slots draws them. Straight lines between the points.
static double published_hits(double share) {
    static const struct {
        double share, hits;
    } KNOWN[] = {{0, 0},          {1 / 16.0, 0.24}, {1 / 8.0, 0.44},
                 {1 / 4.0, 0.70}, {1 / 2.0, 0.81},  {1, 1}};
    for (size_t i = 1; i < sizeof KNOWN / sizeof KNOWN[0]; i++)
        if (share < KNOWN[i].share)
            return KNOWN[i - 1].hits + (share - KNOWN[i - 1].share) *
                                           (KNOWN[i].hits - KNOWN[i - 1].hits) /
                                           (KNOWN[i].share - KNOWN[i - 1].share);
    return 1;
}

static double with_hits(const struct placement *placement, double hits) {
    return fmax(placement->missed_seconds - hits * placement->hit_seconds, placement->held_seconds);
}

// Layers may differ, so only the change of with_hits() counts.
double placement_host_seconds_at(const struct placement *placement, double hits) {
    return placement->host_seconds + with_hits(placement, hits) -
           with_hits(placement, placement->hits);
}

double placement_tokens_at(const struct placement *placement, double hits) {
    if (placement->tokens_s <= 0) return 0;
    const double more = placement_host_seconds_at(placement, hits) - placement->host_seconds;
    return 1 / (1 / placement->tokens_s + placement->factor * more);
}

double placement_hits(double share, double recency) {
    const double without = fmin(share, 1);
    return fmin(without + recency * (published_hits(share) - without), 1);
}

double placement_recency(double share, double hits) {
    const double without = fmin(share, 1), more = published_hits(share) - without;
    if (more <= 0) return 0;
    return fmax(0, fmin((hits - without) / more, PLACEMENT_RECENCY_MAX));
}

static int32_t at_most(size_t count, int32_t most) {
    return count < (size_t)most ? (int32_t)count : most;
}

// Cuts what the plan leaves free on the card into slots, and also what the KV cache lends.
static void count_slots(const struct placement_need *need, const struct placement_limits *limits,
                        struct placement *placement) {
    const size_t taken = placement->card_bytes + need->unused_bytes;
    placement->slots = placement->lent_slots = 0;
    if (need->expert_bytes == 0) return;
    if (taken < limits->card_bytes)
        placement->slots =
            at_most((limits->card_bytes - taken) / need->expert_bytes, placement->experts);
    placement->lent_slots =
        at_most(need->lent_bytes / need->expert_bytes, placement->experts - placement->slots);
}

static double copied_share(const struct placement *placement) {
    return placement->experts > 0 ? (double)placement_copies(placement) / placement->experts : 0;
}

// Few slots are worse than none: on a card, two halved the speed of a mixture of 6,144 experts.
static void cut_slots(const struct placement_need *need, const struct placement_limits *limits,
                      struct placement *placement) {
    count_slots(need, limits, placement);
    if (placement_copies(placement) * SLOTS_LEAST_PART < placement->experts)
        placement->slots = placement->lent_slots = 0;
    placement->hits = placement_hits(copied_share(placement), limits->rates.recency);
}

// What the card computes of a part in host memory; {0}: nothing.
struct assistance {
    double hits;      // with copies: this share of the chosen experts; or, if weights cross,
    int32_t gathered; // this many of them
    double rows;      // and this share of a dense part's rows
};

// How long a part in host memory takes.
static double part_seconds(const struct placement_need *need, const struct placement_rates *rates,
                           const struct placement_part *part, const struct assistance *card) {
    const double bytes = (double)part->token_bytes, all = bytes / rates->host;
    const double used = part->experts * bytes / (double)part->host_bytes;
    const double crosses = part->experts == 0 ? card->rows : fmin(card->gathered / used, 1);
    const double hits = part->experts == 0 ? 0 : card->hits;
    const enum placement_kind kind = part->experts == 0 ? PLACEMENT_DENSE : PLACEMENT_EXPERTS;
    const double crossing = placement_crossing_seconds(rates, kind, crosses * bytes);
    const double request = request_seconds(need, rates);
    const double on_card = bytes / rates->card + rates->part_us * 1e-6;
    if (hits > 0) return fmax(request + COPYING * (1 - hits) * all, on_card);
    if (crosses <= 0) return request + all;
    return request + fmax((1 - crosses) * all + rates->slowed * crossing, on_card + crossing);
}

static double factor_of(const struct placement_rates *rates, const struct assistance *card) {
    const double factor = card->hits > 0 ? rates->copies_factor : rates->factor;
    return factor > 0 ? factor : 1;
}

// How long a token takes. *in_host: its time in parts in host memory, before the factor.
static double token_seconds(const struct placement_need *need, const struct placement_rates *rates,
                            const struct placement *placement, const struct assistance *card,
                            double *in_host) {
    double seconds = rates->token_us * 1e-6 + (double)placement->card_token_bytes / rates->card;
    *in_host = 0;
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++)
        for (int32_t i = 0; i < need->layers; i++) {
            const struct placement_part *part = part_at(need, kind, i);
            if (part->card_bytes == 0) continue;
            if (placement->in_host[kind][i])
                *in_host += part_seconds(need, rates, part, card);
            else
                seconds += rates->part_us * 1e-6;
        }
    return seconds + factor_of(rates, card) * *in_host;
}

// Lets the card assist in this way if a token then takes less than *least seconds.
static bool try_assistance(const struct placement_need *need, const struct placement_rates *rates,
                           struct placement *placement, const struct assistance *card,
                           double *least) {
    double in_host;
    const double seconds = token_seconds(need, rates, placement, card, &in_host);
    if (seconds >= *least) return false;
    *least = seconds;
    placement->host_seconds = in_host;
    placement->factor = factor_of(rates, card);
    placement->gathered = card->gathered;
    placement->crossing_share = card->rows;
    return true;
}

// Notes how the time depends on hits, for placement_tokens_at().
static void note_copies(const struct placement_need *need, const struct placement_rates *rates,
                        struct placement *placement) {
    placement->missed_seconds = placement->held_seconds = 0;
    placement->hit_seconds =
        COPYING * (double)placement->host_token_bytes[PLACEMENT_EXPERTS] / rates->host;
    for (int32_t i = 0; i < need->layers; i++) {
        if (!placement->in_host[PLACEMENT_EXPERTS][i]) continue;
        const double bytes = (double)part_at(need, PLACEMENT_EXPERTS, i)->token_bytes;
        placement->missed_seconds += request_seconds(need, rates) + COPYING * bytes / rates->host;
        placement->held_seconds += bytes / rates->card + rates->part_us * 1e-6;
    }
}

// Predicts the speed, with copies or with weights that cross if that helps.
static void predict(const struct placement_need *need, const struct placement_rates *rates,
                    struct placement *placement) {
    struct assistance card = {0};
    double least = HUGE_VAL;
    placement->tokens_s = placement->host_seconds = placement->crossing_share = 0;
    placement->missed_seconds = placement->hit_seconds = placement->held_seconds = 0;
    placement->gathered = 0;
    if (!knows_rates(rates)) return;
    (void)try_assistance(need, rates, placement, &card, &least);
    for (card.gathered = 1; card.gathered <= need->gathered_max; card.gathered++)
        (void)try_assistance(need, rates, placement, &card, &least);
    card.gathered = placement->gathered;
    for (int i = 1; i <= ROWS_MOST && need->rows_cross; i++) {
        card.rows = i / (double)ROWS_STEPS;
        (void)try_assistance(need, rates, placement, &card, &least);
    }
    card = (struct assistance){.hits = placement->hits};
    if (placement->hits > 0 && try_assistance(need, rates, placement, &card, &least)) {
        note_copies(need, rates, placement);
    } else {
        placement->slots = placement->lent_slots = 0;
        placement->hits = 0;
    }
    placement->tokens_s = least > 0 ? 1 / least : 0;
}

// Fills in everything that follows from where the weights are.
static void sum_up(const struct placement_need *need, const struct placement_limits *limits,
                   struct placement *placement) {
    placement->changes = limits->rates.changes;
    placement->card_bytes =
        need->fixed.card_bytes + need->adapter_bytes + need->kv_bytes + need->buffer_bytes;
    placement->card_token_bytes = need->fixed.token_bytes + need->adapter_bytes;
    placement->host_bytes = 0;
    placement->experts = 0;
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++) {
        placement->host_layers[kind] = placement->all_layers[kind] = 0;
        placement->host_token_bytes[kind] = 0;
        for (int32_t i = 0; i < need->layers; i++) {
            const struct placement_part *part = part_at(need, kind, i);
            const bool in_host = placement->in_host[kind][i];
            placement->all_layers[kind] += part->card_bytes > 0;
            placement->host_layers[kind] += in_host;
            placement->experts += in_host ? part->experts : 0;
            placement->card_bytes += in_host ? 0 : part->card_bytes;
            placement->host_bytes += in_host ? part->host_bytes : 0;
            *(in_host ? &placement->host_token_bytes[kind] : &placement->card_token_bytes) +=
                part->token_bytes;
        }
    }
    const size_t with_all = placement->card_bytes + need->embedding_bytes;
    const bool stay = !placement_splits(placement) && with_all <= limits->card_bytes;
    placement->embedding_bytes = stay ? 0 : need->embedding_bytes;
    if (stay) placement->card_bytes = with_all;
    cut_slots(need, limits, placement);
    predict(need, &limits->rates, placement);
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

static const char *what_stays(const struct placement_override *override) {
    if (!placement_is_overridden(override)) return "attention";
    if (!override->has_ngl) return "what --n-cpu-moe keeps there";
    return override->has_n_cpu_moe ? "what --ngl and --n-cpu-moe keep there"
                                   : "what --ngl keeps there";
}

static enum status refuse(const struct placement_need *need, const struct placement_limits *limits,
                          size_t bytes, struct error *err) {
    char all[SIZE_TEXT_BYTES], kv[SIZE_TEXT_BYTES], more[SIZE_TEXT_BYTES];
    char size[SIZE_TEXT_BYTES], adapters[SIZE_TEXT_BYTES + 24] = "";
    if (need->adapter_bytes > 0)
        snprintf(adapters, sizeof adapters, ", LoRA adapters of %s",
                 size_format(need->adapter_bytes, size));
    return error_set(err, STATUS_NO_MEMORY,
                     "%s%s, a KV cache of %s and buffers need %s of GPU memory, %s more than %s",
                     what_stays(&limits->override), adapters, size_format(need->kv_bytes, kv),
                     size_format(bytes, all), size_format(bytes - limits->card_bytes, more),
                     limits->is_user_limit ? "--device-memory" : "is free");
}

// Are there slots for so many experts that more would gain little?
static bool has_enough_slots(const struct placement_need *need,
                             const struct placement_limits *limits,
                             const struct placement *placement) {
    struct placement counted = *placement;
    count_slots(need, limits, &counted);
    return placement_copies(&counted) * SLOTS_ENOUGH_PART >= placement->experts;
}

// How many times as fast as the shortest prefix must the longer one be?
static double least_gain(const struct placement_rates *rates) {
    const double gain = pow(CLEARLY_FASTER, (double)rates->changes + 1);
    return rates->changes % 2 == 0 ? gain : 1 / gain;
}

// Chooses the shortest prefix of the order after which the rest fits, or the one with enough slots
// if that is clearly faster. False: the rest does not fit even if all parts leave, as in *result.
static bool choose_prefix(const struct placement_need *need, const struct placement_limits *limits,
                          struct placement *result) {
    struct leaver leavers[PLACEMENT_KINDS * PLACEMENT_LAYERS_MAX];
    struct placement longer = {0};
    const size_t count = sort_leavers(need, &limits->rates, leavers);
    const bool was_longer = limits->rates.changes % 2 != 0;
    size_t left = 0;
    for (;; left++) {
        sum_up(need, limits, &longer);
        if (longer.card_bytes <= limits->card_bytes || left == count) break;
        longer.in_host[leavers[left].kind][leavers[left].layer] = true;
    }
    *result = longer;
    if (longer.card_bytes > limits->card_bytes) return false;
    if (!knows_rates(&limits->rates) || need->expert_bytes == 0) return true;
    const size_t shortest = left;
    for (; left < count && leavers[left].kind == PLACEMENT_EXPERTS; left++) {
        if (has_enough_slots(need, limits, &longer)) break;
        longer.in_host[PLACEMENT_EXPERTS][leavers[left].layer] = true;
        sum_up(need, limits, &longer);
    }
    if (left == shortest) return true; // there is no other
    const bool is_longer = longer.tokens_s > least_gain(&limits->rates) * result->tokens_s;
    if (is_longer) *result = longer;
    result->changes += is_longer != was_longer;
    return true;
}

enum status placement_plan(const struct placement_need *need, const struct placement_limits *limits,
                           struct placement *result, struct error *err) {
    ASSERT(need->layers > 0 && need->layers <= PLACEMENT_LAYERS_MAX);
    const bool overridden = placement_is_overridden(&limits->override);
    struct placement placement = {0};
    if (overridden) {
        obey(need, &limits->override, &placement);
        sum_up(need, limits, &placement);
        if (placement.card_bytes > limits->card_bytes)
            return refuse(need, limits, placement.card_bytes, err);
    } else if (!choose_prefix(need, limits, &placement)) {
        return refuse(need, limits, placement.card_bytes, err);
    }
    *result = placement;
    return STATUS_OK;
}

static size_t less_of(size_t a, size_t b) { return a < b ? a : b; }

static size_t crossing_bytes(const struct placement_need *need, const struct placement_part *part,
                             bool tight) {
    if (part->experts == 0) return less_of(part->card_bytes, 2 * need->matrix_bytes);
    const size_t pair = 2 * (part->card_bytes / (size_t)part->experts);
    const size_t wanted = tight ? TIGHT_BYTES : EXPERTS_BYTES;
    return less_of(part->card_bytes, wanted > pair ? wanted : pair);
}

size_t placement_crossing_bytes(const struct placement_need *need, bool tight) {
    size_t most = 0;
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++)
        for (int32_t i = 0; i < need->layers; i++) {
            const size_t bytes = crossing_bytes(need, part_at(need, kind, i), tight);
            if (bytes > most) most = bytes;
        }
    return most;
}

// Fewer tokens than TOKENS_MOST, or INT32_MAX.
static int32_t crossing_tokens(const struct placement_need *need,
                               const struct placement_rates *rates,
                               const struct placement_part *part) {
    const double all = (double)part->host_bytes, share = (double)part->token_bytes / all;
    const double crosses = all / rates->link + rates->part_us * 1e-6;
    double untouched = share < 1 ? 1 - share : 0; // of the weights, by n tokens that choose apart
    for (int32_t n = 1; n < TOKENS_MOST; n++) {
        const double computed = request_seconds(need, rates) + n * rates->row_us * 1e-6 +
                                (1 - untouched) * all / rates->host;
        if (n >= PLACEMENT_TOKENS_LEAST && crosses < computed) return n;
        untouched *= share < 1 ? 1 - share : 0;
    }
    return INT32_MAX;
}

int32_t placement_crossing_tokens(const struct placement_need *need,
                                  const struct placement_rates *rates,
                                  const struct placement *placement, enum placement_kind kind) {
    int32_t fewest = INT32_MAX;
    if (!knows_rates(rates)) return fewest;
    for (int32_t i = 0; i < need->layers; i++) {
        if (!placement->in_host[kind][i]) continue;
        const int32_t tokens = crossing_tokens(need, rates, part_at(need, (int)kind, i));
        if (tokens < fewest) fewest = tokens;
    }
    return fewest;
}

size_t placement_need_bytes(const struct placement_need *need) {
    size_t bytes = need->fixed.card_bytes + need->adapter_bytes + need->embedding_bytes;
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++)
        for (int32_t i = 0; i < need->layers; i++)
            bytes += part_at(need, kind, i)->card_bytes;
    return bytes;
}

const char *placement_describe(const struct placement *placement, char text[PLACEMENT_TEXT_BYTES]) {
    static const char *const WHAT[PLACEMENT_KINDS] = {"experts", "feed-forwards"};
    char size[SIZE_TEXT_BYTES];
    int length = 0;
    if (placement->embedding_bytes > 0)
        length = snprintf(text, PLACEMENT_TEXT_BYTES, "the embedding");
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++) {
        if (placement->host_layers[kind] == 0) continue;
        length += snprintf(text + length, (size_t)(PLACEMENT_TEXT_BYTES - length),
                           "%s%" PRId32 " of %" PRId32 " layers' %s", length ? " and " : "",
                           placement->host_layers[kind], placement->all_layers[kind], WHAT[kind]);
    }
    if (length == 0) length = snprintf(text, PLACEMENT_TEXT_BYTES, "no weights");
    length += snprintf(text + length, (size_t)(PLACEMENT_TEXT_BYTES - length), " in memory (%s)",
                       size_format(placement->host_bytes + placement->embedding_bytes, size));
    const double copied = 100 * copied_share(placement);
    if (copied >= 1)
        length += snprintf(text + length, (size_t)(PLACEMENT_TEXT_BYTES - length),
                           ", %.0f %% copied", copied);
    if (placement->tokens_s > 0)
        length += snprintf(text + length, (size_t)(PLACEMENT_TEXT_BYTES - length),
                           "; about %.*f tokens/s", placement->tokens_s < 10 ? 1 : 0,
                           placement->tokens_s);
    ASSERT(length < PLACEMENT_TEXT_BYTES);
    return text;
}

bool placement_is_embedding(const char *name, bool tied) {
    return strcmp(name, "per_layer_token_embd.weight") == 0 ||
           (!tied && strcmp(name, "token_embd.weight") == 0);
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
    struct placement same = *placement;
    ASSERT(placement->card_bytes <= limits->card_bytes);
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++)
        for (int32_t i = 0; i < need->layers; i++)
            ASSERT(!placement->in_host[kind][i] || part_at(need, kind, i)->card_bytes > 0);
    sum_up(need, limits, &same);
    ASSERT(memcmp(same.host_layers, placement->host_layers, sizeof same.host_layers) == 0);
    ASSERT(same.card_bytes == placement->card_bytes && same.host_bytes == placement->host_bytes);
    ASSERT(same.embedding_bytes == placement->embedding_bytes);
    ASSERT(same.card_token_bytes == placement->card_token_bytes);
    ASSERT(memcmp(same.host_token_bytes, placement->host_token_bytes,
                  sizeof same.host_token_bytes) == 0);
    ASSERT(same.slots == placement->slots && same.lent_slots == placement->lent_slots);
    ASSERT(same.gathered == placement->gathered && same.gathered <= need->gathered_max);
    ASSERT(!(same.crossing_share < placement->crossing_share) &&
           !(same.crossing_share > placement->crossing_share));
    ASSERT(!(same.tokens_s < placement->tokens_s) && !(same.tokens_s > placement->tokens_s));
    ASSERT(placement->changes == same.changes || placement->changes == same.changes + 1);
    if (placement_is_overridden(&limits->override)) return;
    struct leaver leavers[PLACEMENT_KINDS * PLACEMENT_LAYERS_MAX];
    const size_t count = sort_leavers(need, &limits->rates, leavers);
    double shortest = 0;
    bool fits = false, enough = false;
    memset(same.in_host, 0, sizeof same.in_host);
    for (size_t left = 0;; left++) {
        sum_up(need, limits, &same);
        const bool is_first = !fits && same.card_bytes <= limits->card_bytes;
        if (is_first) shortest = same.tokens_s;
        fits = fits || is_first;
        enough = has_enough_slots(need, limits, &same);
        if (memcmp(same.in_host, placement->in_host, sizeof same.in_host) == 0) {
            const bool is_last = left == count || leavers[left].kind != PLACEMENT_EXPERTS;
            const double least = least_gain(&limits->rates) * shortest;
            ASSERT(is_first || (fits && same.tokens_s > least && (enough || is_last)));
            return;
        }
        ASSERT(left < count && !(fits && enough));
        same.in_host[leavers[left].kind][leavers[left].layer] = true;
    }
}
