#include "store/disk_cache/readers.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels/base/assert.h"

enum { MAX_THREADS = 7 }; // including the caller: enough for a fast drive's queue and for memory

struct readers {
    pthread_mutex_t lock;
    pthread_cond_t work, finished;
    const struct slot_file *file;
    struct slot_read *reads; // [count], [next, count) are not started yet
    int32_t count, next, unfinished;
    bool stopping;
    int thread_count;
    pthread_t threads[MAX_THREADS];
};

void slot_read_run(const struct slot_file *file, struct slot_read *read) {
    ASSERT(file->file >= 0 && read->payload);
    read->outcome = slot_file_read(file, read->slot, read->payload, NULL);
    if (read->outcome == STATUS_OK &&
        !hash_equal(hash_bytes(read->payload, file->payload_bytes, 0), read->checksum))
        read->outcome = STATUS_BAD_FILE;
}

// Holds the lock, except while reading a slot.
static void read_what_is_left(struct readers *readers) {
    while (readers->next < readers->count) {
        struct slot_read *read = &readers->reads[readers->next++];
        const struct slot_file *file = readers->file;
        pthread_mutex_unlock(&readers->lock);
        slot_read_run(file, read);
        pthread_mutex_lock(&readers->lock);
        ASSERT(readers->unfinished > 0);
        if (--readers->unfinished == 0) pthread_cond_signal(&readers->finished);
    }
}

static void *reader_main(void *argument) {
    struct readers *readers = argument;
    pthread_mutex_lock(&readers->lock);
    while (!readers->stopping) {
        read_what_is_left(readers);
        if (!readers->stopping) pthread_cond_wait(&readers->work, &readers->lock);
    }
    pthread_mutex_unlock(&readers->lock);
    return NULL;
}

struct readers *readers_create(void) {
    struct readers *readers = calloc(1, sizeof *readers);
    if (!readers) return NULL;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_mutex_init(&readers->lock, NULL);
    pthread_cond_init(&readers->work, NULL);
    pthread_cond_init(&readers->finished, NULL);
    while (readers->thread_count < MAX_THREADS && readers->thread_count + 1 < cores &&
           pthread_create(&readers->threads[readers->thread_count], NULL, reader_main, readers) ==
               0)
        readers->thread_count++;
    return readers;
}

void readers_destroy(struct readers *readers) {
    if (!readers) return;
    pthread_mutex_lock(&readers->lock);
    ASSERT(readers->unfinished == 0);
    readers->stopping = true;
    pthread_cond_broadcast(&readers->work);
    pthread_mutex_unlock(&readers->lock);
    for (int i = 0; i < readers->thread_count; i++)
        pthread_join(readers->threads[i], NULL);
    pthread_cond_destroy(&readers->finished);
    pthread_cond_destroy(&readers->work);
    pthread_mutex_destroy(&readers->lock);
    free(readers);
}

void readers_run(struct readers *readers, const struct slot_file *file, struct slot_read *reads,
                 int32_t count) {
    ASSERT(count >= 0);
    pthread_mutex_lock(&readers->lock);
    ASSERT(readers->unfinished == 0);
    readers->file = file;
    readers->reads = reads;
    readers->count = readers->unfinished = count;
    readers->next = 0;
    pthread_cond_broadcast(&readers->work);
    read_what_is_left(readers);
    while (readers->unfinished > 0)
        pthread_cond_wait(&readers->finished, &readers->lock);
    readers->count = readers->next = 0;
    pthread_mutex_unlock(&readers->lock);
}
