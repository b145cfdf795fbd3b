// kernels/offload_jobs.h — what does the host compute in a step, and how long must it be known?
//
// A job is one op on the host. It has to live until the step is done, and in a recorded step as
// long as the recording. So jobs of recorded steps are kept and found again by what they compute
// (all their other fields follow from that), and those of other steps are used again after
// end_step().
//
// Memory: owns the jobs until deinit(). Threads: one at a time, but a job is read by the thread
// that computes it. Private to kernels/.
#ifndef OFFLOAD_JOBS_H
#define OFFLOAD_JOBS_H

#include "kernels/backend.h"

enum job_kind { JOB_LINEAR, JOB_GATED, JOB_EXPERTS };

struct job {
    struct job *next;
    struct device *device; // whose job it is
    enum job_kind kind;
    int32_t tokens;
    bool narrow;      // results become activations
    int32_t layer;    // of experts, in resident_experts.h; -1: none has a copy on the card
    int32_t noted;    // the same in ghost_slots.h; -1: in none
    int32_t gathered; // of a lone token's experts, that the card computes
    union {           // of the processor, with rows in host memory
        struct linear linear;
        struct gated_linear gated;
        struct experts experts;
    };
};

struct offload_jobs {    // zeros at first
    bool recorded;       // the step that is enqueued may be recorded
    bool lost;           // a recorded step may lack a job: none is to be replayed
    struct job *kept;    // of recorded steps
    struct job *running; // of this one
    struct job *idle;    // of none
};

int32_t job_columns(const struct job *job); // of the rows that it reads

// The job as it will be called: of a recorded step the one of an earlier recording, else a copy.
// NULL: there is no memory.
struct job *offload_jobs_keep(struct offload_jobs *all, const struct job *job);

void offload_jobs_end_step(struct offload_jobs *all); // what was enqueued is done
void offload_jobs_forget(struct offload_jobs *all);   // so are all recordings
void offload_jobs_deinit(struct offload_jobs *all);

#endif
