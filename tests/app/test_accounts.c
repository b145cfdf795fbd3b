// tests/app/test_accounts.c — what /kv, /list and `quire kv` add up is true at every moment.
//
// Several chats with one preamble are answered at once over a disk. After each event of theirs the
// engine's and the folder's accounts are read, while the engine computes and writes.
#include "app/chat/chat_kv.h"
#include "app/chat/chat_move.h"
#include "app/chat/chat_turn.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/accounting.h"
#include "store/conversation_id.h"
#include "store/disk_cache/disk_cache.h"
#include "tests/app/chats.h"

enum {
    CHATS = 4,
    CONTEXT = 512,
    BLOCK = 16, // tokens
    ROOMY_BLOCKS = 512,
    TIGHT_BLOCKS = 36, // for one conversation at its longest, not for all of them
    HOST_BLOCKS = 8,
    ANSWER = 64, // tokens
    SEED = 4,
    TURNS = 2,
    SUMMARY_EVERY = 16, // events; each opens the folder
    RESTORE_MS = 10000,
};

static const char PREAMBLE[] = "You are brief. You answer in plain words, you say what you know, "
                               "and you say so when you do not know. You never make up a name.";
static const char *const QUESTIONS[TURNS][CHATS] = {
    {"Tell me a story about a dog.", "What is the capital of France?", "Tell me about rivers.",
     "Why is the sky blue?"},
    {"And about a cat?", "And of Spain?", "And about lakes?", "And red in the evening?"}};
static const struct hash128 DIGEST = {1, 1};

struct house {
    char folder[32];
    struct engine *engine;
    struct db *db;
    struct chat *chats[CHATS];
};

static struct engine *open_engine(const char *folder, uint32_t blocks, size_t block_bytes) {
    struct engine *engine = NULL;
    struct error err = {0};
    const struct engine_options options = {
        .model_path = DEMO_MODEL,
        .backend = "cpu",
        .context = CONTEXT,
        .block_size = BLOCK,
        .kv_device_bytes = blocks * block_bytes,
        .kv_host_bytes = HOST_BLOCKS * block_bytes,
        .disk = disk_cache_create(&(struct disk_cache_options){.folder = folder}),
        .digest = &DIGEST,
        .kv_restore = KV_RESTORE_ALWAYS,
    };
    must(engine_open(&options, &engine, &err), &err);
    return engine;
}

static size_t demo_block_bytes(void) {
    struct engine *engine = chats_engine(CONTEXT, 64 << 20, NULL);
    struct kv_usage usage;
    engine_kv_usage(engine, &usage);
    engine_close(engine);
    return usage.groups[0].block_bytes;
}

static void open_house(struct house *house, uint32_t blocks) {
    struct error err = {0};
    *house = (struct house){.folder = "/tmp/quire-test-XXXXXX"};
    assert_non_null(mkdtemp(house->folder));
    house->engine = open_engine(house->folder, blocks, demo_block_bytes());
    must(db_open(":memory:", &house->db, &err), &err);
    struct session_options options = {
        .engine = house->engine, .db = house->db, .digest = DIGEST, .preamble = PREAMBLE};
    struct sampler_options *sampler = &options.settings.sampler;
    *sampler = sampler_options_default(); // one token is about as likely as another: no early end
    sampler->temperature = 9;
    sampler->top_k = 0;
    sampler->top_p = 1;
    sampler->min_p = 0;
    sampler->seed = SEED;
    options.settings.seed_given = true;
    options.settings.max_tokens = ANSWER;
    house->chats[0] = chats_open(&options);
    for (int i = 1; i < CHATS; i++)
        must(chat_open(house->chats[0]->session, &house->chats[i], &err), &err);
}

static void remove_files(const char *folder) {
    char path[512];
    DIR *listed = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(listed));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(listed);
    rmdir(folder);
}

static void close_house(struct house *house) {
    for (int i = CHATS - 1; i > 0; i--)
        chat_close(house->chats[i]);
    chats_close(house->chats[0]);
    engine_close(house->engine);
    db_close(house->db);
    remove_files(house->folder);
}

