// engine/step/restoring.h — how do a sequence's cached blocks get back to the device?
#ifndef ENGINE_STEP_RESTORING_H
#define ENGINE_STEP_RESTORING_H

#include <stdbool.h>
#include <stdint.h>

struct restore_tally;
struct sequence;

struct restore_report {
    int32_t length;                                  // of the log
    int32_t device_tokens, host_tokens, disk_tokens; // found there, and in the cache now
    int32_t left_tokens;                             // found, but computed again, as it is faster
    int32_t lost_tokens;     // found only in part: keys of windows, or a recurrent state, are gone
    int64_t restore_us;      // time it took
    int64_t prefill_us;      // time that computing them would have taken
    int64_t left_restore_us; // time that reading left_tokens would take
    int64_t lost_us;         // time that computing lost_tokens will take; 0: not known
    bool done;               // false: still in progress
};

// Finds the log's beginning on all tiers and restores it to the device before a request needs it.
// Waits up to timeout_ms (0: only starts it); after that it continues in the background. The
// sequence must be IDLE. *report says how far it has come; for a model on a server it is empty.
void sequence_restore(struct sequence *sequence, int timeout_ms, struct restore_report *report);

// ---- For the engine's thread, with the lock held.

// Looks the log up in the cache. Blocks on the device enter the table at once; restoring_advance(),
// called again and again, brings the rest.
void restoring_begin(struct sequence *sequence);
void restoring_advance(struct sequence *sequence);
// Counts what was found, each token once.
void restoring_note(struct sequence *sequence, const struct restore_tally *found);

#endif
