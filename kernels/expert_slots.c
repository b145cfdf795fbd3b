// kernels/expert_slots.c — least recently used, and an upload has to be earned.
//
// An expert that is copied to the card costs the link, and the memory that the processor reads at
// the same time, as much as computing it once would. Where tokens choose what those before them
// chose, it comes back soon; where routing has no memory, every copy only replaces one that is as
// good. What tells the two apart is how often a chosen expert is held: without memory as often as
// slots are of all experts, whatever is copied. Clearly above that, each hit pays for a move into a
// slot that is in use; else it takes sixteen. One move a step is free, and moves into empty slots
// cost nothing. Of a step's misses those go first that were missed shortly before, too.
#include "kernels/expert_slots.h"

#include <stdlib.h>

#include "kernels/base/assert.h"

static const double CLEARLY = 0.02; // of what is between the share of slots and all

enum {
    MISSES_MAX = 4096,  // of a step; further ones are not noted
    FULL_PRICE = 16,    // of a move, in hits
    CREDIT_MAX = 1024,  // in hits
    MEAN_STEPS = 32,    // that the share of hits is of, about
    SHORTLY_STEPS = 16, // between two misses of the same expert
    NOWHERE = -1,
    COMING = -2,
};

struct slot {
    int32_t owner;         // layer * experts + expert; NOWHERE: empty
    int32_t before, after; // in the order of use; itself: in none
    uint32_t used;         // step; 0: never
};

struct expert_slots {
    int32_t layers, experts, count;
    struct slot *slots; // [count + 1]; the last is the ring's own: after it the newest
    int32_t ring;       // its index
    int32_t *place;     // [layers * experts]: a slot, NOWHERE or COMING
    uint32_t *missed;   // [layers * experts]: step of the last miss; 0: none
    uint32_t step;      // from 1
    int32_t misses, tried;
    int32_t owners[MISSES_MAX];
    bool again[MISSES_MAX];                    // it was missed shortly before
    int32_t credit;                            // in hits
    int32_t first_empty;                       // or one before it
    int32_t filled;                            // experts that fill() has looked at
    int32_t held, held_before;                 // now, and while this step looked
    struct expert_slots_lately lately;         // means
    int32_t steps;                             // of so many steps, MEAN_STEPS at most
    struct expert_slots_counts counts, before; // before this step
};

static void unlink_slot(struct expert_slots *all, int32_t at) {
    struct slot *slot = &all->slots[at];
    all->slots[slot->before].after = slot->after;
    all->slots[slot->after].before = slot->before;
    slot->before = slot->after = at;
}

static void link_behind(struct expert_slots *all, int32_t at, int32_t before) {
    struct slot *slot = &all->slots[at];
    slot->before = before;
    slot->after = all->slots[before].after;
    all->slots[slot->after].before = at;
    all->slots[before].after = at;
}

static void make_newest(struct expert_slots *all, int32_t at) {
    unlink_slot(all, at);
    link_behind(all, at, all->ring);
    all->slots[at].used = all->step;
}

enum status expert_slots_create(int32_t layers, int32_t experts, int32_t slots,
                                struct expert_slots **result) {
    ASSERT(layers > 0 && experts > 0 && slots >= 0);
    struct expert_slots *made = calloc(1, sizeof *made);
    if (!made) return STATUS_NO_MEMORY;
    const size_t owners = (size_t)layers * (size_t)experts;
    made->layers = layers;
    made->experts = experts;
    made->count = made->ring = slots;
    made->step = 1;
    made->slots = calloc((size_t)slots + 1, sizeof *made->slots);
    made->place = calloc(owners, sizeof *made->place);
    made->missed = calloc(owners, sizeof *made->missed);
    if (!made->slots || !made->place || !made->missed) {
        expert_slots_destroy(made);
        return STATUS_NO_MEMORY;
    }
    for (size_t i = 0; i < owners; i++)
        made->place[i] = NOWHERE;
    for (int32_t i = 0; i <= slots; i++)
        made->slots[i] = (struct slot){.owner = NOWHERE, .before = i, .after = i};
    *result = made;
    return STATUS_OK;
}

