// tests/engine/draft/test_drafts.c [PATTERN] — what is proposed, how much of it is drafted, and
// that an answer with drafts is the answer without: for QUIRE_TEST_PROMPTS (1) of each model and
// way, on a processor and on a card.
#include "engine/draft/draft.h"
#include "engine/engine.h"
#include "engine/grammar/grammar.h"
#include "engine/model/gguf.h"
#include "engine/tokenizer/detokenizer.h"
#include "kernels/backend.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CONTEXT = 512,
    PROMPT = 120,
    SHORT_PROMPT = 11,
    LONG_PROMPT = 240,
    ANSWER = 100,
    CHATS = 6,
    CHATS_MOST = 24,
    ROUNDS = CHECK_ROUNDS(8, 2),
    POOL_BYTES = 16 << 20,
    SMALL_HOST_BYTES = 8 << 20 // what a card pins unasked takes long
};

static uint32_t seed = 5;

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

static struct proposal look_up(struct prompt_lookup *lookup, const int32_t *tokens,
                               int32_t length) {
    const struct draft_log log = {tokens, length};
    struct proposal proposal;
    prompt_lookup_source.propose(lookup, &log, &proposal);
    return proposal;
}

// In a fresh index.
static struct proposal look_up_once(const int32_t *tokens, int32_t length) {
    struct prompt_lookup lookup;
    assert_int_equal(prompt_lookup_init(&lookup, 64), STATUS_OK);
    const struct proposal proposal = look_up(&lookup, tokens, length);
    prompt_lookup_deinit(&lookup);
    return proposal;
}

static void the_tokens_after_the_latest_match_are_proposed(void **state) {
    (void)state;
    const int32_t log[] = {1, 2, 3, 4, 5, 9, 2, 3, 4, 7, 8, 2, 3, 4};
    const struct proposal proposal = look_up_once(log, 14);
    assert_int_equal(proposal.match, 3);
    assert_int_equal(proposal.tokens[0], 7); // the later of two places
    assert_int_equal(proposal.tokens[2], 2);
    assert_int_equal(look_up_once(log, 5).count, 0); // nothing repeats
    assert_int_equal(look_up_once(log, 1).count, 0);
}

static void a_longer_match_beats_a_later_one(void **state) {
    (void)state;
    const int32_t log[] = {1, 2, 3, 50, 9, 2, 3, 60, 1, 2, 3};
    const struct proposal proposal = look_up_once(log, 11);
    assert_int_equal(proposal.match, 3);
    assert_int_equal(proposal.tokens[0], 50);
}

static void a_period_is_continued_beyond_the_end_of_the_log(void **state) {
    (void)state;
    const int32_t log[] = {7, 8, 9, 7, 8, 9, 7, 8};
    const struct proposal proposal = look_up_once(log, 8);
    assert_int_equal(proposal.count, DRAFT_MAX);
    for (int i = 0; i < DRAFT_MAX; i++)
        assert_int_equal(proposal.tokens[i], 7 + (i + 2) % 3);
}

// Against the plainest search, token by token.
static void the_index_finds_the_longest_match_of_a_growing_log(void **state) {
    (void)state;
    int32_t log[600];
    struct prompt_lookup lookup;
    printf("seed %u\n", seed);
    for (int round = 0; round < 4; round++) {
        const uint32_t letters = 20 + dice(40); // so many that no chain is cut
        assert_int_equal(prompt_lookup_init(&lookup, 600), STATUS_OK);
        for (int32_t length = 0; length < 600; length++) {
            int32_t longest = 0;
            for (int32_t at = SUFFIX_LEAST; at < length; at++) {
                int32_t equal = 0;
                while (equal < at && equal < SUFFIX_MOST &&
                       log[at - 1 - equal] == log[length - 1 - equal])
                    equal++;
                if (equal >= SUFFIX_LEAST && equal > longest) longest = equal;
            }
            assert_int_equal(look_up(&lookup, log, length).match, longest);
            log[length] = length > 30 && dice(8) ? log[length - 30] : (int32_t)dice(letters);
        }
        prompt_lookup_deinit(&lookup);
    }
}

static struct proposal recall(struct history *history, const int32_t *tokens, int32_t length) {
    const struct draft_log log = {tokens, length};
    struct proposal proposal;
    history_source.propose(history, &log, &proposal);
    return proposal;
}

static void history_proposes_from_a_text_up_to_its_end(void **state) {
    (void)state;
    const int32_t first[] = {1, 2, 3, 4, 5}, second[] = {6, 7, 8}, log[] = {9, 1, 2},
                  end[] = {4, 5}, across[] = {5, 6};
    struct history history;
    assert_int_equal(history_init(&history), STATUS_OK);
    history_add(&history, first, 5);
    history_add(&history, second, 3);
    const struct proposal proposal = recall(&history, log, 3);
    assert_int_equal(proposal.match, 2);
    assert_int_equal(proposal.count, 3);
    assert_memory_equal(proposal.tokens, first + 2, 3 * sizeof first[0]);
    assert_int_equal(recall(&history, end, 2).count, 0);
    assert_int_equal(recall(&history, across, 2).count, 0);
    history_clear(&history);
    assert_int_equal(recall(&history, log, 3).count, 0);
    for (int32_t i = 0; i < HISTORY_TOKENS; i++)
        assert_int_equal(history.tokens[i], 0);
    history_deinit(&history);
}

