// kernels/offload_jobs.c — three lists, and a job moves from one to the next.
#include "kernels/offload_jobs.h"

#include <stdlib.h>

int32_t job_columns(const struct job *job) {
    switch (job->kind) {
    case JOB_LINEAR:
        return job->linear.parts[0].weight.columns;
    case JOB_GATED:
        return job->gated.gate.columns;
    case JOB_EXPERTS:
        break;
    }
    return job->experts.gate.columns;
}

static const void *weights_of(const struct job *job) {
    switch (job->kind) {
    case JOB_LINEAR:
        return job->linear.parts[0].weight.data;
    case JOB_GATED:
        return job->gated.gate.data;
    case JOB_EXPERTS:
        break;
    }
    return job->experts.down.data;
}

static bool is_same(const struct job *a, const struct job *b) {
    return a->kind == b->kind && a->tokens == b->tokens && a->narrow == b->narrow &&
           weights_of(a) == weights_of(b);
}

static struct job *new_job(struct offload_jobs *all) {
    struct job *job = all->idle;
    if (!job) return calloc(1, sizeof *job);
    all->idle = job->next;
    return job;
}

struct job *offload_jobs_keep(struct offload_jobs *all, const struct job *job) {
    struct job **list = all->recorded ? &all->kept : &all->running;
    for (struct job *kept = all->kept; kept && all->recorded; kept = kept->next)
        if (is_same(kept, job)) return kept;
    struct job *ours = new_job(all);
    if (!ours) {
        all->lost = all->lost || all->recorded;
        return NULL;
    }
    *ours = *job;
    ours->next = *list;
    *list = ours;
    return ours;
}

void offload_jobs_end_step(struct offload_jobs *all) {
    while (all->running) {
        struct job *job = all->running;
        all->running = job->next;
        job->next = all->idle;
        all->idle = job;
    }
}

static void free_jobs(struct job **jobs) {
    while (*jobs) {
        struct job *first = *jobs;
        *jobs = first->next;
        free(first);
    }
}

void offload_jobs_forget(struct offload_jobs *all) {
    free_jobs(&all->kept);
    all->lost = false;
}

void offload_jobs_deinit(struct offload_jobs *all) {
    free_jobs(&all->kept);
    free_jobs(&all->running);
    free_jobs(&all->idle);
}
