// kernels/reference/mail.c — rows for a thread of the host, and its results.
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/reference/reference.h"

void reference_ask_host(struct device *device, const struct ask_host *args) {
    atomic_uint *request = (atomic_uint *)&args->mail->request;
    (void)device;
    ASSERT(args->count >= 0 && args->count <= ASK_PARTS);
    for (int32_t i = 0; i < args->count; i++)
        memcpy(args->parts[i].to, args->parts[i].from, args->parts[i].bytes);
    args->mail->job = args->job;
    atomic_store(request, atomic_load(request) + 1);
}

void reference_take_answer(struct device *device, const struct take_answer *args) {
    const atomic_uint *reply = (const atomic_uint *)&args->mail->reply;
    (void)device;
    ASSERT(!args->add || args->type == DTYPE_F32);
    while (atomic_load(reply) != args->mail->request) // which this thread alone writes
        (void)sched_yield();
    if (!args->add) {
        memcpy(args->y, args->results, args->count * (size_t)dtype_block_bytes(args->type));
        return;
    }
    for (size_t i = 0; i < args->count; i++)
        ((float *)args->y)[i] += ((const float *)args->results)[i];
}
