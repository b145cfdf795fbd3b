// tests/kernels/test_expert_slots.c — slots hold what was used most recently, against a plain list.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdlib.h>
#include <string.h>

#include "kernels/expert_slots.h"

enum {
    SEED = 4711,
    LAYERS = 3,
    EXPERTS = 16,
    SLOTS = 9,
    STEPS = 3000,
    USED = 2,
    COMING_MOST = 4,
    DROP_STEPS = 400,
    ADD_STEPS = 1000
};

struct model { // what is held, the newest first
    int32_t owners[LAYERS * EXPERTS];
    int32_t count;
};

static int32_t find(const struct model *model, int32_t owner) {
    for (int32_t i = 0; i < model->count; i++)
        if (model->owners[i] == owner) return i;
    return -1;
}

static void drop(struct model *model, int32_t owner) {
    const int32_t at = find(model, owner);
    if (at < 0) return;
    memmove(model->owners + at, model->owners + at + 1,
            (size_t)(model->count - at - 1) * sizeof model->owners[0]);
    model->count--;
}

static void push(struct model *model, int32_t owner) {
    drop(model, owner);
    memmove(model->owners + 1, model->owners, (size_t)model->count * sizeof model->owners[0]);
    model->owners[0] = owner;
    model->count++;
}

// One step of random choices. Copies arrive after a random number of steps.
static void walk(struct expert_slots *slots, struct model *model, unsigned *seed,
                 struct expert_move coming[COMING_MOST], int32_t *count) {
    for (int32_t layer = 0; layer < LAYERS; layer++)
        for (int i = 0; i < USED; i++) {
            const int32_t expert = rand_r(seed) % (rand_r(seed) % 3 ? EXPERTS / 4 : EXPERTS);
            const int32_t owner = layer * EXPERTS + expert;
            const bool held = find(model, owner) >= 0;
            assert_int_equal(expert_slots_look(slots, layer, expert), held);
            if (held) push(model, owner);
        }
    while (*count > 0 && rand_r(seed) % 2) {
        const struct expert_move *move = &coming[--*count];
        if (expert_slots_arrive(slots, move)) push(model, move->layer * EXPERTS + move->expert);
        expert_slots_check(slots);
    }
    while (*count < COMING_MOST && expert_slots_take(slots, &coming[*count])) {
        const struct expert_move *move = &coming[(*count)++];
        const int32_t evicted = move->evicted_layer * EXPERTS + move->evicted_expert;
        assert_true(find(model, move->layer * EXPERTS + move->expert) < 0);
        if (move->evicted_layer >= 0) {
            assert_int_equal(find(model, evicted), model->count - 1); // the oldest
            drop(model, evicted);
        }
        expert_slots_check(slots);
    }
    expert_slots_end_step(slots);
}

static void slots_hold_what_was_used_most_recently(void **state) {
    struct expert_slots *slots;
    struct model model = {.count = 0};
    struct expert_move coming[COMING_MOST];
    unsigned seed = SEED;
    int32_t count = 0;
    (void)state;
    assert_int_equal(expert_slots_create(LAYERS, EXPERTS, SLOTS, &slots), STATUS_OK);
    for (int step = 0; step < STEPS; step++) {
        walk(slots, &model, &seed, coming, &count);
        if (step % DROP_STEPS == DROP_STEPS - 1) { // a slot is given up, whatever it holds
            int32_t layer, expert;
            assert_true(expert_slots_drop_last(slots, &layer, &expert));
            if (layer >= 0) drop(&model, layer * EXPERTS + expert);
            expert_slots_check(slots);
        }
        if (step % ADD_STEPS == ADD_STEPS - 1) expert_slots_add_last(slots);
    }
    const struct expert_slots_counts counts = expert_slots_counts(slots);
    assert_int_equal(counts.hits + counts.misses, STEPS * LAYERS * USED);
    assert_int_equal(expert_slots_count(slots), SLOTS - STEPS / DROP_STEPS + STEPS / ADD_STEPS);
    assert_true(counts.hits > STEPS && counts.moves > STEPS / 4);
    expert_slots_destroy(slots);
}

// After the slots are full, each step allows one move, and hits pay for more.
static void moves_are_earned_by_hits(void **state) {
    struct expert_slots *slots;
    struct expert_move move;
    (void)state;
    assert_int_equal(expert_slots_create(1, EXPERTS, 2, &slots), STATUS_OK);
    for (int32_t expert = 0; expert < 4; expert++)
        assert_false(expert_slots_look(slots, 0, expert));
    for (int i = 0; i < 2; i++) { // into empty ones
        assert_true(expert_slots_take(slots, &move));
        assert_int_equal(move.evicted_layer, -1);
        assert_true(expert_slots_arrive(slots, &move));
    }
    assert_false(expert_slots_take(slots, &move)); // what has just arrived stays for a step
    expert_slots_end_step(slots);
    for (int32_t expert = 8; expert < 12; expert++)
        assert_false(expert_slots_look(slots, 0, expert));
    assert_true(expert_slots_take(slots, &move));
    assert_true(expert_slots_arrive(slots, &move));
    assert_false(expert_slots_take(slots, &move)); // nothing was earned
    for (int i = 0; i < 16; i++)
        assert_true(expert_slots_look(slots, 0, move.expert));
    assert_true(expert_slots_take(slots, &move));
    expert_slots_destroy(slots);
}

