// engine/rates.h — how fast are the card, the processor and the link between them?
//
// What a placement is planned by (engine/model/placement.h). No table knows these rates, so they
// are measured, which takes a second or two, and kept in a file: one line for each card, processor,
// number of threads and kind of feed-forward, and one for each split of it. Missing and absurd
// lines, and those of another version, are measured again; if the file cannot be written, every
// start measures. Of more than RATES_MAX lines those not used for longest are dropped. Quires that
// run at once share the file: none loses what another has kept.
#ifndef ENGINE_RATES_H
#define ENGINE_RATES_H

#include "engine/model/placement_lesson.h"
#include "kernels/part_speed.h"

struct engine;
struct engine_options;

// Of the feed-forward that most bytes would leave the card with: the first mixture's, or else the
// widest. All 0: they could not be measured. What answers have shown of the time differs from one
// split to another, so it is that of splits like this one. What they have shown of routing is that
// of all.
struct placement_rates rates_get(struct engine *engine, const struct engine_options *options,
                                 const struct placement_need *need, size_t card_bytes);

// What a whole part in host memory and a small one take tells how fast the processor reads and how
// long a crossing takes. False: no machine is like that, as if a crossing took no time.
bool rates_of_trials(const struct part_speed *whole, const struct part_speed *small,
                     struct placement_rates *rates);

// From the time of a part while a share of it crosses: what the processor loses meanwhile. Only
// half of what was assumed gives way, because it is a small difference of long times: of one part
// it was found to be 0.00, 0.16, 0.17, 0.39 and 0.53 within minutes. False: nothing was measured.
bool rates_of_crossing(const struct part_speed *part, double share, enum placement_kind kind,
                       struct placement_rates *rates);

// The bytes a second that the card reads without computing; 0: unknown.
double rates_card_reads(const struct placement_rates *rates);

// When an engine is closed: keeps what it has learnt (placement_lesson.h), which is empty then.
void rates_learn(struct placement_lesson *lesson, const struct placement *placement);

// Reads and writes the file, for rates_get() and tests. find: false if there is no plausible line
// with this key. keep: replaces the line of this key, and drops the oldest beyond RATES_MAX.
// of_split: what was learnt of splits like this one, their factors and changes, or 1 and 0.
struct rates_split {
    size_t card_bytes; // splits of as many GiB are alike
    struct placement_override override;
    bool deterministic, has_adapters; // which take time of their own
};
enum { RATES_MAX = 32, RATES_KEY_BYTES = 336 };
void rates_of_split(const char *path, const char *key, const struct rates_split *split,
                    struct placement_rates *rates, char split_key[RATES_KEY_BYTES]);
bool rates_find(const char *path, const char *key, struct placement_rates *rates);
bool rates_keep(const char *path, const char *key, const struct placement_rates *rates);

#endif
