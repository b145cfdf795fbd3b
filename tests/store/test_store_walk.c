// tests/store/test_store_walk.c — random verbs against the plainest model: arrays and loops.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tests/store/store_fixture.h"

enum {
    MESSAGES = 500,
    TALKS = 80,
    STEPS = 400,
    SEEDS = CHECK_ROUNDS(4, 2),
    WORDS = 12,
    MODELS = 2,
    TEXT = 32,
    TOKENS = 8
};

struct model_message {
    bool alive;
    int64_t parent;
    enum message_role role;
    char text[TEXT];
    int64_t tokens[MODELS]; // -1: never read
    int32_t cuts[MODELS];   // before them; -1: none
};

struct model_talk {
    bool alive, been_in[MESSAGES]; // by root
    char id[CONVERSATION_ID_BYTES], name[16];
    int64_t tip, used;
    int model, forked_from; // forked_from -1: no fork
    int64_t forked_at;
};

struct model {
    struct model_message messages[MESSAGES]; // by id
    struct model_talk talks[TALKS];
    int64_t message_count; // ids below it were given
    int talk_count;
    int64_t uses;
};

struct walk {
    struct store_fixture fixture;
    struct model model;
    int64_t models[MODELS];
    uint32_t random;
};

static uint32_t draw_below(struct walk *walk, uint32_t below) {
    walk->random = walk->random * 1664525u + 1013904223u;
    return (walk->random >> 8) % below;
}

static bool is_on_path(const struct model *model, int64_t tip, int64_t id) {
    while (tip != MESSAGE_NONE && tip != id)
        tip = model->messages[tip].parent;
    return tip == id;
}

static int64_t root_of(const struct model *model, int64_t id) {
    while (model->messages[id].parent != MESSAGE_NONE)
        id = model->messages[id].parent;
    return id;
}

// An alive message, or none.
static int64_t draw_message(struct walk *walk) {
    const int64_t id = draw_below(walk, (uint32_t)walk->model.message_count);
    return walk->model.messages[id].alive ? id : MESSAGE_NONE;
}

// An alive conversation, or -1.
static int draw_talk(struct walk *walk) {
    if (walk->model.talk_count == 0) return -1;
    const int talk = (int)draw_below(walk, (uint32_t)walk->model.talk_count);
    return walk->model.talks[talk].alive ? talk : -1;
}

static void draw_text(struct walk *walk, char text[TEXT]) {
    snprintf(text, TEXT, "w%ux w%ux w%ux", draw_below(walk, WORDS), draw_below(walk, WORDS),
             draw_below(walk, WORDS));
}

// Some of them begin with a cut.
static uint32_t draw_tokens(struct walk *walk, int32_t tokens[TOKENS]) {
    for (int32_t i = 0; i < TOKENS; i++)
        tokens[i] = i + 1;
    if (draw_below(walk, 4) == 0) tokens[0] = MESSAGE_CUT + (int32_t)draw_below(walk, 20);
    return draw_below(walk, TOKENS);
}

static void note_tokens(struct model_message *message, uint32_t reader, const int32_t *tokens,
                        uint32_t count) {
    message->tokens[reader] = count;
    message->cuts[reader] = count > 0 && tokens[0] >= MESSAGE_CUT ? tokens[0] - MESSAGE_CUT : -1;
}

static void set_tip(struct walk *walk, int talk, int64_t tip) {
    struct model_talk *moved = &walk->model.talks[talk];
    moved->tip = tip;
    moved->used = ++walk->model.uses;
    if (tip != MESSAGE_NONE) moved->been_in[root_of(&walk->model, tip)] = true;
}

static void move(struct walk *walk, int talk, int64_t tip) {
    struct error *err = &walk->fixture.err;
    walk->model.talks[talk].model = (int)draw_below(walk, MODELS);
    must(conversation_move(walk->fixture.db, walk->model.talks[talk].id, tip,
                           walk->models[walk->model.talks[talk].model], err),
         err);
    set_tip(walk, talk, tip);
}