// Slots that nobody has used yet are filled, of each layer alike, and given up first and for
// nothing.
static void empty_slots_are_filled_and_given_up_first(void **state) {
    enum { TAKEN = 2, FILLED = SLOTS - TAKEN };
    struct expert_slots *slots;
    struct expert_move moves[SLOTS], move;
    int32_t of_layer[LAYERS] = {0};
    (void)state;
    assert_int_equal(expert_slots_create(LAYERS, EXPERTS, SLOTS, &slots), STATUS_OK);
    for (int i = 0; i < TAKEN; i++)
        assert_false(expert_slots_look(slots, 0, i)); // the first that would be filled
    for (int i = 0; i < TAKEN; i++)
        assert_true(expert_slots_take(slots, &moves[i]));
    for (int i = TAKEN; i < SLOTS; i++) {
        assert_true(expert_slots_fill(slots, &moves[i]));
        assert_int_equal(moves[i].evicted_layer, -1);
        of_layer[moves[i].layer]++;
        expert_slots_check(slots);
    }
    assert_false(expert_slots_fill(slots, &move)); // none is empty
    for (int32_t layer = 0; layer < LAYERS; layer++)
        assert_true(of_layer[layer] > 0);
    for (int i = 0; i < SLOTS; i++) {
        assert_true(expert_slots_arrive(slots, &moves[i]));
        expert_slots_check(slots);
    }
    expert_slots_end_step(slots);
    assert_true(expert_slots_look(slots, moves[TAKEN].layer, moves[TAKEN].expert)); // used now
    for (int i = 0; i < FILLED; i++)
        assert_false(expert_slots_look(slots, 1, EXPERTS - 1 - i));
    for (int i = 1; i < FILLED; i++) { // one hit would pay for one move
        assert_true(expert_slots_take(slots, &move));
        bool was_filled = false;
        for (int j = TAKEN + 1; j < SLOTS; j++)
            was_filled = was_filled || moves[j].slot == move.slot;
        assert_true(was_filled);
        expert_slots_check(slots);
    }
    assert_true(expert_slots_drop_last(slots, &move.layer, &move.expert));
    expert_slots_add_last(slots);
    assert_true(expert_slots_fill(slots, &move)); // further ones
    assert_int_equal(move.slot, SLOTS - 1);
    expert_slots_destroy(slots);
}

// From the first step on: an answer of some twenty tokens says how many of its choices were hits,
// and how many experts were held meanwhile, not how many slots there are.
static void recent_shares_follow_a_short_answer(void **state) {
    enum { ANSWER = 24 };
    struct expert_slots *slots;
    struct expert_move move;
    (void)state;
    assert_int_equal(expert_slots_create(1, EXPERTS, SLOTS, &slots), STATUS_OK);
    assert_true(expert_slots_fill(slots, &move));
    assert_true(expert_slots_arrive(slots, &move));
    expert_slots_end_step(slots); // nothing was chosen
    for (int step = 0; step < ANSWER; step++) {
        assert_true(expert_slots_look(slots, 0, move.expert));
        (void)expert_slots_look(slots, 0, step % 2 ? move.expert : EXPERTS - 1);
        expert_slots_end_step(slots);
    }
    struct expert_slots_lately lately = expert_slots_lately(slots);
    assert_true(lately.hits > 0.749 && lately.hits < 0.751);
    assert_true(lately.held > 0.999 / EXPERTS && lately.held < 1.001 / EXPERTS);
    assert_true(expert_slots_take(slots, &move) == false);
    (void)expert_slots_look(slots, 0, EXPERTS - 1);
    assert_true(expert_slots_take(slots, &move)); // is not held before it arrives
    expert_slots_end_step(slots);
    for (int step = 0; step < 2; step++) {
        (void)expert_slots_look(slots, 0, 0);
        if (step == 0) assert_true(expert_slots_arrive(slots, &move)); // after the look
        lately = expert_slots_lately(slots);
        expert_slots_end_step(slots);
        assert_int_equal(expert_slots_lately(slots).held > lately.held, step > 0);
    }
    expert_slots_destroy(slots);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_hold_what_was_used_most_recently),
        cmocka_unit_test(moves_are_earned_by_hits),
        cmocka_unit_test(empty_slots_are_filled_and_given_up_first),
        cmocka_unit_test(recent_shares_follow_a_short_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