static void a_blind_draft_is_as_long_as_it_may_be(void **state) {
    (void)state;
    const int32_t tokens[] = {1, 2, 3}, expected[] = {1, 2, 3, 1, 2};
    const struct draft_log log = {tokens, 3};
    struct draft draft = {.most = 7, .blind = true};
    struct draft_step step = {.rows = 1, .tokens = 1, .limit = 5};
    int32_t drafted[DRAFT_MAX];
    assert_int_equal(draft_propose(&draft, &log, &step, drafted), 5);
    assert_memory_equal(drafted, expected, sizeof expected);
    draft.most = 2;
    assert_int_equal(draft_propose(&draft, &log, &step, drafted), 2);
}

// The last text may be as long as the room that is said to be left, and no longer.
static void history_keeps_all_texts_while_it_has_room(void **state) {
    (void)state;
    enum { PART = HISTORY_TOKENS / 8 };
    static int32_t text[HISTORY_TOKENS / 4];
    const int32_t first[] = {1, 2, 3, 4, 5};
    struct history history;
    for (int32_t more = 0; more < 2; more++) {
        assert_int_equal(history_init(&history), STATUS_OK);
        history_add(&history, first, 5);
        while (history_room(&history) > PART)
            history_add(&history, text, PART);
        const int32_t room = history_room(&history);
        assert_in_range(room, 3, PART);
        history_add(&history, text, room + more);
        assert_int_equal(history_room(&history), 0);
        assert_int_equal(recall(&history, first, 3).count, more ? 0 : 2);
        history_deinit(&history);
    }
}

// Each text counts up from a number of its own.
static void history_keeps_the_newest_texts(void **state) {
    (void)state;
    enum { LONGEST = 5000, TEXTS = 400 };
    static int32_t text[LONGEST];
    struct history history;
    assert_int_equal(history_init(&history), STATUS_OK);
    for (int32_t i = 0; i < TEXTS; i++) {
        const int32_t count = 10 + (int32_t)dice(LONGEST - 10);
        for (int32_t at = 0; at < count; at++)
            text[at] = LONGEST * i + at;
        history_add(&history, text, count);
        const struct proposal newest = recall(&history, text, 5);
        assert_int_equal(newest.count, count - 5 < DRAFT_MAX ? count - 5 : DRAFT_MAX);
        assert_int_equal(newest.tokens[0], text[5]);
    }
    assert_int_equal(history_room(&history), 0);
    const int32_t oldest[] = {0, 1, 2},
                  recent[] = {LONGEST * (TEXTS - 20), LONGEST * (TEXTS - 20) + 1};
    assert_int_equal(recall(&history, oldest, 3).count, 0);
    assert_true(recall(&history, recent, 2).count > 0);
    history_deinit(&history);
}

// ---- how many

struct writer { // of a log whose period is 12 in `repeating` of 16 tokens
    struct draft_record record;
    struct draft draft;
    int32_t log[4000];
    int32_t length;
    const int32_t *row_us; // what a step of so many rows takes, noted after each; NULL: nothing is
    int64_t steps, drafted, accepted, of_rows[DRAFT_MAX + 2];
};

static void begin_writing(struct writer *writer, int32_t row_us) {
    *writer = (struct writer){.record = draft_record_new()};
    writer->draft = (struct draft){.record = &writer->record, .most = DRAFT_MAX};
    assert_int_equal(draft_init(&writer->draft, 4000), STATUS_OK);
    for (int i = 0; i < 100; i++)
        for (int32_t rows = 1; rows <= ROW_COST_MOST; rows++)
            row_cost_note(&writer->record.cost, rows, 1000 + rows * row_us);
}

// Writes up to `length`, beside so many other answers: the truth is known, as if it was sampled.
static void write_on(struct writer *writer, uint32_t repeating, int32_t length, int32_t others) {
    int32_t truth[DRAFT_MAX + 1], tokens[DRAFT_MAX];
    while (writer->length + DRAFT_MAX < length) {
        for (int32_t i = 0; i <= DRAFT_MAX; i++) {
            const int32_t at = writer->length + i;
            const bool repeats = at >= 12 && dice(16) < repeating;
            truth[i] = repeats ? writer->log[at - 12] : (int32_t)dice(1000);
        }
        struct draft_step step = {.rows = 1 + others, .tokens = (float)(1 + others), .limit = 16};
        const struct draft_log log = {writer->log, writer->length};
        const int32_t drafted = draft_propose(&writer->draft, &log, &step, tokens);
        int32_t accepted = 0;
        while (accepted < drafted && tokens[accepted] == truth[accepted])
            accepted++;
        draft_note(&writer->draft, truth, accepted + 1);
        if (writer->row_us)
            row_cost_note(&writer->record.cost, 1 + drafted, writer->row_us[1 + drafted]);
        writer->of_rows[1 + drafted]++;
        memcpy(writer->log + writer->length, truth, (size_t)(accepted + 1) * sizeof truth[0]);
        writer->length += accepted + 1;
        writer->steps++;
        writer->drafted += drafted;
        writer->accepted += accepted;
    }
}

static void text_that_repeats_is_drafted_at_length(void **state) {
    (void)state;
    struct writer writer;
    begin_writing(&writer, 50);
    write_on(&writer, 16, 2000, 0);
    assert_true(writer.steps < 400);
    const int64_t drafted = writer.drafted, accepted = writer.accepted;
    assert_true(drafted - accepted < drafted / 10);
    draft_deinit(&writer.draft);
}

