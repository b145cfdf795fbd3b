// tests/engine/test_equality.c [PATTERN] — an answer does not depend on the path that its KV took.
//
// For each model, a conversation of two turns is computed in one go in a roomy cache; then along
// every other path: evicted to host memory and back, written to the disk and read by another
// process, forked from a running sequence, in a pool of a quarter of what is needed. Tokens and
// logits must be the same to the bit, as hashes of each row of logits by its position; recomputed,
// chunked and batched too, where --deterministic asks for it. On the cpu with keys and values of 16
// and of 8 bits, and on a card if there is one: there over rows and over packed pages.
// QUIRE_TEST_BACKEND=cuda leaves the other backends out.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/request_state.h"
#include "engine/engine.h"
#include "engine/model/config_read.h"
#include "kernels/backend.h"
#include "store/disk_cache/disk_cache.h"

enum {
    PROMPT = 83, // not a multiple of any block size
    ANSWER = 24,
    QUESTION = 19, // the second turn's
    LENGTH = PROMPT + ANSWER + QUESTION + ANSWER,
    CONTEXT = 240,
    CHATS = 8,
    MIDDLE = PROMPT / 4, // whose first block is given up first
    LONG_PAST = 1600,
    ROOMY_BLOCKS = 512, // for everything that a test says, and no more to look through
    SMALL_HOST_BYTES = 32 << 20,
};

struct talk { // what a conversation came to
    int32_t tokens[LENGTH];
    uint64_t logits[LENGTH + 1]; // hash of the row that token i was picked from; 0: none
    uint64_t drafts[LENGTH + 1]; // hash of what the draft head said before it; 0: nothing
    struct request_stats first, second;
};

struct listener {
    struct talk *talk;
    const struct sequence *sequence;
    int32_t next; // position of the token that is picked next
    int32_t stop; // before picking this one, waits for
    atomic_bool go_on, waits;
};

// At the end of a model's path: no family has windows and states, so layers of the model get
// windows when its metadata has been read, the first that attends and then every other one; or all
// of them.
#define WINDOWS      "+windows"
#define ONLY_WINDOWS WINDOWS " only"

// At its end: the model drafts for itself, as a smaller one would, where drafts are on.
#define DRAFTER "+drafter"

// Instrumented, the first two would take minutes, and the next eight differ from others in what a
// layer computes, which golden/test_golden shows, not in what the cache has of it.
enum { MIXTURE = 1, LLAMA = 10, FIRST_MODEL = CHECK_FULL ? 0 : LLAMA };

static const char *const MODELS[] = {
    DEMO_MODEL,
    TESTS_DIR "/golden/gemma4-moe.gguf",
    TESTS_DIR "/golden/qwen3.gguf",
    TESTS_DIR "/golden/mistral4.gguf",       // queries that grow with their positions
    TESTS_DIR "/golden/phi2.gguf",           // LayerNorm, a parallel block, a bias everywhere
    TESTS_DIR "/golden/smallthinker.gguf",   // experts that are chosen before the mixer
    TESTS_DIR "/golden/muse-glimmer.gguf",   // gates by sigmoid, rotation in windows alone
    TESTS_DIR "/golden/step35.gguf",         // a gate for each head, limits, half heads rotated
    TESTS_DIR "/golden/cohere2moe-rms.gguf", // experts in a parallel block
    TESTS_DIR "/golden/phimoe.gguf",         // a sparse mixer
    TESTS_DIR "/golden/llama.gguf",
    TESTS_DIR "/golden/deepseek2.gguf",
    TESTS_DIR "/golden/laguna.gguf",   // windows and heads of two numbers, gates by softplus
    TESTS_DIR "/golden/nanbeige.gguf", // layers that are visited again
    TESTS_DIR "/golden/mimo2.gguf",    // values narrower than keys, sinks, windows
    TESTS_DIR "/golden/gemma4.gguf",
    TESTS_DIR "/golden/gemma4-e.gguf",
    TESTS_DIR "/golden/gemma4-wide.gguf",
    TESTS_DIR "/golden/lfm2.gguf",
    TESTS_DIR "/golden/qwen35.gguf",
    TESTS_DIR "/golden/granitehybrid.gguf",
    TESTS_DIR "/golden/falcon-h1.gguf",
    TESTS_DIR "/golden/falcon-h1.gguf" WINDOWS,   // beside layers that see everything, and states
    TESTS_DIR "/golden/qwen35.gguf" ONLY_WINDOWS, // beside states alone
    TESTS_DIR "/golden/mtp-right-glm4moe.gguf",   // a block that drafts has keys and values, too
    TESTS_DIR "/golden/mtp-right-qwen35.gguf",
    TESTS_DIR "/golden/llama.gguf" DRAFTER,
    TESTS_DIR "/golden/qwen35.gguf" DRAFTER, // a sequence that cannot be cut follows the log
};

struct way { // of computing
    const char *backend, *attention, *kv_type;
};

enum { CPU_WAYS = 4, WAYS = 9, DETERMINISTIC_WAYS = 8 }; // the last one is not

// At the end of a backend's name: all layers but the last have their feed-forwards in host memory,
// and the reference backend is the card.
#define HOST "+host"

