// kernels/offload_worker.h — who answers a device in the middle of a step?
//
// A thread that watches the mail (struct host_mail) while a step runs, calls a function for each
// request, and replies. Between steps it sleeps. Private to kernels/.
//
//   asleep ── wake() ──► watching ── rest() ──► asleep
//
// Threads: wake() and rest() are called by the one that enqueues steps. The function runs on the
// worker's thread; what the device wrote before its request is seen there, and what the function
// wrote is seen by the device.
#ifndef OFFLOAD_WORKER_H
#define OFFLOAD_WORKER_H

#include "kernels/backend.h"

struct offload_worker;

MUST_CHECK enum status offload_worker_create(struct host_mail *mail, void (*answer)(void *job),
                                             struct offload_worker **worker);
void offload_worker_destroy(struct offload_worker *worker); // NULL is fine

void offload_worker_wake(struct offload_worker *worker); // before the first request of a step
void offload_worker_rest(struct offload_worker *worker); // after the device has done all of it

#endif
