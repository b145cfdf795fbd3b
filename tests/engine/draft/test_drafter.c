// tests/engine/draft/test_drafter.c [PATTERN] — a smaller model drafts, and the answer is the one
// without.
//
// The demo model and its drafter answer what people ask: QUIRE_TEST_PROMPTS of them (12; 200 take
// minutes), greedily and by a seed, with drafts from the history and from the model. Small random
// models of every kind of layer draft for themselves, so their drafts are right and, where a token
// is sampled, wrong; on a processor and on a card.
#include "engine/draft/draft.h"
#include "engine/engine.h"
#include "engine/grammar/grammar.h"
#include "kernels/backend.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONTEXT = 512,
    ANSWER = 48,
    PROMPT_MOST = 64,
    CHATS = 6,
    BLOCK = 16, // tokens
    POOL_BYTES = 16 << 20,
    SMALL_HOST_BYTES = 8 << 20, // what a card pins unasked takes long
};

#define GOLDEN(name) TESTS_DIR "/golden/" name ".gguf"

// Deterministic, an answer among others has the bits of one alone also where a matrix unit computes
// the prompts, and drafts have those of single tokens on a card.
struct pair {
    const char *model, *drafter;
    int32_t context;
    bool deterministic, on_card;
};

static enum status open_pair(const struct pair *pair, struct engine **engine, struct error *err) {
    const struct engine_options options = {.model_path = pair->model,
                                           .draft_path = pair->drafter,
                                           .backend = pair->on_card ? "cuda" : "cpu",
                                           .threads = 2,
                                           .context = pair->context,
                                           .deterministic = pair->deterministic,
                                           .kv_device_bytes = POOL_BYTES,
                                           .kv_host_bytes = pair->on_card ? SMALL_HOST_BYTES : 0};
    return engine_open(&options, engine, err);
}