static const char *model;
static size_t number; // of the model; what each need not show takes turns by it
static struct way way;
static bool drafts;               // of every answer but the truth; on a card these have other bits
static struct known {             // of a model, computed in a way
    size_t block_bytes;           // in all layers
    struct talk truths[2][CHATS]; // [deterministic][which]
    bool has_truth[2][CHATS];
} * known;

static bool has_host(void) { return strstr(way.backend, HOST) != NULL; }
static bool is_on_card(void) { return strncmp(way.backend, "cuda", 4) == 0; }

static void hear(void *user, const float *logits, int32_t vocabulary) {
    struct listener *listener = user;
    assert_true(listener->next < LENGTH);
    while (listener->next == listener->stop && !atomic_load(&listener->go_on)) {
        atomic_store(&listener->waits, true);
        usleep(100);
    }
    const struct proposal *said = &listener->sequence->running->draft.proposals[DRAFT_HEAD];
    if (said->count > 0)
        listener->talk->drafts[listener->next] =
            hash_bytes(said->tokens, (size_t)said->count * sizeof said->tokens[0], 0).low;
    listener->talk->logits[listener->next++] =
        hash_bytes(logits, (size_t)vocabulary * sizeof *logits, 0).low;
}

static size_t bytes_of_blocks(size_t blocks);

static bool has_mamba(void) { return strstr(model, "hybrid") || strstr(model, "falcon-h1"); }

static bool has_windows(void) {
    return strstr(model, "gemma4") || strstr(model, "laguna") || strstr(model, "lfm2") ||
           strstr(model, "mtp-") || strstr(model, "smallthinker") || strstr(model, "mimo2") ||
           strstr(model, "muse-glimmer") || strstr(model, "step35") ||
           strstr(model, "cohere2moe") || strstr(model, WINDOWS);
}

enum status __real_model_config_read(const struct gguf *gguf, struct model_config *config,
                                     struct error *err);
enum status __wrap_model_config_read(const struct gguf *gguf, struct model_config *config,
                                     struct error *err);

enum status __wrap_model_config_read(const struct gguf *gguf, struct model_config *config,
                                     struct error *err) {
    enum { WINDOW = 24 };
    bool slides = true;
    TRY(__real_model_config_read(gguf, config, err));
    for (int32_t i = 0; i < config->layers && strstr(model, WINDOWS); i++) {
        if (config->specs[i].mixer != MIXER_ATTENTION) continue;
        if (slides) config->specs[i].attention.window = WINDOW;
        slides = !slides || strstr(model, ONLY_WINDOWS);
    }
    return STATUS_OK;
}

static bool has_drafter(void) { return strstr(model, DRAFTER) && strcmp(way.backend, "cpu") == 0; }

// They are kept after whole blocks only, and not after each: what follows is computed again.
static bool has_states(void) { return strstr(model, "qwen35") || has_mamba(); }