static void text_without_repeats_costs_few_draft_rows(void **state) {
    (void)state;
    struct writer writer;
    begin_writing(&writer, 50);
    write_on(&writer, 0, 3000, 0);
    assert_true(writer.drafted - writer.accepted < writer.steps / 50);
    const int64_t steps = writer.steps;
    write_on(&writer, 16, 3900, 0); // and is drafted at once when it begins to
    assert_true(writer.steps - steps < 200);
    draft_deinit(&writer.draft);
}

static void dear_rows_and_many_answers_shorten_drafts(void **state) {
    (void)state;
    double each[3];
    for (int way = 0; way < 3; way++) {
        struct writer writer;
        begin_writing(&writer, way == 1 ? 600 : 50);
        write_on(&writer, 13, 3000, way == 2 ? 15 : 0);
        each[way] = (double)writer.drafted / (double)writer.steps;
        draft_deinit(&writer.draft);
    }
    assert_true(each[0] > 2 * each[1] && each[0] > 1.5 * each[2]);
}

// A tile of the kernels is full with 8 rows, and a ninth takes another one. The first step was
// slow.
static void the_best_count_of_rows_is_found_though_no_line_shows_it(void **state) {
    (void)state;
    static const int32_t row_us[] = {0, 1000, 1400, 1750, 1950, 2400, 2500, 2600, 2700, 4000};
    struct writer writer = {.record = draft_record_new(), .row_us = row_us};
    writer.draft = (struct draft){.record = &writer.record, .most = DRAFT_MAX};
    assert_int_equal(draft_init(&writer.draft, 4000), STATUS_OK);
    row_cost_note(&writer.record.cost, 1, 14000);
    write_on(&writer, 16, 2000, 0);
    assert_true(writer.of_rows[8] > writer.steps / 2);
    draft_deinit(&writer.draft);
}

// A step of one row then seems to cost more than one of several.
static void one_disturbed_step_does_not_end_drafting_where_steps_are_replayed(void **state) {
    (void)state;
    int32_t tokens[DRAFT_MAX], log[64] = {0};
    for (int always = 0; always < 2; always++) {
        struct draft_record record = draft_record_new();
        struct draft draft = {.record = &record, .most = DRAFT_MAX, .always = always == 1};
        struct draft_step step = {.rows = 1, .tokens = 1, .limit = DRAFT_MAX, .replays = true};
        assert_int_equal(draft_init(&draft, 64), STATUS_OK);
        for (int i = 0; i < 50; i++)
            for (int32_t rows = 1; rows <= 1 + DRAFT_MAX; rows++)
                row_cost_note(&record.cost, rows, 1000 + 50 * rows);
        row_cost_note(&record.cost, 1, 1000000);
        assert_true(draft_propose(&draft, &(struct draft_log){log, 64}, &step, tokens) > 0);
        draft_deinit(&draft);
    }
}

static void one_disturbed_step_does_not_end_drafting(void **state) {
    (void)state;
    struct writer writer;
    begin_writing(&writer, 50);
    row_cost_note(&writer.record.cost, 9, 1000000);
    row_cost_note(&writer.record.cost, 5, 1000000);
    write_on(&writer, 16, 3900, 0);
    assert_true(writer.steps < 1500);
    draft_deinit(&writer.draft);
}

// ---- with a model

struct chat {
    int32_t prompt[LONG_PROMPT];
    int32_t length;
    struct sampler_options sampler;
    int32_t max_tokens;
};

struct outcome {
    int32_t tokens[ANSWER];
    int64_t count, proposed, kept;
    enum stop_reason reason;
};

// Phrases that come again, so that there is something to find.
static void fill_chat(struct chat *chat, uint32_t vocabulary) {
    int32_t phrase[8];
    for (int i = 0; i < 8; i++)
        phrase[i] = (int32_t)dice(vocabulary);
    chat->length = 20 + (int32_t)dice(PROMPT - 20);
    for (int32_t i = 0; i < chat->length; i++)
        chat->prompt[i] = dice(6) ? phrase[i % 8] : (int32_t)dice(vocabulary);
    chat->sampler = sampler_options_default();
    chat->sampler.temperature = dice(2) ? 0 : 0.8f;
    chat->sampler.repeat_penalty = dice(4) ? 1 : 1.2f;
    chat->sampler.seed = dice(1000);
    chat->max_tokens = 1 + (int32_t)dice(ANSWER);
}

static void answer_chats(struct engine *engine, const struct chat *chats, int count,
                         int32_t speculate, struct outcome *outcomes) {
    struct sequence *sequences[CHATS_MOST];
    struct request *requests[CHATS_MOST];
    struct request_options options[CHATS_MOST];
    for (int i = 0; i < count; i++) {
        options[i] = (struct request_options){.sampler = chats[i].sampler,
                                              .max_tokens = chats[i].max_tokens,
                                              .speculate = speculate,
                                              .draft_always = true};
        assert_int_equal(sequence_create(engine, &sequences[i]), STATUS_OK);
        assert_int_equal(sequence_append(sequences[i], chats[i].prompt, (size_t)chats[i].length),
                         STATUS_OK);
    }
    assert_int_equal(request_start_all(sequences, options, count, requests), STATUS_OK);
    for (int done = 0; done < count;) {
        struct event event;
        assert_true(engine_next_event(engine, 60000, &event));
        engine_check(engine);
        int i = 0;
        while (requests[i] != event.request)
            i++;
        struct outcome *outcome = &outcomes[i];
        if (event.kind != EVENT_DONE) continue;
        assert_int_equal(event.status, STATUS_OK);
        *outcome = (struct outcome){.count = event.stats.output_tokens};
        for (int source = 0; source < DRAFT_SOURCES; source++) {
            outcome->proposed += event.stats.drafts.of[source].drafted;
            outcome->kept += event.stats.drafts.of[source].accepted;
        }
        outcome->reason = event.reason;
        done++;
    }
    for (int i = 0; i < count; i++) {
        memcpy(outcomes[i].tokens, sequence_tokens(sequences[i]) + chats[i].length,
               (size_t)outcomes[i].count * sizeof outcomes[i].tokens[0]);
        assert_int_equal(sequence_length(sequences[i]), chats[i].length + outcomes[i].count);
        assert_int_equal(sequence_cached(sequences[i]), sequence_length(sequences[i]) - 1);
        request_release(requests[i]);
        sequence_destroy(sequences[i]);
    }
}