static void add_message(struct walk *walk) {
    struct model *model = &walk->model;
    struct error *err = &walk->fixture.err;
    const int talk = draw_talk(walk);
    const bool here =
        talk >= 0 && draw_below(walk, 4) > 0; // as in a chat; else anywhere in the tree
    struct model_message fresh = {.alive = true, .tokens = {-1, -1}};
    if (model->message_count == MESSAGES) return;
    fresh.parent = here ? model->talks[talk].tip : draw_message(walk);
    fresh.role = (enum message_role)draw_below(walk, 3);
    draw_text(walk, fresh.text);
    int32_t tokens[TOKENS];
    const uint32_t reader = draw_below(walk, MODELS), count = draw_tokens(walk, tokens);
    const struct message message = {.parent = fresh.parent,
                                    .role = fresh.role,
                                    .text = fresh.text,
                                    .length = strlen(fresh.text)};
    int64_t id;
    must(message_add(walk->fixture.db, &message, walk->models[reader], tokens, count, &id, err),
         err);
    assert_int_equal(id, model->message_count);
    note_tokens(&fresh, reader, tokens, count);
    model->messages[model->message_count++] = fresh;
    if (talk >= 0 && draw_below(walk, 5) > 0) move(walk, talk, id);
}

static void create_talk(struct walk *walk) {
    struct model *model = &walk->model;
    struct error *err = &walk->fixture.err;
    struct conversation made;
    if (model->talk_count == TALKS) return;
    struct model_talk *talk = &model->talks[model->talk_count];
    *talk = (struct model_talk){.alive = true, .forked_from = -1, .used = ++model->uses};
    if (draw_below(walk, 3) == 0)
        snprintf(talk->name, sizeof talk->name, "talk %d", model->talk_count);
    must(conversation_create(walk->fixture.db, talk->name, walk->models[0], &made, err), err);
    memcpy(talk->id, made.id, sizeof talk->id);
    model->talk_count++;
}

static void fork_one(struct walk *walk) {
    struct model *model = &walk->model;
    struct error *err = &walk->fixture.err;
    struct conversation original, made;
    const int from = draw_talk(walk);
    if (from < 0 || model->talk_count == TALKS) return;
    int64_t at = model->talks[from].tip;
    while (at != MESSAGE_NONE && draw_below(walk, 3) == 0)
        at = model->messages[at].parent;
    must(conversation_find(walk->fixture.db, model->talks[from].id, &original, err), err);
    must(conversation_fork(walk->fixture.db, &original, at, "", &made, err), err);
    model->talks[model->talk_count] = (struct model_talk){
        .alive = true, .forked_from = from, .forked_at = at, .model = model->talks[from].model};
    memcpy(model->talks[model->talk_count].id, made.id, sizeof made.id);
    set_tip(walk, model->talk_count++, at);
}

static void kill_below(struct model *model, int64_t top) {
    for (int64_t id = 1; id < model->message_count; id++)
        if (model->messages[id].alive && is_on_path(model, id, top))
            model->messages[id].alive = false;
}

static void delete_one(struct walk *walk) {
    struct model *model = &walk->model;
    struct error *err = &walk->fixture.err;
    const int doomed = draw_talk(walk);
    if (doomed < 0) return;
    must(conversation_delete(walk->fixture.db, model->talks[doomed].id, err), err);
    model->talks[doomed].alive = false;
    for (int64_t id = 1; id < model->message_count; id++) {
        bool shared = false, reached = false;
        for (int i = 0; i < model->talk_count; i++) {
            const struct model_talk *talk = &model->talks[i];
            shared |= talk->alive && talk->been_in[id];
            reached |= talk->alive && is_on_path(model, talk->tip, id);
        }
        const bool last_in_tree = model->talks[doomed].been_in[id] && !shared;
        const bool only_here = is_on_path(model, model->talks[doomed].tip, id) && !reached;
        if (last_in_tree || only_here) kill_below(model, id);
    }
    for (int i = 0; i < model->talk_count; i++)
        if (model->talks[i].alive && model->talks[i].forked_from == doomed)
            model->talks[i].forked_from = model->talks[doomed].forked_from;
}

static void extend(struct walk *walk) {
    struct model *model = &walk->model;
    const int64_t id = draw_message(walk);
    int replies = 0, tips = 0;
    char text[TEXT];
    if (id == MESSAGE_NONE) return;
    for (int64_t i = 1; i < model->message_count; i++)
        replies += model->messages[i].alive && model->messages[i].parent == id;
    for (int i = 0; i < model->talk_count; i++)
        tips += model->talks[i].alive && model->talks[i].tip == id;
    draw_text(walk, text);
    int32_t tokens[TOKENS];
    const uint32_t reader = draw_below(walk, MODELS), count = draw_tokens(walk, tokens);
    const struct message longer = {.text = text, .length = strlen(text), .stop = STOP_END};
    const bool allowed = model->messages[id].role == MESSAGE_ASSISTANT && replies == 0 && tips <= 1;
    assert_int_equal(message_extend(walk->fixture.db, id, &longer, walk->models[reader], tokens,
                                    count, &walk->fixture.err),
                     allowed ? STATUS_OK : STATUS_BAD_INPUT);
    if (!allowed) return;
    memcpy(model->messages[id].text, text, sizeof text);
    note_tokens(&model->messages[id], reader, tokens, count);
    model->messages[id].tokens[1 - reader] = -1;
}