static struct engine *open_with(const struct engine_options *options) {
    struct engine *engine;
    struct error err = {0};
    struct engine_options all = *options;
    char path[256];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(model, "+"), model);
    all.model_path = path;
    if (has_drafter()) all.draft_path = path;
    char backend[16];
    snprintf(backend, sizeof backend, "%.*s", (int)strcspn(way.backend, "+"), way.backend);
    all.backend = backend;
    if (has_host()) {
        static const struct placement_rates rates = {1e11, 1e10, 1e10, 0, 50,   0,
                                                     0,    1,    1,    1, 0.25, 0};
        all.placement = (struct placement_override){.has_ngl = true, .ngl = 1};
        all.rates = &rates;
        all.deterministic = true; // else many rows are computed elsewhere than few
    }
    all.attention = way.attention;
    all.kv_type = way.kv_type;
    all.threads = CHECK_THREADS || number % 2 == 0 ? 2 : 1; // no bit depends on it
    if (all.context == 0) all.context = CONTEXT;
    if (all.kv_device_bytes == 0) all.kv_device_bytes = bytes_of_blocks(ROOMY_BLOCKS);
    all.io_deadline_ms = 20000; // a slow machine is no failure here
    if (all.kv_host_bytes == 0 && is_on_card())
        all.kv_host_bytes = SMALL_HOST_BYTES;   // what a card pins unasked takes long
    if (has_states()) all.deterministic = true; // what is computed again has another shape
    if (engine_open(&all, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    return engine;
}

static size_t bytes_of_blocks(size_t blocks) {
    if (known->block_bytes == 0) {
        struct engine *engine = open_with(&(struct engine_options){.kv_device_bytes = 64 << 20});
        struct kv_usage usage;
        engine_kv_usage(engine, &usage);
        engine_close(engine);
        if (strstr(model, WINDOWS)) {
            const int32_t full = strstr(model, ONLY_WINDOWS) == NULL;
            assert_int_equal(usage.group_count, full + 2);
            assert_int_equal(usage.groups[full].kind, CACHE_WINDOW);
            assert_int_equal(usage.groups[full + 1].kind, CACHE_STATE);
        }
        for (int32_t i = 0; i < usage.group_count; i++)
            known->block_bytes += usage.groups[i].block_bytes;
    }
    return blocks * known->block_bytes;
}

static int32_t vocabulary_of(struct engine *engine) {
    struct engine_info info;
    engine_info(engine, &info);
    return info.vocabulary;
}

// Ids of chat `which`; the first half of every prompt is the same head.
static void fill_ids(struct engine *engine, uint32_t which, uint32_t turn, int32_t *ids,
                     int32_t count) {
    const uint32_t vocabulary = (uint32_t)vocabulary_of(engine);
    for (int32_t i = 0; i < count; i++) {
        const bool head = turn == 0 && i < PROMPT / 2;
        const uint32_t salt = head ? 7u : which * 1000003u + turn * 10007u;
        ids[i] = (int32_t)((((uint32_t)i + 1) * 2654435761u ^ salt * 40503u) % vocabulary);
    }
}

static void append(struct engine *engine, struct sequence *sequence, uint32_t which,
                   uint32_t turn) {
    int32_t ids[PROMPT];
    const int32_t count = turn == 0 ? PROMPT : QUESTION;
    fill_ids(engine, which, turn, ids, count);
    assert_int_equal(sequence_append(sequence, ids, (size_t)count), STATUS_OK);
}

// What the answers are known to be, but for a token now and then: so that drafts are right and
// wrong along every path but that of the truth.
static void remember(struct engine *engine, uint32_t which) {
    int32_t text[LENGTH];
    for (int i = 0; i < 2; i++) {
        if (which >= CHATS || !known->has_truth[i][which]) continue;
        memcpy(text, known->truths[i][which].tokens, sizeof text);
        for (int32_t at = PROMPT + 3; at < LENGTH; at += 7)
            text[at] = text[0];
        engine_history_add(engine, text, LENGTH);
    }
}

static bool has_head(void) { return strstr(model, "mtp-") != NULL; }

static uint32_t no_drafts_of(void) {
    return has_head() || has_drafter() ? 1u << DRAFT_LOOKUP | 1u << DRAFT_HISTORY : 0;
}

static struct request *start_request(struct sequence *sequence, struct listener *listener) {
    struct request_options options = {.sampler = sampler_options_default(),
                                      .max_tokens = ANSWER,
                                      .ignore_end = true,
                                      .speculate = drafts ? DRAFT_MAX : 0,
                                      .draft_always = true,
                                      .no_drafts_of = no_drafts_of(),
                                      .observer = hear,
                                      .observer_user = listener};
    options.sampler.temperature = 0;
    listener->next = sequence_length(sequence);
    listener->sequence = sequence;
    struct request *request;
    assert_int_equal(request_start_all(&sequence, &options, 1, &request), STATUS_OK);
    return request;
}

static struct request_stats finish_request(struct engine *engine, struct request *request) {
    struct event event;
    do
        assert_true(engine_next_event(engine, 60000, &event));
    while (event.kind != EVENT_DONE || event.request != request);
    assert_int_equal(event.status, STATUS_OK);
    assert_int_equal(event.stats.output_tokens, ANSWER);
    request_release(request);
    return event.stats;
}

static struct request_stats answer_talk(struct engine *engine, struct sequence *sequence,
                                        struct talk *talk) {
    struct listener listener = {.talk = talk};
    return finish_request(engine, start_request(sequence, &listener));
}

static struct sequence *new_sequence(struct engine *engine) {
    struct sequence *sequence;
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    return sequence;
}

static void keep_tokens(const struct sequence *sequence, struct talk *talk) {
    assert_int_equal(sequence_length(sequence), LENGTH);
    memcpy(talk->tokens, sequence_tokens(sequence), sizeof talk->tokens);
}

static struct sequence *first_turn(struct engine *engine, uint32_t which, struct talk *talk) {
    struct sequence *sequence = new_sequence(engine);
    append(engine, sequence, which, 0);
    remember(engine, which);
    talk->first = answer_talk(engine, sequence, talk);
    return sequence;
}

static void second_turn(struct engine *engine, struct sequence *sequence, uint32_t which,
                        struct talk *talk) {
    append(engine, sequence, which, 1);
    talk->second = answer_talk(engine, sequence, talk);
    keep_tokens(sequence, talk);
    engine_check(engine);
}

static void whole_talk(struct engine *engine, uint32_t which, struct talk *talk) {
    struct sequence *sequence = first_turn(engine, which, talk);
    second_turn(engine, sequence, which, talk);
    sequence_destroy(sequence);
}

// Every row that both have heard is the same, and both have heard those of the answers.
static void assert_same_talk(const struct talk *a, const struct talk *b) {
    assert_memory_equal(a->tokens, b->tokens, sizeof a->tokens);
    for (int32_t i = 0; i < LENGTH; i++) {
        const bool answered = (i >= PROMPT && i < PROMPT + ANSWER) || i >= LENGTH - ANSWER;
        if (!answered) continue;
        if (a->logits[i] != b->logits[i]) fail_msg("%s: logits differ at token %d", model, i);
    }
    assert_true(a->logits[PROMPT] != 0 && a->logits[LENGTH - 1] != 0);
}

// Once more alone, so that what was drafted on another path can be compared.
static void assert_same_drafts(uint32_t which, const struct talk *talk) {
    struct talk stayed = {0};
    if (!has_head() || !drafts) return;
    struct engine *engine = open_with(&(struct engine_options){0});
    whole_talk(engine, which, &stayed);
    engine_close(engine);
    assert_same_talk(&stayed, talk);
    assert_memory_equal(stayed.drafts, talk->drafts, sizeof stayed.drafts);
    const struct draft_stats *stats = &stayed.second.drafts;
    assert_true(stats->of[DRAFT_HEAD].accepted > 0);
    assert_true(stats->of[DRAFT_HEAD].drafted > stats->of[DRAFT_HEAD].accepted);
}

// Computed alone, in one go, in a cache that is never short.
static void talk_alone(uint32_t which, bool deterministic, struct talk *talk) {
    *talk = (struct talk){0};
    struct engine *engine = open_with(&(struct engine_options){.deterministic = deterministic});
    drafts = false;
    whole_talk(engine, which, talk);
    drafts = strcmp(way.backend, "cpu") == 0;
    assert_int_equal(talk->second.device_tokens, talk->second.cached_tokens);
    engine_close(engine);
}

static const struct talk *truth_of(uint32_t which, bool deterministic) {
    struct talk *truth = &known->truths[deterministic][which];
    if (!known->has_truth[deterministic][which]) talk_alone(which, deterministic, truth);
    known->has_truth[deterministic][which] = true;
    return truth;
}

static void a_second_run_gives_the_same_logits_in_one_model(void) {
    const struct talk *truth = truth_of(0, false);
    struct talk again;
    talk_alone(0, false, &again);
    assert_same_talk(truth, &again);
    talk_alone(1, false, &again);
    assert_memory_not_equal(truth->tokens, again.tokens, sizeof truth->tokens); // it can differ
}

static void swapping_to_the_host_and_back_changes_no_logit_in_one_model(void) {
    struct talk swapped = {0}, other = {0};
    const uint32_t end = has_states() ? 8 : 5;
    struct engine *engine = open_with(&(struct engine_options){
        .kv_device_bytes = bytes_of_blocks(CONTEXT / 16 + 1),
        .kv_host_bytes = bytes_of_blocks(has_states() ? 512 : 64),
    });
    struct sequence *sequence = first_turn(engine, 0, &swapped);
    for (uint32_t which = 2; which < end; which++) // others, kept, push it out
        first_turn(engine, which, &other);
    assert_int_equal(sequence_cached(sequence), 0);
    second_turn(engine, sequence, 0, &swapped);
    // Beside the states of Mamba-2 keys are small, and stay.
    assert_true(swapped.second.host_tokens >= PROMPT / 2 || has_mamba());
    assert_true(swapped.second.cached_tokens >= PROMPT + ANSWER - 16);
    assert_same_talk(truth_of(0, false), &swapped);
    assert_same_drafts(0, &swapped);
    engine_close(engine);
}

// The tail too; the last token of an answer was never computed.
static int32_t tokens_on_disk(void) {
    return has_states() ? (PROMPT + ANSWER - 1) / 16 * 16 : PROMPT + ANSWER - 1;
}

static struct engine *open_on_disk(const char *folder) {
    const struct disk_cache_options cache = {.folder = folder};
    return open_with(&(struct engine_options){.disk = disk_cache_create(&cache),
                                              .kv_restore = KV_RESTORE_ALWAYS});
}

static char *file_of_talk(const char *folder) {
    static char path[64];
    snprintf(path, sizeof path, "%s.talk", folder);
    return path;
}

static void load_talk(const char *folder, struct talk *talk) {
    FILE *file = fopen(file_of_talk(folder), "rb");
    assert_non_null(file);
    assert_int_equal(fread(talk, sizeof *talk, 1, file), 1);
    fclose(file);
}

static void save_talk(const char *folder, const struct talk *talk) {
    FILE *file = fopen(file_of_talk(folder), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(talk, sizeof *talk, 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

// Runs this program again, which takes *talk further: a card cannot be used after a fork alone.
static void in_another_process(const char *act, const char *folder, struct talk *talk) {
    int code;
    save_talk(folder, talk);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "test_equality", act, folder, model, way.backend, way.attention,
              way.kv_type, NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    load_talk(folder, talk);
    unlink(file_of_talk(folder));
}

static void have_first_turn(const char *folder, struct talk *talk) {
    struct engine *engine = open_on_disk(folder);
    struct sequence *sequence = first_turn(engine, 0, talk);
    memcpy(talk->tokens, sequence_tokens(sequence), (PROMPT + ANSWER) * sizeof talk->tokens[0]);
    engine_close(engine);
}

static void have_second_turn(const char *folder, struct talk *talk) {
    struct engine *engine = open_on_disk(folder);
    struct sequence *sequence = new_sequence(engine);
    assert_int_equal(sequence_append(sequence, talk->tokens, PROMPT + ANSWER), STATUS_OK);
    struct restore_report report;
    sequence_restore(sequence, 20000, &report);
    assert_true(report.done);
    assert_int_equal(report.disk_tokens, tokens_on_disk());
    second_turn(engine, sequence, 0, talk);
    engine_close(engine);
}

// Blocks of another layout or type are other blocks: who has these finds none, and writes its own
// beside those that are there.
static void another_way_shares_nothing(const char *folder, struct way other,
                                       const struct talk *talk) {
    const struct way before = way;
    struct restore_report report;
    struct talk theirs = {0};
    way = other;
    struct engine *engine = open_on_disk(folder);
    struct sequence *sequence = new_sequence(engine);
    assert_int_equal(sequence_append(sequence, talk->tokens, PROMPT + ANSWER), STATUS_OK);
    sequence_restore(sequence, 20000, &report);
    assert_int_equal(report.disk_tokens, 0);
    engine_close(engine);
    in_another_process("first", folder, &theirs);
    assert_int_equal(theirs.first.disk_tokens, 0);
    in_another_process("second", folder, &theirs);
    assert_int_equal(theirs.second.disk_tokens, tokens_on_disk());
    way = before;
}

static void restoring_in_a_new_process_changes_no_logit_in_one_model(void) {
    struct talk restored = {0};
    char folder[] = "/tmp/quire-equality-XXXXXX";
    assert_non_null(mkdtemp(folder));
    in_another_process("first", folder, &restored);
    struct way other = way;
    if (strcmp(way.attention, "v2") == 0)
        other.attention = "flash";
    else if (has_host())
        other.backend = is_on_card() ? "cuda" : "reference"; // all weights in one place
    else
        other.kv_type = strcmp(way.kv_type, "f16") == 0 ? "bf16" : "f16";
    another_way_shares_nothing(folder, other, &restored);
    in_another_process("second", folder, &restored);
    assert_int_equal(restored.second.disk_tokens, tokens_on_disk());
    assert_int_equal(restored.second.cached_tokens, tokens_on_disk());
    assert_same_talk(truth_of(0, false), &restored);
    assert_same_drafts(0, &restored);
    uint64_t freed;
    assert_int_equal(disk_cache_drop(folder, &freed, NULL), STATUS_OK);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

// The fork's own answer goes on where the original's was at that moment; both end alike. They are
// computed together, and how flash then divides a past depends on the card's multiprocessors.
static void forking_a_running_sequence_changes_no_logit_in_one_model(void) {
    const bool deterministic = is_on_card() && strcmp(way.attention, "v2") != 0;
    const struct talk *truth = truth_of(0, deterministic);
    struct talk original = {0}, forked = {0};
    struct engine *engine = open_with(&(struct engine_options){.deterministic = deterministic});
    struct sequence *sequence = new_sequence(engine), *fork;
    append(engine, sequence, 0, 0);
    struct listener listener = {.talk = &original, .stop = PROMPT + 8}, other = {.talk = &forked};
    struct request *request = start_request(sequence, &listener);
    struct event event;
    int heard = 0;
    for (bool waits = false, more = true; more || !waits;) { // in a step that may have drafts
        waits = atomic_load(&listener.waits);                // then no more events come
        more = engine_next_event(engine, waits ? 0 : 10, &event);
        heard += more && event.kind == EVENT_TOKEN;
    }
    assert_int_equal(sequence_fork(sequence, &fork), STATUS_OK);
    assert_in_range(heard, 1, 8);
    assert_int_equal(sequence_length(fork), PROMPT + heard);
    struct request *fork_request = start_request(fork, &other);
    atomic_store(&listener.go_on, true);
    int done = 0;
    while (done < 2) {
        assert_true(engine_next_event(engine, 60000, &event));
        done += event.kind == EVENT_DONE;
    }
    request_release(request);
    request_release(fork_request);
    // It began later, and so went further. Where its last token is computed in the next turn, as
    // the original's is, a card does the same products.
    sequence_truncate(fork, PROMPT + ANSWER - 1);
    assert_int_equal(sequence_append(fork, &truth->tokens[PROMPT + ANSWER - 1], 1), STATUS_OK);
    assert_memory_equal(sequence_tokens(fork), truth->tokens, (PROMPT + ANSWER) * sizeof(int32_t));
    for (int32_t i = PROMPT; i < PROMPT + ANSWER; i++) {
        assert_int_equal(original.logits[i], truth->logits[i]);
        if (forked.logits[i]) assert_int_equal(forked.logits[i], truth->logits[i]);
    }
    assert_true(forked.logits[PROMPT + ANSWER - 1] != 0);
    second_turn(engine, fork, 0, &forked);
    if (forked.second.cached_tokens != truth->second.cached_tokens) {
        // What its windows had let go, or had no state for, was computed again, by products of
        // another shape, and the original finds its blocks.
        assert_true(has_windows() || has_states());
        engine_close(engine);
        return;
    }
    for (int32_t i = LENGTH - ANSWER; i < LENGTH; i++)
        assert_int_equal(forked.logits[i], truth->logits[i]);
    second_turn(engine, sequence, 0, &original);
    assert_same_talk(truth, &original);
    engine_close(engine);
}

// All chats at once, their turns in step.
static void talk_together(const struct engine_options *options, struct talk *talks,
                          struct kv_usage *usage) {
    struct engine *engine = open_with(options);
    struct sequence *sequences[CHATS];
    struct request *requests[CHATS];
    struct listener listeners[CHATS] = {0};
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < CHATS; i++) {
            if (turn == 0) sequences[i] = new_sequence(engine);
            append(engine, sequences[i], i, turn);
            listeners[i].talk = &talks[i];
            requests[i] = start_request(sequences[i], &listeners[i]);
        }
        for (int done = 0; done < CHATS;) {
            struct event event;
            assert_true(engine_next_event(engine, 60000, &event));
            if (event.kind != EVENT_DONE) continue;
            assert_int_equal(event.status, STATUS_OK);
            done++;
        }
        for (uint32_t i = 0; i < CHATS; i++)
            request_release(requests[i]);
        engine_check(engine);
    }
    for (uint32_t i = 0; i < CHATS; i++)
        keep_tokens(sequences[i], &talks[i]);
    engine_kv_usage(engine, usage);
    assert_int_equal(usage->groups[0].device_held + usage->groups[0].device_cached +
                         usage->groups[0].device_free,
                     usage->groups[0].device_blocks);
    engine_close(engine);
}

// Who does not fit waits to be let in; who gives way in the middle is in test_engine.c.
static void a_quarter_of_the_needed_pool_changes_no_logit_in_one_model(void) {
    static struct talk talks[CHATS];
    const size_t need = CHATS * (LENGTH / 16 + 1); // blocks, when nothing is shared
    const size_t least = CONTEXT / 16 + 1;
    const size_t pools[][3] = {{need / 4, need, 0}, // device, host, tokens of a step
                               {least, need, 0},
                               {least, 0, 0},
                               {need / 3, need, 16}, // few blocks for windows
                               {need / 3, 0, 16}};
    // Most of this program's time: a model has every second one. A small pool
    // and one with short steps show what 8 bits and what threads change.
    const bool is_plain = !CHECK_THREADS && strcmp(way.kv_type, "f16") == 0;
    const size_t step = is_plain ? 2 : 3;
    for (size_t pool = is_plain ? number % 2 : 0; pool < sizeof pools / sizeof pools[0];
         pool += step) {
        struct kv_usage usage;
        memset(talks, 0, sizeof talks);
        talk_together(&(struct engine_options){.deterministic = true,
                                               .kv_device_bytes = bytes_of_blocks(pools[pool][0]),
                                               .kv_host_bytes = bytes_of_blocks(pools[pool][1]),
                                               .step_tokens = (int32_t)pools[pool][2]},
                      talks, &usage);
        assert_true(usage.evicted_blocks > 0);
        for (uint32_t i = 0; i < CHATS; i++)
            assert_same_talk(truth_of(i, true), &talks[i]);
    }
}

static void seven_other_conversations_change_no_logit_in_one_model(void) {
    static struct talk talks[CHATS];
    struct kv_usage usage;
    memset(talks, 0, sizeof talks);
    talk_together(&(struct engine_options){.deterministic = true}, talks, &usage);
    // The pool of windows or of states has room by its own measure, which may be less.
    if (!has_windows() && !has_states()) assert_int_equal(usage.work.preempted_requests, 0);
    for (uint32_t i = 0; i < CHATS; i++)
        assert_same_talk(truth_of(i, true), &talks[i]);
}

// Back to the end of the prompt, and again from there, twice: at once, and after the next turn.
static void answering_again_changes_no_logit_in_one_model(void) {
    struct talk again = {0};
    const struct talk *truth = truth_of(0, true);
    struct engine *engine = open_with(&(struct engine_options){.deterministic = true});
    struct sequence *sequence = first_turn(engine, 0, &again);
    for (int i = 0; i < 2; i++) {
        sequence_truncate(sequence, PROMPT);
        engine_check(engine);
        memset(again.logits, 0, sizeof again.logits);
        answer_talk(engine, sequence, &again);
        second_turn(engine, sequence, 0, &again);
        assert_same_talk(truth, &again);
    }
    engine_close(engine);
}

// A log that ends in the middle of a conversation, and goes on otherwise: computed anew, or after
// the conversation, whose windows may still be there or not.
static struct restore_report go_on_in_the_middle(const struct engine_options *options, bool anew,
                                                 struct talk *talk) {
    struct engine *engine = open_with(options);
    struct sequence *sequence = new_sequence(engine);
    struct restore_report report;
    if (anew) {
        append(engine, sequence, 0, 0);
    } else {
        sequence_destroy(sequence);
        sequence = first_turn(engine, 0, talk);
        second_turn(engine, sequence, 0, talk);
    }
    sequence_truncate(sequence, MIDDLE);
    sequence_restore(sequence, 20000, &report);
    assert_true(report.done);
    append(engine, sequence, 5, 1);
    talk->second = answer_talk(engine, sequence, talk);
    engine_check(engine);
    engine_close(engine);
    return report;
}

static void continuing_before_a_window_changes_no_logit_in_one_model(void) {
    enum { FIRST = MIDDLE + QUESTION };
    struct talk truth = {0}, talk = {0};
    const struct engine_options small = {// few blocks for windows
                                         .context = 496,
                                         .step_tokens = 16,
                                         .deterministic = true,
                                         .kv_device_bytes = bytes_of_blocks(40),
                                         .kv_host_bytes = 1}; // and none beside the card
    const struct engine_options roomy = {.deterministic = true};
    go_on_in_the_middle(&roomy, true, &truth);
    const struct restore_report found = go_on_in_the_middle(&roomy, false, &talk);
    assert_memory_equal(&truth.logits[FIRST], &talk.logits[FIRST], ANSWER * sizeof truth.logits[0]);
    if (!has_states()) assert_true(found.device_tokens == MIDDLE && found.lost_tokens == 0);
    const struct restore_report lost = go_on_in_the_middle(&small, false, &talk);
    assert_memory_equal(&truth.logits[FIRST], &talk.logits[FIRST], ANSWER * sizeof truth.logits[0]);
    assert_int_equal(lost.device_tokens + lost.lost_tokens, MIDDLE);
    assert_int_equal(lost.lost_tokens > 0, has_windows() || has_states());
}

struct rows { // of logits, in the order of tokens
    uint64_t hashes[ANSWER];
    int32_t count;
};

static void hear_rows(void *user, const float *logits, int32_t vocabulary) {
    struct rows *rows = user;
    assert_true(rows->count < ANSWER);
    rows->hashes[rows->count++] = hash_bytes(logits, (size_t)vocabulary * sizeof *logits, 0).low;
}

static void wait_for(struct engine *engine, int events, enum event_kind kind) {
    struct event event;
    while (events > 0) {
        assert_true(engine_next_event(engine, 60000, &event));
        events -= event.kind == kind;
    }
}

// Long enough for a card to read it once where a model can have so much.
static int32_t past_tokens(void) { return strcmp(model, DEMO_MODEL) == 0 ? LONG_PAST : PROMPT; }

static struct sequence *long_past(struct engine *engine) {
    static int32_t ids[LONG_PAST];
    struct sequence *past = new_sequence(engine);
    const int32_t count = past_tokens();
    fill_ids(engine, 0, 0, ids, count);
    assert_int_equal(sequence_append(past, ids, (size_t)count), STATUS_OK);
    const struct request_options options = {.sampler = sampler_options_default(), .max_tokens = 1};
    struct request *request;
    assert_int_equal(request_start_all(&past, &options, 1, &request), STATUS_OK);
    wait_for(engine, 1, EVENT_DONE);
    request_release(request);
    sequence_truncate(past, count);
    return past;
}

// One after the other; or together, where the second half begins in the middle of the first half's
// answers, so that what is shared changes.
static void answer_in_forks(bool together, bool unshared, struct rows *rows) {
    struct engine *engine =
        open_with(&(struct engine_options){.context = past_tokens() + QUESTION + ANSWER + 1,
                                           .deterministic = true,
                                           .unshared = unshared});
    struct sequence *past = long_past(engine), *forks[CHATS];
    struct request *requests[CHATS];
    struct request_options options = {.sampler = sampler_options_default(),
                                      .max_tokens = ANSWER,
                                      .ignore_end = true,
                                      .observer = hear_rows};
    options.sampler.temperature = 0;
    for (uint32_t i = 0; i < CHATS; i++) {
        if (together && i == CHATS / 2) wait_for(engine, CHATS, EVENT_TOKEN);
        assert_int_equal(sequence_fork(past, &forks[i]), STATUS_OK);
        append(engine, forks[i], i, 1);
        rows[i].count = 0;
        options.observer_user = &rows[i];
        assert_int_equal(request_start_all(&forks[i], &options, 1, &requests[i]), STATUS_OK);
        if (!together) wait_for(engine, 1, EVENT_DONE);
    }
    if (together) wait_for(engine, CHATS, EVENT_DONE);
    engine_check(engine);
    for (uint32_t i = 0; i < CHATS; i++)
        request_release(requests[i]);
    engine_close(engine);
}

static void reading_a_shared_past_once_changes_no_logit_in_one_model(void) {
    static struct rows alone[CHATS], together[CHATS];
    answer_in_forks(false, true, alone);
    for (int unshared = 0; unshared < 2; unshared++) {
        answer_in_forks(true, unshared == 1, together);
        for (uint32_t i = 0; i < CHATS; i++) {
            assert_int_equal(alone[i].count, ANSWER);
            assert_memory_equal(&alone[i], &together[i], sizeof alone[i]);
        }
    }
}

static void recomputing_in_chunks_changes_no_logit_in_one_model(void) {
    struct talk recomputed = {0};
    // A pool of short windows, or of states, has many blocks.
    const uint32_t end = strstr(model, "lfm2") || has_states() ? 16 : 5;
    for (int32_t step_tokens = 16; step_tokens <= 512; step_tokens *= 8) {
        recomputed = (struct talk){0};
        struct engine *engine = open_with(&(struct engine_options){
            .deterministic = true,
            .step_tokens = step_tokens,
            .kv_restore = KV_RESTORE_NEVER,
            .kv_device_bytes = bytes_of_blocks(CONTEXT / 16 + 1),
        });
        struct talk other = {0};
        struct sequence *sequence = first_turn(engine, 0, &recomputed);
        for (uint32_t which = 2; which < end; which++) // push it out, and there is nowhere to go
            first_turn(engine, which, &other);
        assert_int_equal(sequence_cached(sequence), 0);
        second_turn(engine, sequence, 0, &recomputed);
        assert_true(recomputed.second.cached_tokens < PROMPT);
        assert_same_talk(truth_of(0, true), &recomputed);
        engine_close(engine);
    }
}

static bool has_cuda(void) {
    const struct device_options options = {0};
    struct device *device;
    if (!backend_cuda() || backend_cuda()->open(&options, &device, NULL) != STATUS_OK) return false;
    backend_cuda()->close(device);
    return true;
}

static void every_model(void (*test)(void), int ways) {
    static const struct way ALL[WAYS] = {
        {"cpu", "auto", "f16"},   {"cpu", "auto", "fp8"},
        {"cpu", "auto", "int8"},  {"reference" HOST, "auto", "f16"},
        {"cuda", "auto", "f16"},  {"cuda", "auto", "fp8"},
        {"cuda", "auto", "int8"}, {"cuda" HOST, "auto", "f16"},
        {"cuda", "v2", "f16"}};
    static struct known all[WAYS][sizeof MODELS / sizeof MODELS[0]];
    const char *only = getenv("QUIRE_TEST_BACKEND");
    for (int w = 0; w < (has_cuda() ? ways : CPU_WAYS); w++)
        for (size_t i = FIRST_MODEL; i < sizeof MODELS / sizeof MODELS[0]; i++) {
            const bool is_wide = strcmp(ALL[w].kv_type, "f16") == 0;
            if (only && strncmp(ALL[w].backend, only, strlen(only)) != 0) continue;
            if (w > CPU_WAYS && i > FIRST_MODEL) continue; // a card opens slowly
            // The two types of 8 bits take turns, and none is for the large model, which is slow.
            // Instrumented, one model shows what they touch. Threads do the same for all.
            const bool is_its_turn =
                CHECK_FULL ? i > 0 && (i + (size_t)w) % 2 == 0 : i == FIRST_MODEL;
            if (w < CPU_WAYS && !is_wide && !is_its_turn) continue;
            // The reference backend is slow: a mixture and a dense model.
            if (w == CPU_WAYS - 1 && i != MIXTURE && i != LLAMA) continue;
            if (CHECK_THREADS && (!is_wide || i > FIRST_MODEL + 1)) continue;
            way = ALL[w];
            model = MODELS[i];
            number = i;
            known = &all[w][i];
            test();
        }
}

#define FOR_EVERY_MODEL(name, ways)             \
    static void name(void **state) {            \
        (void)state;                            \
        every_model(name##_in_one_model, ways); \
    }
FOR_EVERY_MODEL(a_second_run_gives_the_same_logits, WAYS)
FOR_EVERY_MODEL(swapping_to_the_host_and_back_changes_no_logit, WAYS)
FOR_EVERY_MODEL(restoring_in_a_new_process_changes_no_logit, WAYS)
FOR_EVERY_MODEL(forking_a_running_sequence_changes_no_logit, WAYS)
FOR_EVERY_MODEL(a_quarter_of_the_needed_pool_changes_no_logit, DETERMINISTIC_WAYS)
FOR_EVERY_MODEL(answering_again_changes_no_logit, DETERMINISTIC_WAYS)
FOR_EVERY_MODEL(continuing_before_a_window_changes_no_logit, DETERMINISTIC_WAYS)
FOR_EVERY_MODEL(seven_other_conversations_change_no_logit, DETERMINISTIC_WAYS)
FOR_EVERY_MODEL(reading_a_shared_past_once_changes_no_logit, DETERMINISTIC_WAYS)
FOR_EVERY_MODEL(recomputing_in_chunks_changes_no_logit, DETERMINISTIC_WAYS)

// The other process of the test about the disk.
static int run_other_process(char **words) {
    struct talk talk;
    known = &(struct known){0};
    model = words[3];
    way = (struct way){words[4], words[5], words[6]};
    drafts = strcmp(way.backend, "cpu") == 0;
    load_talk(words[2], &talk);
    (strcmp(words[1], "first") == 0 ? have_first_turn : have_second_turn)(words[2], &talk);
    save_talk(words[2], &talk);
    return 0;
}

int main(int count, char **words) {
    if (count == 7) return run_other_process(words);
    if (count == 2) cmocka_set_test_filter(words[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_run_gives_the_same_logits),
        cmocka_unit_test(swapping_to_the_host_and_back_changes_no_logit),
        cmocka_unit_test(restoring_in_a_new_process_changes_no_logit),
        cmocka_unit_test(forking_a_running_sequence_changes_no_logit),
        cmocka_unit_test(a_quarter_of_the_needed_pool_changes_no_logit),
        cmocka_unit_test(answering_again_changes_no_logit),
        cmocka_unit_test(continuing_before_a_window_changes_no_logit),
        cmocka_unit_test(seven_other_conversations_change_no_logit),
        cmocka_unit_test(reading_a_shared_past_once_changes_no_logit),
        cmocka_unit_test(recomputing_in_chunks_changes_no_logit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