static struct engine *open_engine(const char *model, const struct engine_options *some,
                                  struct engine_info *info) {
    struct engine *engine;
    struct error err = {0};
    struct engine_options options = *some;
    options.model_path = model;
    options.threads = 2;
    options.step_tokens = ENGINE_STEP_TOKENS_ALL;
    options.kv_device_bytes = POOL_BYTES;
    if (strcmp(options.backend, "cuda") == 0) options.kv_host_bytes = SMALL_HOST_BYTES;
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    engine_info(engine, info);
    return engine;
}

static void check_same(const struct outcome *with, const struct outcome *without) {
    assert_int_equal(with->count, without->count);
    assert_int_equal(with->reason, without->reason);
    assert_memory_equal(with->tokens, without->tokens,
                        (size_t)with->count * sizeof with->tokens[0]);
    assert_int_equal(without->proposed, 0);
}

static void speculation_does_not_change_an_answer(void **state) {
    (void)state;
    static const char *const models[] = {TESTS_DIR "/golden/llama.gguf",
                                         TESTS_DIR "/golden/qwen3.gguf", DEMO_MODEL};
    static struct chat chats[CHATS];
    static struct outcome with[CHATS], without[CHATS];
    int64_t proposed = 0, kept = 0;
    printf("seed %u\n", seed);
    for (size_t m = 0; m < 3; m++) {
        struct engine_info info;
        const struct engine_options options = {
            .backend = "cpu", .context = m < 2 ? 256 : CONTEXT, .deterministic = true};
        struct engine *engine = open_engine(models[m], &options, &info);
        for (int round = 0; round < ROUNDS; round++) {
            const int count = round % 2 ? CHATS : 1;
            for (int i = 0; i < count; i++)
                fill_chat(&chats[i], (uint32_t)info.vocabulary);
            answer_chats(engine, chats, count, 0, without);
            answer_chats(engine, chats, count, 1 + (int32_t)dice(DRAFT_MAX), with);
            for (int i = 0; i < count; i++) {
                check_same(&with[i], &without[i]);
                proposed += with[i].proposed;
                kept += with[i].kept;
            }
        }
        engine_close(engine);
    }
    printf("%lld of %lld guesses were right\n", (long long)kept, (long long)proposed);
    assert_true(kept > CHECK_ROUNDS(50, 10) && proposed > kept);
}

// ---- every number of drafts, every kind of layer, every way to sample
//
// A processor is not deterministic: a matrix unit would compute a longer prompt with other bits
// than what is left of it after a look into the cache. Few tokens always have the bits of one
// there. On a card they have them when it is deterministic.

struct way {
    const char *name;
    struct sampler_options sampler;
    const char *gbnf;
    int32_t stop_after; // tokens, by a cancel; 0: not
    bool stops;         // at the first place that reads like the middle of the answer without
    uint32_t excluded;  // request_options.no_drafts_of
};

static struct sampler_options sample(float temperature, float repeat, float frequency) {
    struct sampler_options sampler = sampler_options_default();
    sampler.temperature = temperature;
    sampler.repeat_penalty = repeat;
    sampler.frequency_penalty = frequency;
    sampler.seed = 7;
    return sampler;
}

enum { STOP_BYTES = 3 };

// Text as it is read token by token, and the word that ends it.
struct reader {
    struct detokenizer detokenizer;
    struct text text;
    char stop[STOP_BYTES + 1];
    bool has_stop, stopped;
};

static void read_token(struct reader *reader, int32_t token) {
    assert_int_equal(detokenizer_push(&reader->detokenizer, token, &reader->text), STATUS_OK);
    const size_t length = reader->text.length;
    reader->stopped =
        reader->has_stop && memmem(text_string(&reader->text), length, reader->stop, STOP_BYTES);
}

// Writes tokens [ANSWER] after the prompt and returns how many; *accepted: drafts among them.
static int32_t answer_in_a_way(struct engine *engine, const int32_t *prompt, const struct way *way,
                               int32_t speculate, struct reader *reader, int32_t *tokens,
                               int64_t *accepted) {
    struct request_options options = {.sampler = way->sampler,
                                      .max_tokens = ANSWER,
                                      .speculate = speculate,
                                      .no_drafts_of = way->excluded,
                                      .draft_always = true};
    struct sequence *sequence;
    struct request *request;
    struct event event = {.kind = EVENT_PREFILL};
    struct token_trie *trie = NULL;
    struct error err = {0};
    int32_t count = 0;
    if (way->gbnf && (token_trie_create(engine_tokenizer(engine), NULL, &trie, &err) != STATUS_OK ||
                      grammar_create(trie, way->gbnf, "root", &options.grammar, &err) != STATUS_OK))
        fail_msg("%s", err.text);
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    assert_int_equal(sequence_append(sequence, prompt, SHORT_PROMPT), STATUS_OK);
    assert_int_equal(request_start_all(&sequence, &options, 1, &request), STATUS_OK);
    if (reader) {
        detokenizer_init(&reader->detokenizer, engine_tokenizer(engine), false, false);
        text_clear(&reader->text);
        reader->stopped = false;
    }
    while (event.kind != EVENT_DONE) {
        assert_true(engine_next_event(engine, 60000, &event));
        engine_check(engine);
        if (event.kind != EVENT_TOKEN || (reader && reader->stopped)) continue;
        tokens[count++] = event.token;
        if (reader) read_token(reader, event.token);
        if (count == way->stop_after || (reader && reader->stopped)) request_cancel(request);
    }
    assert_int_equal(event.status, STATUS_OK);
    assert_true(event.stats.drafts.steps <= event.stats.output_tokens);
    for (int source = 0; source < DRAFT_SOURCES; source++) {
        *accepted += event.stats.drafts.of[source].accepted;
        if (way->excluded >> source & 1) assert_int_equal(event.stats.drafts.of[source].drafted, 0);
    }
    request_release(request);
    sequence_destroy(sequence);
    grammar_release(options.grammar);
    token_trie_destroy(trie);
    return way->stop_after && count > way->stop_after ? way->stop_after : count;
}