static void set_tokens(struct walk *walk) {
    int32_t tokens[TOKENS];
    const int64_t id = draw_message(walk);
    const uint32_t reader = draw_below(walk, MODELS), count = draw_tokens(walk, tokens);
    if (id == MESSAGE_NONE) return;
    must(message_set_tokens(walk->fixture.db, id, walk->models[reader], tokens, count,
                            &walk->fixture.err),
         &walk->fixture.err);
    note_tokens(&walk->model.messages[id], reader, tokens, count);
}

static void check_messages(struct walk *walk) {
    const struct model *model = &walk->model;
    for (int64_t id = 1; id < model->message_count; id++) {
        const struct model_message *expected = &model->messages[id];
        struct message found;
        const enum status status = message_get(walk->fixture.db, id, &found, NULL);
        assert_int_equal(status, expected->alive ? STATUS_OK : STATUS_NOT_FOUND);
        if (!expected->alive) continue;
        assert_int_equal(found.parent, expected->parent);
        assert_int_equal(found.role, expected->role);
        assert_string_equal(found.text, expected->text);
        message_deinit(&found);
        for (int reader = 0; reader < MODELS; reader++) {
            int32_t *tokens;
            size_t count;
            const bool read = message_tokens(walk->fixture.db, id, walk->models[reader], &tokens,
                                             &count, NULL) == STATUS_OK;
            assert_int_equal(read, expected->tokens[reader] >= 0);
            if (!read) continue;
            assert_int_equal(count, expected->tokens[reader]);
            free(tokens);
        }
    }
}

static int talk_by_id(const struct model *model, const char *id) {
    for (int i = 0; i < model->talk_count; i++)
        if (model->talks[i].alive && strcmp(model->talks[i].id, id) == 0) return i;
    return -1;
}

static void check_row(const struct model *model, const struct conversation_row *row) {
    const int index = talk_by_id(model, row->conversation.id);
    assert_true(index >= 0);
    const struct model_talk *talk = &model->talks[index];
    int64_t turns = 0, tokens = 0;
    bool broken = false, read = false;
    assert_string_equal(row->conversation.name, talk->name);
    assert_int_equal(row->conversation.tip, talk->tip);
    assert_string_equal(row->conversation.forked_from,
                        talk->forked_from < 0 ? "" : model->talks[talk->forked_from].id);
    for (int64_t id = talk->tip; id != MESSAGE_NONE; id = model->messages[id].parent) {
        turns += model->messages[id].role == MESSAGE_USER;
        broken |= model->messages[id].tokens[talk->model] < 0;
        if (broken) continue;
        read = true;
        tokens += model->messages[id].tokens[talk->model];
        const int32_t cut = model->messages[id].cuts[talk->model];
        if (cut < 0) continue;
        tokens += cut - 1;
        broken = true; // what stands before a cut is in it
    }
    assert_int_equal(row->turns, turns);
    assert_int_equal(row->tokens, read || talk->tip == MESSAGE_NONE ? tokens : -1);
}

// With a name, or with text, be it all taken back.
static bool is_listed(const struct model *model, const struct model_talk *talk) {
    bool has_text = false;
    for (int64_t id = 1; id < model->message_count; id++)
        has_text |= talk->been_in[id] && model->messages[id].alive;
    return talk->alive && (talk->name[0] || has_text);
}

// One below its nearest ancestor among the rows before it.
static int32_t depth_of(const struct model *model, const struct conversation_row *rows,
                        size_t row) {
    int talk = talk_by_id(model, rows[row].conversation.id);
    while ((talk = model->talks[talk].forked_from) >= 0)
        for (size_t k = 0; k < row; k++)
            if (strcmp(rows[k].conversation.id, model->talks[talk].id) == 0)
                return rows[k].depth + 1;
    return 0;
}

// Every conversation once, each fork below its parent, the families with the newest member first.
static void check_list(struct walk *walk) {
    const struct model *model = &walk->model;
    struct conversation_row *rows;
    size_t count, expected = 0;
    int64_t newest = INT64_MAX, family = 0;
    must(conversation_list(walk->fixture.db,
                           &(struct conversation_query){.words = "", .limit = TALKS}, &rows, &count,
                           &walk->fixture.err),
         &walk->fixture.err);
    for (int i = 0; i < model->talk_count; i++)
        expected += is_listed(model, &model->talks[i]);
    assert_int_equal(count, expected);
    for (size_t i = 0; i < count; i++) {
        check_row(model, &rows[i]);
        const int32_t depth = depth_of(model, rows, i);
        assert_int_equal(rows[i].depth, depth);
        const int64_t used = model->talks[talk_by_id(model, rows[i].conversation.id)].used;
        if (depth == 0) {
            assert_true(family <= newest);
            if (i > 0) newest = family;
            family = 0;
        }
        if (used > family) family = used;
    }
    assert_true(family <= newest);
    free(rows);
}