void expert_slots_destroy(struct expert_slots *all) {
    if (!all) return;
    free(all->slots);
    free(all->place);
    free(all->missed);
    free(all);
}

static void note_miss(struct expert_slots *all, int32_t owner) {
    const uint32_t last = all->missed[owner];
    if (last == all->step || all->misses == MISSES_MAX) return;
    all->again[all->misses] = last > 0 && all->step - last <= SHORTLY_STEPS;
    all->owners[all->misses++] = owner;
    all->missed[owner] = all->step;
}

bool expert_slots_look(struct expert_slots *all, int32_t layer, int32_t expert) {
    ASSERT(layer >= 0 && layer < all->layers && expert >= 0 && expert < all->experts);
    const int32_t owner = layer * all->experts + expert, at = all->place[owner];
    if (at < 0) {
        all->counts.misses++;
        note_miss(all, owner);
        return false;
    }
    make_newest(all, at);
    all->counts.hits++;
    if (all->credit < CREDIT_MAX) all->credit++;
    return true;
}

// The next of the step's misses: first those of experts that were missed shortly before. They begin
// elsewhere in each step, so that no layer is always first.
static int32_t next_miss(struct expert_slots *all) {
    while (all->tried < 2 * all->misses) {
        const bool again = all->tried < all->misses;
        const uint32_t turn = (uint32_t)all->tried++ + all->step * 37;
        const int32_t at = (int32_t)(turn % (uint32_t)all->misses);
        if (all->again[at] == again && all->place[all->owners[at]] == NOWHERE)
            return all->owners[at];
    }
    return NOWHERE;
}

// A slot is emptied only by giving it up, so those before the first empty one stay taken.
static int32_t find_empty(struct expert_slots *all) {
    while (all->first_empty < all->count && all->slots[all->first_empty].owner != NOWHERE)
        all->first_empty++;
    return all->first_empty < all->count ? all->first_empty : NOWHERE;
}

static double share_of_experts(const struct expert_slots *all, int32_t slots) {
    return (double)slots / ((double)all->layers * (double)all->experts);
}

static int32_t price_of_move(const struct expert_slots *all) {
    const double slots = share_of_experts(all, all->count);
    return all->lately.hits > slots + CLEARLY * (1 - slots) ? 1 : FULL_PRICE;
}

// The slot that was not used for longest, if a move is earned; NOWHERE: none.
static int32_t evict(struct expert_slots *all) {
    const int32_t oldest = all->slots[all->ring].before, price = price_of_move(all);
    if (oldest == all->ring || all->slots[oldest].used == all->step) return NOWHERE;
    if (all->slots[oldest].used > 0) {
        if (all->credit < price) return NOWHERE;
        all->credit -= price;
    }
    unlink_slot(all, oldest);
    all->place[all->slots[oldest].owner] = NOWHERE;
    all->held--;
    return oldest;
}

static void begin_move(struct expert_slots *all, int32_t owner, int32_t at,
                       struct expert_move *move) {
    const int32_t old = all->slots[at].owner;
    *move = (struct expert_move){.layer = owner / all->experts,
                                 .expert = owner % all->experts,
                                 .slot = at,
                                 .evicted_layer = old < 0 ? -1 : old / all->experts,
                                 .evicted_expert = old < 0 ? -1 : old % all->experts};
    all->slots[at].owner = owner;
    all->slots[at].used = all->step;
    all->place[owner] = COMING;
    all->counts.moves++;
}

bool expert_slots_take(struct expert_slots *all, struct expert_move *move) {
    const int32_t owner = next_miss(all);
    if (owner == NOWHERE) return false;
    int32_t at = find_empty(all);
    if (at == NOWHERE) at = evict(all);
    if (at == NOWHERE) return false;
    begin_move(all, owner, at, move);
    return true;
}