// The history has the answer already, but for a token now and then: so drafts are right and wrong.
static void remember_mostly(struct engine *engine, const int32_t *prompt, const int32_t *tokens,
                            int32_t count) {
    int32_t text[SHORT_PROMPT + ANSWER];
    memcpy(text, prompt, SHORT_PROMPT * sizeof text[0]);
    for (int32_t i = 0; i < count; i++)
        text[SHORT_PROMPT + i] = dice(8) ? tokens[i] : prompt[0];
    engine_history_clear(engine);
    engine_history_add(engine, text, SHORT_PROMPT + count);
}

static void check_prompt(struct engine *engine, const int32_t *prompt, const char *path,
                         const struct way *way) {
    static const int32_t lengths[] = {1, 2, 3, 4, 8};
    struct reader reader = {0}, *reads = way->stops ? &reader : NULL;
    int32_t plain[ANSWER], drafted[ANSWER], length;
    int64_t accepted = 0;
    length = answer_in_a_way(engine, prompt, way, 0, reads, plain, &accepted);
    const int32_t whole = length;
    if (reads && reader.text.length > STOP_BYTES) {
        const size_t middle = (reader.text.length - STOP_BYTES) / 2;
        memcpy(reader.stop, text_string(&reader.text) + middle, STOP_BYTES);
        reader.has_stop = true;
        length = answer_in_a_way(engine, prompt, way, 0, reads, plain, &accepted);
        assert_true(reader.stopped && length <= whole);
    }
    assert_int_equal(accepted, 0);
    for (size_t n = 0; n < sizeof lengths / sizeof lengths[0]; n++) {
        remember_mostly(engine, prompt, plain, length);
        if (answer_in_a_way(engine, prompt, way, lengths[n], reads, drafted, &accepted) != length ||
            memcmp(drafted, plain, (size_t)length * sizeof plain[0]) != 0)
            fail_msg("%s, %s, %d drafts: another answer", path, way->name, (int)lengths[n]);
    }
    if (accepted == 0 && length > 20) fail_msg("%s, %s: no drafts", path, way->name);
    text_deinit(&reader.text);
}

static void check_model(const char *backend, const char *path, const struct way *ways, int count) {
    const char *wanted = getenv("QUIRE_TEST_PROMPTS");
    const int prompts = wanted ? atoi(wanted) : 1;
    const struct engine_options options = {
        .backend = backend, .context = 256, .deterministic = strcmp(backend, "cuda") == 0};
    struct engine_info info;
    struct engine *engine = open_engine(path, &options, &info);
    for (int i = 0; i < count * prompts; i++) {
        const struct way *way = &ways[i % count];
        int32_t prompt[SHORT_PROMPT];
        if ((way->gbnf || way->stops) && !engine_tokenizer(engine)) continue;
        for (int32_t at = 0; at < SHORT_PROMPT; at++)
            prompt[at] = (int32_t)dice((uint32_t)info.vocabulary);
        check_prompt(engine, prompt, path, way);
    }
    engine_close(engine);
    printf("%s, %s: %d prompts, the same answers\n", info.backend, path, count * prompts);
}

#define GOLDEN(name) TESTS_DIR "/golden/" name ".gguf"

enum { SAMPLERS = 7, HEAD_SAMPLERS = 2 };

static void fill_ways(struct way ways[SAMPLERS]) {
    const struct way all[SAMPLERS] = {
        {.name = "greedy", .sampler = sample(0, 1, 0)},
        {.name = "seeded", .sampler = sample(0.8f, 1, 0)},
        {.name = "penalties", .sampler = sample(0.8f, 1.3f, 0.5f)},
        {.name = "greedy penalties", .sampler = sample(0, 1.2f, 0)},
        {.name = "grammar",
         .sampler = sample(0.8f, 1, 0),
         .gbnf = "root ::= (\"the \" | [a-z] [a-z]+ \" and so on, \")+"},
        {.name = "cancel", .sampler = sample(0.8f, 1, 0), .stop_after = 37},
        {.name = "stop string", .sampler = sample(0.8f, 1, 0), .stops = true},
    };
    memcpy(ways, all, sizeof all);
}