static void check_search(struct walk *walk) {
    const struct model *model = &walk->model;
    struct conversation_row *rows;
    char one[8], two[8], query[24];
    size_t count, expected = 0;
    snprintf(one, sizeof one, "w%ux", draw_below(walk, WORDS));
    snprintf(two, sizeof two, "w%ux", draw_below(walk, WORDS));
    snprintf(query, sizeof query, "%s %s", one, two);
    must(conversation_list(walk->fixture.db,
                           &(struct conversation_query){.words = query, .limit = TALKS}, &rows,
                           &count, &walk->fixture.err),
         &walk->fixture.err);
    for (int i = 0; i < model->talk_count; i++) {
        bool holds = false;
        for (int64_t id = model->talks[i].tip; id != MESSAGE_NONE; id = model->messages[id].parent)
            holds |= strstr(model->messages[id].text, one) && strstr(model->messages[id].text, two);
        expected += is_listed(model, &model->talks[i]) && holds;
    }
    assert_int_equal(count, expected);
    free(rows);
}

static void check_paths(struct walk *walk) {
    const struct model *model = &walk->model;
    struct error *err = &walk->fixture.err;
    for (int i = 0; i < model->talk_count; i++) {
        struct message *path;
        size_t count;
        if (!model->talks[i].alive) continue;
        must(message_path(walk->fixture.db, model->talks[i].tip, &path, &count, err), err);
        int64_t id = model->talks[i].tip;
        for (size_t k = count; k-- > 0; id = model->messages[id].parent)
            assert_int_equal(path[k].id, id);
        assert_int_equal(id, MESSAGE_NONE);
        message_path_free(path, count);
    }
}

static void take_verb(struct walk *walk) {
    const uint32_t verb = draw_below(walk, 16);
    if (verb < 7) add_message(walk);
    if (verb == 7 || verb == 8) create_talk(walk);
    if (verb == 9 || verb == 10) fork_one(walk);
    if (verb == 11) delete_one(walk);
    if (verb == 12) extend(walk);
    if (verb == 13) set_tokens(walk);
    if (verb == 14) {
        const int talk = draw_talk(walk);
        const int64_t tip = draw_message(walk);
        if (talk >= 0) move(walk, talk, tip);
    }
    if (verb == 15) store_fixture_reopen(&walk->fixture);
}

static bool may_be_inside(uint32_t seed) {
    struct walk peek = {.random = seed};
    const uint32_t verb = draw_below(&peek, 16);
    return verb != 12 && verb != 15; // a refusal fails the transaction; reopening ends it
}

// A few verbs in a transaction that is kept or rolled back.
static void take_transaction(struct walk *walk) {
    static struct model before;
    before = walk->model;
    must(db_begin(walk->fixture.db, &walk->fixture.err), &walk->fixture.err);
    for (uint32_t left = 1 + draw_below(walk, 4); left > 0; left--)
        if (may_be_inside(walk->random)) take_verb(walk);
    if (draw_below(walk, 2) == 0) {
        db_rollback(walk->fixture.db);
        walk->model = before;
    } else {
        must(db_commit(walk->fixture.db, &walk->fixture.err), &walk->fixture.err);
    }
}

static void a_random_walk_agrees_with_a_naive_store(void **state) {
    (void)state;
    static struct walk walk;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        print_message("seed %u\n", seed);
        walk = (struct walk){.random = seed, .model.message_count = 1};
        store_fixture_init(&walk.fixture, true);
        struct error *err = &walk.fixture.err;
        walk.models[0] = walk.fixture.model;
        must(db_model(walk.fixture.db, (struct hash128){8, 8}, "two", &walk.models[1], err), err);
        for (int step = 0; step < STEPS; step++) {
            if (draw_below(&walk, 8) == 0)
                take_transaction(&walk);
            else
                take_verb(&walk);
            must(db_check(walk.fixture.db, err), err);
            check_messages(&walk);
            check_paths(&walk);
            check_list(&walk);
            check_search(&walk);
        }
        store_fixture_deinit(&walk.fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_random_walk_agrees_with_a_naive_store)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
