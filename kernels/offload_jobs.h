// kernels/offload_jobs.h — what does the host compute in a step, and how long must that be kept?
//
// A job is one op on the host. It has to live until the step is done, or, in a recorded step, as
// long as the recording. So jobs of recorded steps are kept, and found again by what they compute
// (all their other fields follow from that). Jobs of other steps are reused after end_step().
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
    int32_t layer;    // its number in resident_experts.h; -1: none, so no expert has a copy
    int32_t noted;    // its number in ghost_slots.h; -1: none
    int32_t gathered; // how many of a lone token's experts the card computes
    union {           // of the processor, with rows in host memory
        struct linear linear;
        struct gated_linear gated;
        struct experts experts;
    };
};

struct offload_jobs {    // zeros at first
    bool recorded;       // the step that is being enqueued may be recorded
    bool lost;           // a recorded step may lack a job, so none must be replayed
    struct job *kept;    // of recorded steps
    struct job *running; // of this step
    struct job *idle;    // of no step
};

int32_t job_columns(const struct job *job); // of the rows that it reads

// Returns the job that will run: that of an earlier recording if the step may be recorded, else a
// copy. NULL: there is no memory.
struct job *offload_jobs_keep(struct offload_jobs *all, const struct job *job);

void offload_jobs_end_step(struct offload_jobs *all); // what was enqueued is done
void offload_jobs_forget(struct offload_jobs *all);   // so are all recordings
void offload_jobs_deinit(struct offload_jobs *all);

#endif
