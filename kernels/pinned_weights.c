// kernels/pinned_weights.c — one copy for each matrix, in a list.
#include "kernels/pinned_weights.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/log.h"
#include "kernels/base/size.h"
#include "kernels/cost.h"
#include "kernels/host.h"

enum { GRANTED_BYTES = 256 << 20 }; // that are pinned between two looks at what is free

struct pinned_copy {
    struct pinned_copy *next;
    void *memory;
    size_t bytes;
};

// A system without memory for what is to be pinned refuses nothing: it ends a process.
static bool may_pin(struct pinned_weights *all, size_t bytes) {
    if (bytes > all->granted_bytes) {
        const size_t wanted = bytes + GRANTED_BYTES, spare = host_spare_memory();
        all->granted_bytes = wanted < spare ? wanted : spare;
    }
    if (bytes > all->granted_bytes) return false;
    all->granted_bytes -= bytes;
    return true;
}

const void *pinned_weights_copy(struct pinned_weights *all, const struct weight *in_file) {
    const size_t bytes = weight_bytes(in_file);
    struct pinned_copy *copy = calloc(1, sizeof *copy);
    if (!copy || !may_pin(all, bytes) ||
        all->card->alloc_host(all->on_card, bytes, &copy->memory) != STATUS_OK) {
        free(copy);
        all->incomplete = true;
        all->unpinned_bytes += bytes;
        if (!host_lock(in_file->data, bytes)) all->unlocked_bytes += bytes;
        return NULL;
    }
    copy->bytes = bytes;
    copy->next = all->copies;
    all->copies = copy;
    memcpy(copy->memory, in_file->data, bytes);
    if (!all->largest.data || bytes > weight_bytes(&all->largest)) {
        all->largest = *in_file;
        all->largest.data = copy->memory;
    }
    return copy->memory;
}

void pinned_weights_report(struct pinned_weights *all, bool expected) {
    char text[SIZE_TEXT_BYTES];
    if (all->unpinned_bytes > 0)
        log_write(expected ? LOG_DEBUG : LOG_WARNING,
                  "%s of the weights in memory could not be pinned; prompts take longer%s",
                  size_format(all->unpinned_bytes, text),
                  all->unlocked_bytes > 0
                      ? ", and answers, too, when the system drops some and reads them again"
                      : "");
    all->unpinned_bytes = all->unlocked_bytes = 0;
}

void pinned_weights_deinit(struct pinned_weights *all) {
    while (all->copies) {
        struct pinned_copy *first = all->copies;
        all->copies = first->next;
        all->card->release_host(all->on_card, first->memory, first->bytes);
        free(first);
    }
}