static struct engine *open_engine(const struct pair *pair) {
    struct engine *engine;
    struct error err = {0};
    if (open_pair(pair, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    return engine;
}

static const struct pair DEMO = {DEMO_MODEL, DRAFTER_MODEL, CONTEXT, false, false};

static void a_drafter_with_other_tokens_is_refused_by_name(void **state) {
    (void)state;
    static const char *const others[] = {GOLDEN("llama"), GOLDEN("qwen35")};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct engine *engine = NULL;
        struct error err = {0};
        assert_int_equal(
            open_pair(&(struct pair){DEMO_MODEL, others[i], CONTEXT, false, false}, &engine, &err),
            STATUS_UNSUPPORTED);
        assert_non_null(strstr(err.text, others[i]));
        assert_non_null(strstr(err.text, "vocabulary"));
        assert_null(engine);
    }
}

static void a_file_that_is_no_model_is_refused_by_name(void **state) {
    (void)state;
    struct engine *engine = NULL;
    struct error err = {0};
    const struct pair pair = {DEMO_MODEL, TESTS_DIR "/check.h", CONTEXT, false, false};
    assert_int_not_equal(open_pair(&pair, &engine, &err), STATUS_OK);
    assert_non_null(strstr(err.text, "check.h"));
    assert_null(engine);
}

struct answer {
    int32_t tokens[ANSWER];
    int32_t count;
    struct draft_stats drafts;
};

struct prompt {
    int32_t ids[PROMPT_MOST];
    int32_t count;
};

struct way { // of sampling
    const char *name;
    float temperature, repeat, frequency;
    const char *gbnf;
    int32_t stop_after; // tokens, by a cancel, as for a stop string; 0: not
};

static const struct way WAYS[] = {
    {"greedy", 0, 1, 0, NULL, 0},
    {"seeded", 0.8f, 1, 0, NULL, 0},
    {"penalties", 0.8f, 1.3f, 0.5f, NULL, 0},
    {"grammar", 0.8f, 1, 0, "root ::= (\"the \" | [a-z] [a-z]+ \" and so on, \")+", 0},
    {"stop", 0.8f, 1, 0, NULL, 17},
};

static struct request_options options_of(const struct way *way, int32_t speculate) {
    struct request_options options = {.sampler = sampler_options_default(),
                                      .max_tokens = ANSWER,
                                      .speculate = speculate,
                                      .draft_always = true};
    options.sampler.temperature = way->temperature;
    options.sampler.repeat_penalty = way->repeat;
    options.sampler.frequency_penalty = way->frequency;
    options.sampler.seed = 7;
    return options;
}

static struct sequence *begin(struct engine *engine, const struct prompt *prompt) {
    struct sequence *sequence;
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    assert_int_equal(sequence_append(sequence, prompt->ids, (size_t)prompt->count), STATUS_OK);
    return sequence;
}

static void write_answer(struct engine *engine, const struct prompt *prompt, const struct way *way,
                         const struct request_options *given, struct answer *answer) {
    struct request_options options = *given;
    struct token_trie *trie = NULL;
    struct request *request;
    struct event event = {.kind = EVENT_PREFILL};
    struct error err = {0};
    if (way->gbnf && (token_trie_create(engine_tokenizer(engine), NULL, &trie, &err) != STATUS_OK ||
                      grammar_create(trie, way->gbnf, "root", &options.grammar, &err) != STATUS_OK))
        fail_msg("%s", err.text);
    struct sequence *sequence = begin(engine, prompt);
    *answer = (struct answer){.count = 0};
    assert_int_equal(request_start_all(&sequence, &options, 1, &request), STATUS_OK);
    while (event.kind != EVENT_DONE) {
        assert_true(engine_next_event(engine, 60000, &event));
        engine_check(engine);
        if (event.kind == EVENT_TOKEN) answer->tokens[answer->count++] = event.token;
        if (answer->count > 0 && answer->count == way->stop_after) request_cancel(request);
    }
    assert_int_equal(event.status, STATUS_OK);
    answer->drafts = event.stats.drafts;
    if (way->stop_after && answer->count > way->stop_after) answer->count = way->stop_after;
    request_release(request);
    sequence_destroy(sequence);
    grammar_release(options.grammar);
    token_trie_destroy(trie);
}

static void assert_same(const struct answer *with, const struct answer *without, const char *model,
                        const char *way, int32_t speculate) {
    if (with->count != without->count ||
        memcmp(with->tokens, without->tokens, (size_t)with->count * sizeof with->tokens[0]) != 0)
        fail_msg("%s, %s, %d drafts: another answer", model, way, (int)speculate);
}

// ---- the demo model and its drafter

static void fill_prompt(const struct engine *engine, int number, struct prompt *prompt) {
    static const char *const questions[][2] = {
        {"What is the opposite of ", "?"},      {"Tell me a short story about a ", "."},
        {"What do you know about ", "?"},       {"Write a list of three things like ", "."},
        {"Can you explain what ", " means?"},   {"Say ", " three times."},
        {"My dog is called ", ". Say hello."},  {"What is ", " plus two?"},
        {"Which command shows me the ", "?"},   {"Is ", " a good name for a cat?"},
        {"Write a poem of two lines on ", "."}, {"I live in ", ". What should I do today?"},
    };
    static const char *const words[] = {"hot",    "fox",   "quire", "seven", "memory", "winter",
                                        "Lisbon", "happy", "trees", "apple", "cache",  "Ada",
                                        "music",  "slow",  "river", "nine",  "fork"};
    enum { QUESTIONS = sizeof questions / sizeof questions[0] };
    char asked[128];
    struct token_ids ids = {0};
    const char *const *question = questions[number % QUESTIONS];
    const char *word = words[number / QUESTIONS % (int)(sizeof words / sizeof words[0])];
    assert_true(snprintf(asked, sizeof asked, "%s%s%s", question[0], word, question[1]) > 0);
    const struct piece pieces[] = {{PIECE_CONTROL, "<|im_start|>user\n", 17},
                                   {PIECE_TEXT, asked, strlen(asked)},
                                   {PIECE_CONTROL, "<|im_end|>\n<|im_start|>assistant\n", 33}};
    assert_int_equal(tokenizer_encode(engine_tokenizer(engine), pieces, 3, &ids), STATUS_OK);
    assert_true(ids.count < PROMPT_MOST);
    prompt->count = (int32_t)ids.count;
    memcpy(prompt->ids, ids.ids, ids.count * sizeof ids.ids[0]);
    token_ids_deinit(&ids);
}

// An earlier answer like this one, but for every seventh token.
static void remember_mostly(struct engine *engine, const struct prompt *prompt,
                            const struct answer *answer) {
    int32_t text[PROMPT_MOST + ANSWER];
    memcpy(text, prompt->ids, (size_t)prompt->count * sizeof text[0]);
    for (int32_t i = 0; i < answer->count; i++)
        text[prompt->count + i] = i % 7 == 6 ? prompt->ids[0] : answer->tokens[i];
    engine_history_clear(engine);
    engine_history_add(engine, text, prompt->count + answer->count);
}

static void the_demo_answers_as_without_drafts(void **state) {
    (void)state;
    static const int32_t lengths[] = {1, 2, 4, 8};
    static const enum draft_source_kind sources[] = {DRAFT_HISTORY, DRAFT_MODEL};
    const char *wanted = getenv("QUIRE_TEST_PROMPTS");
    const int count = wanted ? atoi(wanted) : CHECK_ROUNDS(12, 2);
    struct engine *engine = open_engine(&DEMO);
    int64_t drafted[DRAFT_SOURCES] = {0}, accepted[DRAFT_SOURCES] = {0};
    for (int i = 0; i < count; i++) {
        struct prompt prompt;
        fill_prompt(engine, i, &prompt);
        for (int w = 0; w < 2; w++) {
            struct answer plain, with;
            struct request_options options = options_of(&WAYS[w], 0);
            write_answer(engine, &prompt, &WAYS[w], &options, &plain);
            assert_int_equal(plain.drafts.of[DRAFT_MODEL].drafted, 0);
            for (int s = 0; s < 2; s++) {
                const enum draft_source_kind source = sources[s];
                remember_mostly(engine, &prompt, &plain);
                for (int n = 0; n < 4; n++) {
                    options = options_of(&WAYS[w], lengths[n]);
                    options.no_drafts_of = ~(1u << source);
                    write_answer(engine, &prompt, &WAYS[w], &options, &with);
                    assert_same(&with, &plain, draft_source_name(source), WAYS[w].name, lengths[n]);
                    drafted[source] += with.drafts.of[source].drafted;
                    accepted[source] += with.drafts.of[source].accepted;
                }
            }
        }
    }
    engine_close(engine);
    for (int s = 0; s < 2; s++) {
        const enum draft_source_kind source = sources[s];
        printf("%d prompts, %s: %lld of %lld drafts accepted\n", count, draft_source_name(source),
               (long long)accepted[source], (long long)drafted[source]);
        assert_true(accepted[source] > 0 && drafted[source] > accepted[source]);
    }
}

// ---- every kind of layer, as the model and as the drafter

static void fill_at_random(struct engine *engine, uint32_t seed, struct prompt *prompt) {
    struct engine_info info;
    engine_info(engine, &info);
    prompt->count = 11;
    for (int32_t i = 0; i < prompt->count; i++) {
        seed = seed * 1664525u + 1013904223u;
        prompt->ids[i] = (int32_t)((seed >> 8) % (uint32_t)info.vocabulary);
    }
}

struct tally {
    int64_t drafted, accepted;
};

// A model that drafts for itself greedily is right, with the bits of single tokens, but for what it
// drafts beyond the end of the answer. It drafts n tokens a step, but in the first and the last one
// and where a block ends, at which states are kept.
static void assert_right_to_the_end(const struct answer *answer, const struct prompt *prompt,
                                    const char *model, int32_t n) {
    const struct draft_stats *drafts = &answer->drafts;
    const int64_t drafted = drafts->of[DRAFT_MODEL].drafted,
                  right = drafts->of[DRAFT_MODEL].accepted;
    const int32_t blocks = (prompt->count + answer->count) / BLOCK;
    if (drafted - right > n || drafts->steps > answer->count / (n + 1) + blocks + 2)
        fail_msg("%s, %d drafts: %d of %d are right in %d steps of %d tokens", model, (int)n,
                 (int)right, (int)drafted, (int)drafts->steps, (int)answer->count);
}

static void check_way(struct engine *engine, const struct pair *pair, const struct way *way,
                      uint32_t seed, struct tally *tally) {
    static const int32_t lengths[] = {1, 2, 4, 8};
    struct prompt prompt;
    struct answer plain, with;
    fill_at_random(engine, seed, &prompt);
    struct request_options options = options_of(way, 0);
    write_answer(engine, &prompt, way, &options, &plain);
    for (int n = 0; n < 4; n++) {
        options = options_of(way, lengths[n]);
        options.no_drafts_of = ~(1u << DRAFT_MODEL);
        write_answer(engine, &prompt, way, &options, &with);
        assert_same(&with, &plain, pair->model, way->name, lengths[n]);
        tally->drafted += with.drafts.of[DRAFT_MODEL].drafted;
        tally->accepted += with.drafts.of[DRAFT_MODEL].accepted;
        if (strcmp(way->name, "greedy") == 0 && !pair->on_card)
            assert_right_to_the_end(&with, &prompt, pair->model, lengths[n]);
    }
}

static void check_every_kind(bool on_card) {
    static const char *const models[] = {
        GOLDEN("llama"),  GOLDEN("gemma4-moe"), GOLDEN("deepseek2"),     GOLDEN("qwen35"),
        GOLDEN("gemma4"), GOLDEN("lfm2"),       GOLDEN("granitehybrid"), GOLDEN("falcon-h1")};
    enum { KINDS = sizeof WAYS / sizeof WAYS[0] };
    const char *wanted = getenv("QUIRE_TEST_PROMPTS");
    const int count = wanted ? atoi(wanted) : 1;
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
        const struct pair pair = {models[m], models[m], 256, on_card, on_card};
        struct engine *engine = open_engine(&pair);
        struct tally tally = {0};
        for (int i = 0; i < KINDS * count; i++) {
            const struct way *way = &WAYS[i % KINDS];
            if (!way->gbnf || engine_tokenizer(engine))
                check_way(engine, &pair, way, (uint32_t)i, &tally);
        }
        engine_close(engine);
        printf("%s, %s: %d prompts, the same answers; %d of %d drafts accepted\n",
               on_card ? "cuda" : "cpu", models[m], KINDS * count, (int)tally.accepted,
               (int)tally.drafted);
        assert_true(tally.accepted > 0 && tally.drafted > tally.accepted);
    }
}

