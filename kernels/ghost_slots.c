#include "kernels/ghost_slots.h"

#include <stdlib.h>

#include "kernels/base/assert.h"

enum { PART = 4 }; // of the experts have slots: hits tell most about routing there

struct ghost_slots {
    struct expert_slots *slots;
    const void **layers; // [layers_max] by their weights
    int32_t layers_max, layer_count, experts;
};

enum status ghost_slots_create(int32_t layers, int32_t experts, struct ghost_slots **result) {
    ASSERT(layers > 0 && experts > 0);
    struct ghost_slots *made = calloc(1, sizeof *made);
    if (!made) return STATUS_NO_MEMORY;
    *made = (struct ghost_slots){.layers_max = layers, .experts = experts};
    made->layers = calloc((size_t)layers, sizeof made->layers[0]);
    const int32_t slots = (layers * experts + PART - 1) / PART;
    if (!made->layers || expert_slots_create(layers, experts, slots, &made->slots) != STATUS_OK) {
        ghost_slots_destroy(made);
        return STATUS_NO_MEMORY;
    }
    struct expert_move move;
    while (expert_slots_fill(made->slots, &move))
        MUST(expert_slots_arrive(made->slots, &move));
    *result = made;
    return STATUS_OK;
}

void ghost_slots_destroy(struct ghost_slots *ghosts) {
    if (!ghosts) return;
    expert_slots_destroy(ghosts->slots);
    free(ghosts->layers);
    free(ghosts);
}

int32_t ghost_slots_layer(struct ghost_slots *ghosts, const void *weights) {
    for (int32_t i = 0; i < ghosts->layer_count; i++)
        if (ghosts->layers[i] == weights) return i;
    if (ghosts->layer_count == ghosts->layers_max) return -1;
    ghosts->layers[ghosts->layer_count] = weights;
    return ghosts->layer_count++;
}

void ghost_slots_look(struct ghost_slots *ghosts, int32_t layer, const int32_t *chosen,
                      int32_t count) {
    for (int32_t i = 0; i < count; i++)
        if (chosen[i] >= 0 && chosen[i] < ghosts->experts)
            (void)expert_slots_look(ghosts->slots, layer, chosen[i]);
}

void ghost_slots_end_step(struct ghost_slots *ghosts) {
    struct expert_move move;
    while (expert_slots_take(ghosts->slots, &move))
        MUST(expert_slots_arrive(ghosts->slots, &move));
    expert_slots_end_step(ghosts->slots);
}

struct expert_slots_lately ghost_slots_lately(const struct ghost_slots *ghosts) {
    return expert_slots_lately(ghosts->slots);
}