static void check_kinds(const char *backend) {
    static const char *const models[] = {
        GOLDEN("llama"),         GOLDEN("gemma4-moe"), GOLDEN("deepseek2"), // latent
        GOLDEN("qwen35"),                                                   // states
        GOLDEN("gemma4"),                                                   // windows
        GOLDEN("granitehybrid"), GOLDEN("falcon-h1"),  GOLDEN("lfm2")};
    struct way ways[SAMPLERS];
    fill_ways(ways);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        check_model(backend, models[i], ways, SAMPLERS);
}

// By the head alone, and among other sources.
static void check_heads(const char *backend) {
    static const char *const models[] = {GOLDEN("mtp-right-glm4moe"), GOLDEN("mtp-right-qwen35")};
    struct way ways[SAMPLERS], by_head[SAMPLERS];
    fill_ways(ways);
    memcpy(by_head, ways, sizeof ways);
    for (size_t i = 0; i < SAMPLERS; i++)
        by_head[i].excluded = 1u << DRAFT_LOOKUP | 1u << DRAFT_HISTORY;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        check_model(backend, models[i], by_head, HEAD_SAMPLERS);
        check_model(backend, models[i], ways, SAMPLERS);
    }
}

static void any_number_of_drafts_gives_the_same_answer(void **state) {
    (void)state;
    struct way ways[SAMPLERS];
    printf("seed %u\n", seed);
    fill_ways(ways);
    check_kinds("cpu");
    check_heads("cpu");
    check_model("cpu", DEMO_MODEL, ways, SAMPLERS);
}

static bool has_cuda(void) {
    struct device *device;
    const struct device_options options = {0};
    if (!backend_cuda() || backend_cuda()->open(&options, &device, NULL) != STATUS_OK) return false;
    backend_cuda()->close(device);
    return true;
}

static void any_number_of_drafts_gives_the_same_answer_on_a_card(void **state) {
    (void)state;
    if (!has_cuda()) skip();
    check_kinds("cuda");
}

static void a_heads_drafts_give_the_same_answer_on_a_card(void **state) {
    (void)state;
    if (!has_cuda()) skip();
    check_heads("cuda");
}

// Where rows cost little, a head that is right is asked for more tokens, and one that is wrong for
// none; but it is tried again.
static void a_head_is_asked_as_often_as_it_pays(void **state) {
    (void)state;
    struct draft_record record = draft_record_new();
    struct draft draft = {.record = &record, .most = DRAFT_MAX, .excluded = 1u << DRAFT_HISTORY};
    int32_t log[64] = {0}, tokens[DRAFT_MAX], drafted[2] = {0}, most = 0;
    assert_int_equal(draft_init(&draft, 64), STATUS_OK);
    for (int32_t i = 0; i < 64; i++)
        log[i] = i;
    for (int wrong = 0; wrong < 2; wrong++)
        for (int32_t step = 0; step < 400; step++) {
            struct draft_step with = {.rows = 1, .tokens = 1, .limit = DRAFT_MAX, .pending = true};
            int32_t picked[1 + DRAFT_MAX] = {0}, count = 1;
            const int32_t n = draft_propose(&draft, &(struct draft_log){log, 64}, &with, tokens);
            row_cost_note(&record.cost, 1 + n, 1000 + 50 * n);
            if (n > 0) {
                assert_true(draft_is_unknown(&draft));
                draft_fill(&draft, picked, n); // zeros
                draft_note_cost(&record, DRAFT_HEAD, n, 50 * n);
                count += wrong ? 0 : n;
                picked[0] = wrong; // so the first token is not what was drafted
            }
            draft_note(&draft, picked, count);
            drafted[wrong] += n > 0;
            if (n > most) most = n;
        }
    assert_in_range(drafted[0], 398, 400); // all, once it is known what a row alone costs
    assert_int_equal(most, DRAFT_HEAD_MOST);
    assert_in_range(drafted[1], 4, 200);
    struct draft_step several = {.rows = 1, .tokens = 1, .limit = DRAFT_MAX};
    for (int32_t step = 0; step < 200; step++) // several tokens are pending: it cannot
        assert_int_equal(draft_propose(&draft, &(struct draft_log){log, 64}, &several, tokens), 0);
    draft_deinit(&draft);
}

// ---- a model that reads the log first

// Steps until the drafter drafts, of at most `most`; it takes read_us for each token of the log.
static int32_t steps_before_reading(int32_t behind, float read_us, float right, int32_t most) {
    static int32_t log[1024];
    struct draft_record record = draft_record_new();
    struct draft draft = {.record = &record,
                          .most = DRAFT_MAX,
                          .excluded = 1u << DRAFT_LOOKUP | 1u << DRAFT_HISTORY | 1u << DRAFT_HEAD,
                          .drafter = {.context = 2048}};
    int32_t tokens[DRAFT_MAX], step = 0;
    for (int i = 0; i < 50; i++)
        for (int32_t rows = 1; rows <= 1 + DRAFT_MAX; rows++)
            row_cost_note(&record.cost, rows, 1000 + 100 * (rows - 1));
    record.token_us[DRAFT_MODEL] = 100;
    record.read_us[DRAFT_MODEL] = read_us;
    for (int i = 0; i < DRAFT_CLASSES; i++)
        record.right[DRAFT_MODEL][i] = right;
    assert_int_equal(draft_init(&draft, 1024), STATUS_OK);
    for (; step < most; step++) {
        struct draft_step with = {.rows = 1, .tokens = 1, .limit = DRAFT_MAX, .pending = true};
        const struct draft_log so_far = {log, behind + step};
        if (draft_propose(&draft, &so_far, &with, tokens) > 0) break;
        draft_note(&draft, log, 1);
    }
    draft_deinit(&draft);
    return step;
}