static void models_of_every_kind_draft_for_themselves(void **state) {
    (void)state;
    check_every_kind(false);
}

static void models_of_every_kind_draft_for_themselves_on_a_card(void **state) {
    struct device *device;
    (void)state;
    if (!backend_cuda() || backend_cuda()->open(&(struct device_options){0}, &device, NULL)) skip();
    backend_cuda()->close(device);
    check_every_kind(true);
}

// ---- several at once, and ends in the middle

static void answers_at_once_and_their_forks_are_drafted_for_together(void **state) {
    (void)state;
    struct pair pair = DEMO;
    pair.deterministic = true;
    struct engine *engine = open_engine(&pair);
    struct prompt prompts[CHATS];
    struct answer plain[CHATS], forked;
    struct sequence *sequences[CHATS], *fork = NULL;
    struct request *requests[CHATS], *of_fork;
    struct request_options options[CHATS];
    struct event event;
    for (int i = 0; i < CHATS; i++) {
        fill_prompt(engine, i, &prompts[i]);
        options[i] = options_of(&WAYS[i % 2], 0);
        write_answer(engine, &prompts[i], &WAYS[i % 2], &options[i], &plain[i]);
        options[i] = options_of(&WAYS[i % 2], DRAFT_MAX);
        options[i].no_drafts_of = ~(1u << DRAFT_MODEL);
        sequences[i] = begin(engine, &prompts[i]);
    }
    assert_int_equal(request_start_all(sequences, options, CHATS, requests), STATUS_OK);
    for (int done = 0; done < CHATS; done += event.kind == EVENT_DONE) {
        assert_true(engine_next_event(engine, 60000, &event));
        engine_check(engine);
        if (event.kind == EVENT_DONE && event.request != requests[0])
            assert_int_equal(event.status, STATUS_OK);
        if (event.kind != EVENT_TOKEN || event.request != requests[0] || fork) continue;
        assert_int_equal(sequence_fork(sequences[0], &fork), STATUS_OK); // it runs, and drafts
        request_cancel(requests[0]);
    }
    const int32_t begun = sequence_length(fork) - prompts[0].count;
    assert_true(begun > 0);
    assert_memory_equal(sequence_tokens(fork) + prompts[0].count, plain[0].tokens,
                        (size_t)begun * sizeof plain[0].tokens[0]);
    options[0].max_tokens = plain[0].count - begun;
    if (options[0].max_tokens > 0) {
        assert_int_equal(request_start_all(&fork, &options[0], 1, &of_fork), STATUS_OK);
        do
            assert_true(engine_next_event(engine, 60000, &event));
        while (event.kind != EVENT_DONE);
        request_release(of_fork);
    }
    forked.count = sequence_length(fork) - prompts[0].count;
    memcpy(forked.tokens, sequence_tokens(fork) + prompts[0].count,
           (size_t)forked.count * sizeof forked.tokens[0]);
    assert_same(&forked, &plain[0], "demo", "a fork", DRAFT_MAX);
    for (int i = 1; i < CHATS; i++) {
        assert_int_equal(sequence_length(sequences[i]), prompts[i].count + plain[i].count);
        assert_memory_equal(sequence_tokens(sequences[i]) + prompts[i].count, plain[i].tokens,
                            (size_t)plain[i].count * sizeof plain[i].tokens[0]);
    }
    for (int i = 0; i < CHATS; i++) {
        request_release(requests[i]);
        sequence_destroy(sequences[i]);
    }
    sequence_destroy(fork);
    engine_close(engine);
}