// Blocks that are needed, of rows that each count theirs as unique or shared: a shared one is in
// two rows or more, and all that is shared is at least what one row shares.
struct needed {
    uint64_t least, most;
};

static void check_pools(const struct kv_usage *kv) {
    for (int32_t i = 0; i < kv->group_count; i++) {
        const struct kv_group_usage *group = &kv->groups[i];
        assert_int_equal(group->device_held + group->device_cached + group->device_free,
                         group->device_blocks);
        assert_int_equal(group->host_moving + group->host_cached + group->host_free,
                         group->host_blocks);
    }
    assert_true(kv->groups[0].device_shared <= kv->groups[0].device_held);
    assert_true(kv->groups[0].device_spared >= kv->groups[0].device_shared);
    assert_int_equal(kv->failed_reads + kv->failed_writes + kv->refused_writes, 0);
}

// Each row by itself, and all rows against the pools, looked at after. An answer's row goes as far
// as its sequence; unless the sequence was preempted between the looks, which shows in `cached`, or
// in tokens that were prefilled again.
static void check_conversations(const struct house *house) {
    uint64_t numbers[CHATS];
    int32_t cached[CHATS], then[CHATS];
    struct conversation_usage usage[CHATS];
    struct kv_usage before, kv;
    struct needed needed = {0};
    uint64_t unique = 0, shared = 0, most_shared = 0;
    engine_kv_usage(house->engine, &before);
    for (int i = 0; i < CHATS; i++) {
        numbers[i] = conversation_number(house->chats[i]->conversation.id);
        cached[i] = sequence_cached(house->chats[i]->sequence);
    }
    engine_conversation_usage(house->engine, numbers, CHATS, usage);
    for (int i = 0; i < CHATS; i++)
        then[i] = sequence_cached(house->chats[i]->sequence);
    engine_kv_usage(house->engine, &kv);
    check_pools(&kv);
    for (int i = 0; i < CHATS; i++) {
        const struct conversation_usage *one = &usage[i];
        const uint64_t blocks = one->unique_blocks + one->shared_blocks;
        assert_int_equal(one->device_tokens + one->host_tokens + one->disk_tokens, one->tokens);
        assert_in_range(blocks * BLOCK - (uint64_t)one->tokens, 0, BLOCK - 1);
        assert_true(one->unique_bytes == one->unique_blocks * kv.groups[0].block_bytes);
        assert_true(one->shared_bytes == one->shared_blocks * kv.groups[0].block_bytes);
        const bool undisturbed =
            kv.work.prefilled_tokens == before.work.prefilled_tokens && then[i] >= cached[i];
        if (house->chats[i]->turn.state != TURN_IDLE && undisturbed)
            assert_true(one->tokens >= cached[i] / BLOCK * BLOCK);
        unique += one->unique_blocks;
        shared += one->shared_blocks;
        if (one->shared_blocks > most_shared) most_shared = one->shared_blocks;
    }
    needed = (struct needed){unique + most_shared, unique + shared / 2};
    assert_true(needed.least <= needed.most);
    assert_true(needed.least <= (uint64_t)kv.groups[0].device_held + kv.groups[0].device_cached +
                                    kv.groups[0].host_cached + kv.disk_blocks);
}

static void check_folder(const char *folder) {
    struct disk_cache_summary summary = {0};
    struct error err = {0};
    uint64_t blocks = 0, unique = 0, shared = 0, most_shared = 0;
    must(disk_cache_summarise(folder, &summary, &err), &err);
    for (size_t i = 0; i < summary.format_count; i++)
        blocks += summary.formats[i].blocks;
    for (size_t i = 0; i < summary.reference_count; i++) {
        const struct disk_reference_usage *reference = &summary.references[i];
        unique += reference->unique_bytes;
        shared += reference->shared_bytes;
        if (reference->shared_bytes > most_shared) most_shared = reference->shared_bytes;
    }
    const uint64_t needed = summary.block_bytes - summary.unreferenced_bytes;
    assert_true(summary.unreferenced_bytes <= summary.block_bytes);
    assert_int_equal(blocks, summary.blocks);
    assert_true(summary.stored_bytes ==
                summary.block_bytes + summary.free_bytes + summary.index_bytes);
    assert_in_range(needed, unique + most_shared, unique + shared / 2);
    disk_cache_summary_deinit(&summary);
}