// Three draft tokens, each right in 0.8 of cases, give 2.95 tokens for the time of 1.6 steps. So an
// undrafted step of 1,000 us misses a saving of 450 us.
static void a_model_reads_the_log_once_it_would_have_paid(void **state) {
    (void)state;
    assert_int_equal(steps_before_reading(5, 1000, .8f, 100), 0); // it is not behind
    assert_in_range(steps_before_reading(100, 20, .8f, 100), 3, 6);
    assert_in_range(steps_before_reading(500, 20, .8f, 100), 17, 30);
    assert_int_equal(steps_before_reading(100, 20, .1f, 100), 100); // it would not help
    assert_in_range(steps_before_reading(20, 0, .8f, 100), 2, 10); // how long it reads is not known
}

static void rows_that_were_not_measured_lie_on_the_line_of_those_that_were(void **state) {
    (void)state;
    struct row_cost cost = {0};
    for (int i = 0; i < 16; i++)
        row_cost_note(&cost, 1, 1000);
    const float assumed = row_cost_us(&cost, 5);
    for (int i = 0; i < 16; i++)
        row_cost_note(&cost, 2, 1040);
    assert_true(row_cost_us(&cost, 5) < 1300 && row_cost_us(&cost, 5) < assumed);
    for (int i = 0; i < 16; i++)
        row_cost_note(&cost, 3, 1500);
    assert_in_range((int)row_cost_us(&cost, 5), 2100, 2500);
    row_cost_note(&cost, 4, 1000000); // another program had the processor
    assert_in_range((int)row_cost_us(&cost, 4), 1900, 4000);
    for (int32_t rows = 1; rows < ROW_COST_MOST; rows++)
        assert_true(row_cost_us(&cost, rows + 1) > row_cost_us(&cost, rows));
}

// Answers that guess at every step, as each says one token again and again, beside prompts of which
// whole blocks fill what the answers leave of a step.
static void drafts_take_no_room_from_prompts_in_a_full_step(void **state) {
    (void)state;
    enum { GUESSING = 4, ALL = CHATS_MOST };
    static struct chat chats[ALL];
    static struct outcome with[ALL], without[ALL];
    struct engine_info info;
    const struct engine_options options = {.backend = "cpu", .context = 256, .deterministic = true};
    struct engine *engine = open_engine(GOLDEN("llama"), &options, &info);
    for (int32_t i = 0; i < ALL; i++) {
        struct chat *chat = &chats[i];
        const bool guesses = i < GUESSING;
        *chat = (struct chat){.length = guesses ? 16 : LONG_PROMPT,
                              .sampler = sampler_options_default(),
                              .max_tokens = guesses ? ANSWER : 1};
        chat->sampler.temperature = 0;
        chat->sampler.frequency_penalty = guesses ? -100 : 0;
        for (int32_t at = 0; at < chat->length; at++)
            chat->prompt[at] = guesses ? 100 + i : (int32_t)dice((uint32_t)info.vocabulary);
    }
    answer_chats(engine, chats, ALL, 0, without);
    engine_close(engine);
    engine = open_engine(GOLDEN("llama"), &options, &info); // that has no prompt yet
    answer_chats(engine, chats, ALL, DRAFT_MAX, with);
    for (int32_t i = 0; i < ALL; i++) {
        check_same(&with[i], &without[i]);
        assert_true(i >= GUESSING || with[i].kept > 0);
    }
    engine_close(engine);
}

// ---- files whose head is not as it should be

struct model_copy { // of a file, to be changed
    char bytes[1 << 20];
    size_t size;
    char path[sizeof "/tmp/quire-drafts-XXXXXX"];
};

static void copy_model(const char *model, struct model_copy *copy) {
    FILE *file = fopen(model, "rb");
    assert_non_null(file);
    copy->size = fread(copy->bytes, 1, sizeof copy->bytes, file);
    fclose(file);
}

static void write_copy(struct model_copy *copy) {
    strcpy(copy->path, "/tmp/quire-drafts-XXXXXX");
    const int descriptor = mkstemp(copy->path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, copy->bytes, copy->size), copy->size);
    close(descriptor);
}

// Opens the model with `with` in place of `bytes`, as long, behind the name of a tensor or in it.
static enum status open_changed(const char *model, const char *name, size_t behind,
                                const void *with, size_t length, enum engine_draft_head head,
                                bool *has_head, struct error *err) {
    static struct model_copy copy;
    copy_model(model, &copy);
    char *at = memmem(copy.bytes, copy.size, name, strlen(name));
    assert_non_null(at);
    memcpy(at + behind, with, length);
    write_copy(&copy);
    struct engine *engine = NULL;
    const struct engine_options options = {.model_path = copy.path,
                                           .backend = "cpu",
                                           .context = 64,
                                           .draft_head = head,
                                           .kv_device_bytes = POOL_BYTES};
    const enum status status = engine_open(&options, &engine, err);
    if (status == STATUS_OK) {
        struct engine_info info;
        engine_info(engine, &info);
        *has_head = info.has_draft_head;
        engine_close(engine);
    }
    unlink(copy.path);
    return status;
}