static void an_engine_closes_in_the_middle_of_drafting(void **state) {
    (void)state;
    for (int end = 1; end < 20; end += 6) {
        struct engine *engine = open_engine(&DEMO);
        struct prompt prompt;
        struct request *request;
        struct event event;
        const struct request_options options = options_of(&WAYS[0], DRAFT_MAX);
        fill_prompt(engine, 1, &prompt);
        struct sequence *sequence = begin(engine, &prompt);
        assert_int_equal(request_start_all(&sequence, &options, 1, &request), STATUS_OK);
        for (int tokens = 0; tokens < end; tokens += event.kind == EVENT_TOKEN)
            assert_true(engine_next_event(engine, 60000, &event));
        engine_close(engine);
        request_release(request);
    }
}

static void drafts_end_before_the_context_is_full(void **state) {
    (void)state;
    const struct pair pair = {GOLDEN("llama"), GOLDEN("llama"), 64, false, false};
    struct engine *engine = open_engine(&pair);
    struct prompt prompt;
    struct request *request;
    struct event event = {.kind = EVENT_PREFILL};
    fill_at_random(engine, 3, &prompt);
    struct sequence *sequence = begin(engine, &prompt);
    struct request_options options = options_of(&WAYS[0], DRAFT_MAX);
    options.max_tokens = 0; // until the context is full
    options.ignore_end = true;
    assert_int_equal(request_start_all(&sequence, &options, 1, &request), STATUS_OK);
    while (event.kind != EVENT_DONE)
        assert_true(engine_next_event(engine, 60000, &event));
    assert_int_equal(event.reason, STOP_REASON_CONTEXT);
    assert_true(event.stats.drafts.of[DRAFT_MODEL].accepted > 0);
    request_release(request);
    sequence_destroy(sequence);
    engine_close(engine);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drafter_with_other_tokens_is_refused_by_name),
        cmocka_unit_test(a_file_that_is_no_model_is_refused_by_name),
        cmocka_unit_test(the_demo_answers_as_without_drafts),
        cmocka_unit_test(models_of_every_kind_draft_for_themselves),
        cmocka_unit_test(models_of_every_kind_draft_for_themselves_on_a_card),
        cmocka_unit_test(answers_at_once_and_their_forks_are_drafted_for_together),
        cmocka_unit_test(an_engine_closes_in_the_middle_of_drafting),
        cmocka_unit_test(drafts_end_before_the_context_is_full),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