// All chats at once, to the end of each.
static void answer_all(const struct house *house, int turn, int *events) {
    struct session *session = house->chats[0]->session;
    struct error err = {0};
    for (int i = 0; i < CHATS; i++) {
        const char *question = QUESTIONS[turn][i];
        must(chats_send(house->chats[i], question, strlen(question), &err), &err);
        check_conversations(house);
    }
    for (int left = CHATS; left > 0;) {
        struct turn_update update;
        if (!session_next(session, 1000, &update)) continue;
        check_conversations(house);
        if ((*events)++ % SUMMARY_EVERY == 0) check_folder(house->folder);
        if (update.event != TURN_DONE) continue;
        assert_int_equal(update.turn->status, STATUS_OK);
        left--;
    }
}

static void usage_adds_up_while_answers_are_written(void **state) {
    (void)state;
    static const uint32_t pools[] = {ROOMY_BLOCKS, TIGHT_BLOCKS};
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        struct house house;
        struct kv_usage kv;
        int events = 0;
        open_house(&house, pools[i]);
        for (int turn = 0; turn < TURNS; turn++)
            answer_all(&house, turn, &events);
        engine_kv_usage(house.engine, &kv);
        assert_true(events > CHATS * ANSWER / 2);
        if (pools[i] == TIGHT_BLOCKS) assert_true(kv.evicted_blocks > 0);
        print_message("%u blocks: %d events, %u evicted, %u preempted\n", pools[i], events,
                      (unsigned)kv.evicted_blocks, (unsigned)kv.work.preempted_requests);
        engine_check(house.engine);
        close_house(&house);
    }
}

// The row of /kv, and the place in /list, from the first block on.
static void a_conversation_counts_from_its_first_block(void **state) {
    (void)state;
    struct house house;
    struct error err = {0};
    struct turn_update update;
    int seen = 0;
    open_house(&house, ROOMY_BLOCKS);
    struct chat *chat = house.chats[0];
    must(chats_send(chat, QUESTIONS[0][0], strlen(QUESTIONS[0][0]), &err), &err);
    const uint64_t number = conversation_number(chat->conversation.id);
    while (chats_next(chat, &update)) {
        struct conversation_usage usage;
        if (update.event != TURN_TEXT) continue;
        engine_conversation_usage(house.engine, &number, 1, &usage);
        assert_true(usage.tokens >= BLOCK && usage.device_tokens == usage.tokens);
        seen++;
    }
    assert_true(seen > 0);
    close_house(&house);
}

static void tokens_restored_from_disk_count_as_disk_hits(void **state) {
    (void)state;
    struct house house;
    struct restore_report report = {0};
    struct error err = {0};
    struct kv_usage kv;
    int events = 0;
    open_house(&house, ROOMY_BLOCKS);
    answer_all(&house, 0, &events);
    char id[CONVERSATION_ID_BYTES];
    memcpy(id, house.chats[0]->conversation.id, sizeof id);
    const size_t block_bytes = demo_block_bytes();
    for (int i = CHATS - 1; i > 0; i--)
        chat_close(house.chats[i]);
    chats_close(house.chats[0]);
    engine_close(house.engine);
    house.engine = open_engine(house.folder, ROOMY_BLOCKS, block_bytes);
    const struct session_options options = {
        .engine = house.engine, .db = house.db, .digest = DIGEST, .preamble = PREAMBLE};
    house.chats[0] = chats_open(&options);
    must(chat_resume(house.chats[0], id, &err), &err);
    chat_restore(house.chats[0], RESTORE_MS, &report);
    assert_true(report.done && report.disk_tokens > 0);
    engine_kv_usage(house.engine, &kv);
    assert_true(kv.work.disk_hit_tokens == (uint64_t)report.disk_tokens);
    check_folder(house.folder);
    chats_close(house.chats[0]);
    engine_close(house.engine);
    db_close(house.db);
    remove_files(house.folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_adds_up_while_answers_are_written),
        cmocka_unit_test(a_conversation_counts_from_its_first_block),
        cmocka_unit_test(tokens_restored_from_disk_count_as_disk_hits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