static void heads_of_a_wrong_shape_are_refused_by_name(void **state) {
    (void)state;
    static const char model[] = TESTS_DIR "/golden/mtp-right-qwen35.gguf";
    static const char name[] = "blk.4.nextn.eh_proj.weight", norm[] = "blk.4.nextn.enorm.weight";
    const uint64_t turned[] = {32, 64};
    struct error err = {0};
    bool has_head = false;
    assert_int_equal(open_changed(model, name, strlen(name) + 4, turned, sizeof turned,
                                  DRAFT_HEAD_IF_PRESENT, &has_head, &err),
                     STATUS_BAD_FILE);
    assert_non_null(strstr(err.text, "tensor blk.4.nextn.eh_proj.weight: expected [32, 64]"));
    assert_int_equal(open_changed(model, norm, 0, "blk.4.nextn.enorx", 17, DRAFT_HEAD_IF_PRESENT,
                                  &has_head, &err),
                     STATUS_BAD_FILE);
    assert_non_null(strstr(err.text, "tensor blk.4.nextn.enorm.weight: is missing"));
    // Left out, it is not looked at.
    assert_int_equal(open_changed(model, name, strlen(name) + 4, turned, sizeof turned,
                                  DRAFT_HEAD_NONE, &has_head, &err),
                     STATUS_OK);
    assert_false(has_head);
}

static void a_head_that_is_announced_and_not_there_is_none(void **state) {
    (void)state;
    static const char model[] = TESTS_DIR "/golden/mtp-right-glm4moe.gguf";
    static const char name[] = "blk.3.nextn.eh_proj.weight";
    struct error err = {0};
    bool has_head = true;
    assert_int_equal(open_changed(model, name, 0, "blk.3.nextn.eh_prox", 19, DRAFT_HEAD_IF_PRESENT,
                                  &has_head, &err),
                     STATUS_OK);
    assert_false(has_head);
    assert_int_equal(open_changed(model, name, 0, "blk.3.nextn.eh_prox", 19, DRAFT_HEAD_REQUIRED,
                                  &has_head, &err),
                     STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "has no draft head"));
}

// No logit of such a head is a candidate for a draft.
static void a_head_of_nans_changes_no_answer(void **state) {
    (void)state;
    static const char *const models[] = {GOLDEN("mtp-right-glm4moe"), GOLDEN("mtp-right-qwen35")};
    static const char part[] = ".nextn.";
    const struct way way = {.sampler = sample(0, 1, 0),
                            .excluded = 1u << DRAFT_LOOKUP | 1u << DRAFT_HISTORY};
    const struct engine_options options = {.backend = "cpu", .context = 256};
    static struct model_copy copy;
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
        int32_t prompt[SHORT_PROMPT] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
        int32_t plain[ANSWER], drafted[ANSWER];
        int64_t accepted = 0;
        struct engine_info info;
        struct error err = {0};
        struct gguf *gguf;
        copy_model(models[m], &copy);
        assert_int_equal(gguf_open_memory(copy.bytes, copy.size, models[m], &gguf, &err),
                         STATUS_OK);
        for (size_t i = 0; i < gguf_tensor_count(gguf); i++) {
            const struct gguf_tensor *tensor = gguf_tensor_at(gguf, i);
            if (memmem(tensor->name.bytes, tensor->name.length, part, strlen(part)))
                memset(copy.bytes + ((const char *)tensor->data - copy.bytes), 0xff, tensor->bytes);
        }
        gguf_close(gguf);
        write_copy(&copy);
        struct engine *engine = open_engine(copy.path, &options, &info);
        unlink(copy.path);
        assert_true(info.has_draft_head);
        const int32_t length = answer_in_a_way(engine, prompt, &way, 0, NULL, plain, &accepted);
        assert_true(length > 20);
        assert_int_equal(answer_in_a_way(engine, prompt, &way, 4, NULL, drafted, &accepted),
                         length);
        assert_memory_equal(drafted, plain, (size_t)length * sizeof plain[0]);
        engine_close(engine);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tokens_after_the_latest_match_are_proposed),
        cmocka_unit_test(a_head_is_asked_as_often_as_it_pays),
        cmocka_unit_test(a_model_reads_the_log_once_it_would_have_paid),
        cmocka_unit_test(rows_that_were_not_measured_lie_on_the_line_of_those_that_were),
        cmocka_unit_test(heads_of_a_wrong_shape_are_refused_by_name),
        cmocka_unit_test(a_head_that_is_announced_and_not_there_is_none),
        cmocka_unit_test(a_head_of_nans_changes_no_answer),
        cmocka_unit_test(a_longer_match_beats_a_later_one),
        cmocka_unit_test(a_period_is_continued_beyond_the_end_of_the_log),
        cmocka_unit_test(the_index_finds_the_longest_match_of_a_growing_log),
        cmocka_unit_test(history_proposes_from_a_text_up_to_its_end),
        cmocka_unit_test(a_blind_draft_is_as_long_as_it_may_be),
        cmocka_unit_test(history_keeps_all_texts_while_it_has_room),
        cmocka_unit_test(history_keeps_the_newest_texts),
        cmocka_unit_test(text_that_repeats_is_drafted_at_length),
        cmocka_unit_test(text_without_repeats_costs_few_draft_rows),
        cmocka_unit_test(dear_rows_and_many_answers_shorten_drafts),
        cmocka_unit_test(the_best_count_of_rows_is_found_though_no_line_shows_it),
        cmocka_unit_test(one_disturbed_step_does_not_end_drafting),
        cmocka_unit_test(one_disturbed_step_does_not_end_drafting_where_steps_are_replayed),
        cmocka_unit_test(speculation_does_not_change_an_answer),
        cmocka_unit_test(any_number_of_drafts_gives_the_same_answer),
        cmocka_unit_test(any_number_of_drafts_gives_the_same_answer_on_a_card),
        cmocka_unit_test(a_heads_drafts_give_the_same_answer_on_a_card),
        cmocka_unit_test(drafts_take_no_room_from_prompts_in_a_full_step),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
