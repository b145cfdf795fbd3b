// engine/core/sequence_state.h — what is a sequence? Its token log, its block tables, and how far
// it is restored.
//
// Its lock and its cache are its engine's, whose header this one includes. A step runs without the
// lock: only the engine's thread changes the tokens and the tables of a RUNNING sequence, and a
// fork only reads them.
//
// Outside a step and a restore, all tables of a sequence have `cached` tokens.
#ifndef ENGINE_CORE_SEQUENCE_STATE_H
#define ENGINE_CORE_SEQUENCE_STATE_H

#include "engine/core/engine_state.h"
#include "engine/core/sequence.h"

struct restoring {
    bool active;
    int32_t target;             // tokens that the table will have at the end
    struct restore_plan plan;   // of the most recent start
    struct restore_tally tally; // since the last request ended
    struct restore_tally noted; // of that and of finds on the device: what has been counted
    int64_t began_us;
    int64_t progress_us; // the deadline counts from here
    int64_t spent_us;    // since the last request ended
};

struct sequence {
    struct engine *engine;
    struct sequence *previous, *next; // all of an engine's sequences
    struct request *running;          // or NULL: IDLE
    int32_t *tokens;                  // [context]
    int32_t length, cached;
    struct grouped_table tables;
    struct grouped_table before; // while a step has drafts: states before it
    struct restoring restoring;
    int32_t pinned_length; // length of the shared prefix, which is kept longest; 0: none
    int64_t used_us;       // last use; the one used longest ago is preempted first
    bool saved;            // `conversation` needs what it has computed
    uint64_t conversation;
};

// ---- With the lock held.

// Its conversation now needs what the sequence has computed.
void sequence_refer(struct sequence *sequence);

void sequences_forget(struct engine *engine, uint64_t conversation); // none is its any more

void sequence_stop_restoring(struct sequence *sequence); // keeps what has arrived

// Releases all blocks of a sequence that no step uses. They can be found again until they are
// evicted, those of its pinned prefix last.
void sequence_preempt(struct sequence *sequence);

#endif