bool expert_slots_fill(struct expert_slots *all, struct expert_move *move) {
    const int32_t at = find_empty(all);
    for (; at != NOWHERE && all->filled < all->layers * all->experts; all->filled++) {
        const int32_t layer = all->filled % all->layers, expert = all->filled / all->layers;
        const int32_t owner = layer * all->experts + expert;
        if (all->place[owner] != NOWHERE) continue;
        begin_move(all, owner, at, move);
        all->slots[at].used = 0;
        return true;
    }
    return false;
}

bool expert_slots_arrive(struct expert_slots *all, const struct expert_move *move) {
    const int32_t owner = move->layer * all->experts + move->expert;
    if (move->slot >= all->count || all->slots[move->slot].owner != owner) return false;
    ASSERT(all->place[owner] == COMING);
    all->place[owner] = move->slot;
    all->held++;
    if (all->slots[move->slot].used > 0)
        make_newest(all, move->slot);
    else
        link_behind(all, move->slot, all->slots[all->ring].before);
    return true;
}

void expert_slots_end_step(struct expert_slots *all) {
    const double hits = (double)(all->counts.hits - all->before.hits);
    const double misses = (double)(all->counts.misses - all->before.misses);
    if (hits + misses > 0) {
        if (all->steps < MEAN_STEPS) all->steps++;
        all->lately.hits += (hits / (hits + misses) - all->lately.hits) / all->steps;
        all->lately.held +=
            (share_of_experts(all, all->held_before) - all->lately.held) / all->steps;
    }
    all->before = all->counts;
    all->held_before = all->held;
    all->misses = all->tried = 0;
    all->step++;
    const int32_t price = price_of_move(all);
    if (all->credit < price) all->credit = price;
}

bool expert_slots_drop_last(struct expert_slots *all, int32_t *layer, int32_t *expert) {
    if (all->count == 0) return false;
    const int32_t at = all->count - 1, owner = all->slots[at].owner;
    *layer = owner < 0 ? -1 : owner / all->experts;
    *expert = owner < 0 ? -1 : owner % all->experts;
    unlink_slot(all, at);
    if (owner >= 0) {
        all->held -= all->place[owner] == at;
        all->place[owner] = NOWHERE;
    }
    all->slots[at].owner = NOWHERE;
    all->count--;
    if (all->first_empty > all->count) all->first_empty = all->count;
    return true;
}

void expert_slots_add_last(struct expert_slots *all) {
    ASSERT(all->count < all->ring);
    all->count++;
}

int32_t expert_slots_count(const struct expert_slots *all) { return all->count; }

struct expert_slots_counts expert_slots_counts(const struct expert_slots *all) {
    return all->counts;
}

struct expert_slots_lately expert_slots_lately(const struct expert_slots *all) {
    return all->lately;
}

void expert_slots_check(const struct expert_slots *all) {
    int32_t held = 0, listed = 0;
    bool unused = false;
    for (int32_t i = 0; i < all->count; i++) {
        const int32_t owner = all->slots[i].owner;
        if (owner == NOWHERE) continue;
        ASSERT(all->place[owner] == i || all->place[owner] == COMING);
        held += all->place[owner] == i;
    }
    for (int32_t at = all->slots[all->ring].after; at != all->ring; at = all->slots[at].after) {
        ASSERT(at < all->count && all->slots[all->slots[at].after].before == at);
        ASSERT(all->slots[at].owner != NOWHERE && all->place[all->slots[at].owner] == at);
        ASSERT(all->slots[at].used == 0 || !unused);
        unused = all->slots[at].used == 0;
        listed++;
    }
    ASSERT(held == listed && held == all->held);
    for (int32_t i = 0; i < all->layers * all->experts; i++)
        ASSERT(all->place[i] < 0 || all->slots[all->place[i]].owner == i);
}
