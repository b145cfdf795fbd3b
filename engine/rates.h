// engine/rates.h — how fast are the card, the processor and the link between them?
//
// A placement is planned with these rates (engine/model/placement.h). No table has them, so they
// are measured, which takes a second or two, and kept in a file: one line for each combination of
// card, processor, number of threads and shape of feed-forward, and one for each split of such a
// model. Missing or absurd lines, and those of another version, are measured again; if the file
// cannot be written, every start measures. Beyond RATES_MAX lines the least recently used are
// dropped. Several running quires share the file, and none loses what another has kept.
#ifndef ENGINE_RATES_H
#define ENGINE_RATES_H

#include "engine/model/placement_lesson.h"
#include "kernels/part_speed.h"

struct engine;
struct engine_options;

// Measures, or finds in the file, the rates for this model's feed-forward: that of its first
// mixture, or else the widest dense one. All 0: they could not be measured. The factors and the
// number of changes are those that splits like this one have shown, since they differ from one
// split to another; the recency is that of all splits.
struct placement_rates rates_get(struct engine *engine, const struct engine_options *options,
                                 const struct placement_need *need, size_t card_bytes);

// From the times of a whole part in host memory and of a small one, finds how fast the processor
// reads and how long a crossing takes. False: no machine is like that; a crossing would take no
// time, for example.
bool rates_of_trials(const struct part_speed *whole, const struct part_speed *small,
                     struct placement_rates *rates);

// From the time of a part of which a share crosses, finds `slowed`: what the processor loses
// meanwhile. It becomes the mean of what was found and what was assumed, because a small difference
// of long times is unsteady: one part showed 0.00, 0.16, 0.17, 0.39 and 0.53 within minutes. False:
// nothing was measured.
bool rates_of_crossing(const struct part_speed *part, double share, enum placement_kind kind,
                       struct placement_rates *rates);

// How many bytes per second the card reads if it only reads; 0: unknown.
double rates_card_reads(const struct placement_rates *rates);

// Called when an engine closes: keeps what it has learnt (placement_lesson.h), and empties the
// lesson.
void rates_learn(struct placement_lesson *lesson, const struct placement *placement);

// Read and write the file, for rates_get() and tests. find: false if there is no plausible line
// with this key. keep: replaces the line with this key, and drops the oldest line beyond RATES_MAX;
// false if the file cannot be written. of_split: makes the key of splits like this one, and sets
// *rates to the factors and changes that they have shown, or to 1 and 0.
struct rates_split {
    size_t card_bytes; // splits with equally many whole GiB are alike
    struct placement_override override;
    bool deterministic, has_adapters; // both take time
};
enum { RATES_MAX = 32, RATES_KEY_BYTES = 336 };
void rates_of_split(const char *path, const char *key, const struct rates_split *split,
                    struct placement_rates *rates, char split_key[RATES_KEY_BYTES]);
bool rates_find(const char *path, const char *key, struct placement_rates *rates);
bool rates_keep(const char *path, const char *key, const struct placement_rates *rates);

#endif
