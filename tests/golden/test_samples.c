// tests/golden/test_samples.c — the demo model's greedy answers, against another runtime's.
//
// demo_samples.md holds conversations that llama-server answered at temperature 0 with the same
// Q8_0 file. Each turn is asked again, after that program's own earlier answers. Both programs
// round activations to 8 bits, each in its own way, so an answer may differ where the two best
// tokens are nearly tied. Every difference is listed with the gap between the two programs' tokens
// at the first one, as the reference backend sees it, which rounds nothing: a large gap there is a
// bug.
#include "tests/check.h" // cmocka and the headers that it wants first
#include "tests/harness/harness.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/detokenizer.h"

enum { MAX_TURNS = 16, CONTEXT = 2048, MAX_ANSWER = 320 };

// In units of logits, which are a dozen or two for the best tokens.
static const float NEARLY_TIED = 0.3f;

struct turn {
    const char *role; // "user"
    char *text;
};

struct conversation {
    char name[16];
    struct turn turns[MAX_TURNS];
    int count;
};

struct asked { // one answer being compared
    struct harness *harness, *reference;
    struct tokenizer *tokenizer;
    const char *expected;
};

static struct {
    int same, different;
    float widest_gap;
} tally;

static char *read_whole(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    const size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(1, length + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, length, file), length);
    fclose(file);
    return text;
}

// The file writes a line break inside a message as two spaces and a line feed.
static void restore_breaks(char *text) {
    char *out = text;
    for (const char *in = text; *in; in++) {
        if (in[0] == ' ' && in[1] == ' ' && in[2] == '\n') in += 2;
        *out++ = *in;
    }
    *out = '\0';
}

// "**user:** Hello!" and what follows up to the next empty line that is not part of the text.
static char *parse_turn(char *at, struct turn *turn) {
    static const char *const roles[] = {"system", "user", "assistant"};
    char mark[32];
    for (size_t i = 0; i < 3; i++) {
        snprintf(mark, sizeof mark, "**%s:** ", roles[i]);
        if (!strncmp(at, mark, strlen(mark))) turn->role = roles[i];
    }
    assert_non_null(turn->role);
    turn->text = at + strlen("**:** ") + strlen(turn->role);
    char *end = turn->text;
    while (*end && !(end[0] == '\n' && end[1] == '\n' && end[-1] != ' '))
        end++;
    char *next = end;
    while (*next == '\n')
        next++;
    *end = '\0';
    restore_breaks(turn->text);
    return next;
}

static char *parse_conversation(char *at, struct conversation *conversation) {
    *conversation = (struct conversation){0};
    assert_int_equal(sscanf(at, "### %15s", conversation->name), 1);
    at = strchr(at, '\n');
    while (*at == '\n')
        at++;
    while (!strncmp(at, "**", 2)) {
        assert_true(conversation->count < MAX_TURNS);
        at = parse_turn(at, &conversation->turns[conversation->count++]);
    }
    return at;
}

static void encode_past(const struct tokenizer *tokenizer, const struct conversation *conversation,
                        int turns, struct token_ids *ids) {
    struct piece pieces[3 * MAX_TURNS + 1];
    char openings[MAX_TURNS][32];
    size_t count = 0;
    for (int i = 0; i < turns; i++) {
        const struct turn *turn = &conversation->turns[i];
        snprintf(openings[i], sizeof openings[i], "<|im_start|>%s\n", turn->role);
        pieces[count++] = (struct piece){PIECE_CONTROL, openings[i], strlen(openings[i])};
        pieces[count++] = (struct piece){PIECE_TEXT, turn->text, strlen(turn->text)};
        pieces[count++] = (struct piece){PIECE_CONTROL, "<|im_end|>\n", 11};
    }
    pieces[count++] = (struct piece){PIECE_CONTROL, "<|im_start|>assistant\n", 22};
    assert_int_equal(tokenizer_encode(tokenizer, pieces, count, ids), STATUS_OK);
}

// Is `text`, without the spaces around an answer, how the expected answer begins?
static bool agrees(const char *text, const char *expected) {
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    if (!strncmp(text, expected, length)) return true;
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    return length == strlen(expected) && !strncmp(text, expected, length);
}

// Would the answer so far, with this token, still be the expected one?
static bool keeps_to_expected(const struct asked *asked, int32_t id, const char *so_far) {
    struct text text = {0};
    assert_int_equal(text_append_string(&text, so_far), STATUS_OK);
    assert_int_equal(tokenizer_decode(asked->tokenizer, id, false, &text), STATUS_OK);
    bool keeps = agrees(text_string(&text), asked->expected);
    if (tokenizer_ends_turn(asked->tokenizer, id)) {
        const char *start = text_string(&text);
        while (isspace((unsigned char)*start))
            start++;
        keeps = keeps && strlen(start) >= strlen(asked->expected);
    }
    text_deinit(&text);
    return keeps;
}

// The logits of the last two of `ids` by the backend that rounds nothing.
static const float *reference_logits(const struct asked *asked, const struct token_ids *ids) {
    struct harness *harness = asked->reference;
    struct block_table table;
    const float *logits = NULL;
    assert_int_equal(block_table_init(&table, CONTEXT, harness->caches[0].block_size), STATUS_OK);
    for (int32_t done = 0, count; done < (int32_t)ids->count; done += count) {
        const int32_t left = (int32_t)ids->count - done;
        count = left <= HARNESS_MAX_TOKENS ? left : HARNESS_MAX_TOKENS - 1; // never one at the end
        logits = harness_run(harness, &table, ids->ids + done, done, count, 2);
    }
    block_table_deinit(&table, harness->pool);
    return logits;
}

// Between the token that was picked and the best one that keeps to the expected answer.
static float gap_to_expected(const struct asked *asked, const float *logits, int32_t picked,
                             const char *so_far) {
    const int32_t vocabulary = asked->reference->model.config.vocabulary;
    float nearest = -1e30f;
    for (int32_t id = 0; id < vocabulary; id++)
        if (id != picked && logits[id] > nearest && keeps_to_expected(asked, id, so_far))
            nearest = logits[id];
    return fabsf(logits[picked] - nearest);
}

// The text may have left the expected one a token before it shows: " a" is how " about" begins.
static float gap_at_difference(const struct asked *asked, const struct token_ids *ids,
                               int32_t picked, const char *so_far, const char *one_before) {
    const float *logits = reference_logits(asked, ids);
    const float *last = logits + asked->reference->model.config.vocabulary;
    const float gap = gap_to_expected(asked, last, picked, so_far);
    if (!one_before || gap <= NEARLY_TIED) return gap;
    const float before = gap_to_expected(asked, logits, ids->ids[ids->count - 1], one_before);
    return before < gap ? before : gap;
}

// Greedy from `ids` on, until the turn ends or the text leaves the expected one. Returns the gap
// at the first difference, or -1 when the answers are the same.
static float compare_answer(const struct asked *asked, struct token_ids *ids) {
    struct harness *harness = asked->harness;
    const int32_t vocabulary = harness->model.config.vocabulary;
    struct block_table table;
    struct text answer = {0}, one_before = {0};
    float gap = -1;
    int32_t done = 0;
    assert_int_equal(block_table_init(&table, CONTEXT, harness->caches[0].block_size), STATUS_OK);
    for (int produced = 0; produced < MAX_ANSWER && gap < 0; produced++) {
        const float *logits = NULL;
        while (done < (int32_t)ids->count) {
            int32_t count = (int32_t)ids->count - done;
            if (count > HARNESS_MAX_TOKENS) count = HARNESS_MAX_TOKENS;
            logits = harness_run(harness, &table, ids->ids + done, done, count, 1);
            done += count;
        }
        const int32_t id = harness_argmax(logits, vocabulary);
        struct text longer = {0};
        assert_int_equal(text_append_string(&longer, text_string(&answer)), STATUS_OK);
        assert_int_equal(tokenizer_decode(asked->tokenizer, id, false, &longer), STATUS_OK);
        const bool ends = tokenizer_ends_turn(asked->tokenizer, id);
        size_t length = longer.length;
        while (ends && length && isspace((unsigned char)longer.bytes[length - 1]))
            longer.bytes[--length] = '\0';
        const char *start = text_string(&longer);
        while (isspace((unsigned char)*start))
            start++;
        if (ends ? strcmp(start, asked->expected) != 0 : !agrees(start, asked->expected))
            gap = gap_at_difference(asked, ids, id, text_string(&answer),
                                    produced ? text_string(&one_before) : NULL);
        text_deinit(&one_before);
        one_before = answer;
        answer = longer;
        if (ends) break;
        assert_int_equal(token_ids_push(ids, id), STATUS_OK);
    }
    if (gap >= 0) printf("    … %.60s | expected %.60s\n", text_string(&answer), asked->expected);
    text_deinit(&one_before);
    text_deinit(&answer);
    block_table_deinit(&table, harness->pool);
    return gap;
}

static void compare_conversation(struct asked *asked, const struct conversation *conversation) {
    for (int i = 0; i < conversation->count; i++) {
        if (strcmp(conversation->turns[i].role, "assistant") != 0) continue;
        struct token_ids ids = {0};
        encode_past(asked->tokenizer, conversation, i, &ids);
        asked->expected = conversation->turns[i].text;
        const float gap = compare_answer(asked, &ids);
        if (gap >= 0) {
            printf("%s turn %d differs, gap %.3f\n", conversation->name, i, (double)gap);
            if (gap > tally.widest_gap) tally.widest_gap = gap;
            tally.different++;
        } else {
            tally.same++;
        }
        token_ids_deinit(&ids);
    }
}

static void answers_differ_only_where_two_tokens_nearly_tie(void **state) {
    (void)state;
    char *samples = read_whole(TESTS_DIR "/golden/demo_samples.md");
    assert_non_null(samples);
    struct harness harness, reference;
    harness_open(&harness, &(struct harness_options){.path = DEMO_MODEL,
                                                     .backend = backend_cpu(),
                                                     .kv_type = DTYPE_F16,
                                                     .blocks = CONTEXT / 16});
    harness_open(&reference, &(struct harness_options){.path = DEMO_MODEL,
                                                       .backend = backend_reference(),
                                                       .kv_type = DTYPE_F32,
                                                       .blocks = CONTEXT / 16});
    struct asked asked = {.harness = &harness, .reference = &reference};
    struct error err = {0};
    assert_int_equal(tokenizer_open(harness.gguf, &asked.tokenizer, &err), STATUS_OK);
    char *at = strstr(samples, "### G");
    while (at && !strncmp(at, "### G", 5)) {
        struct conversation conversation;
        at = parse_conversation(at, &conversation);
        compare_conversation(&asked, &conversation);
    }
    printf("%d answers the same, %d differ, widest gap at a first difference %.3f\n", tally.same,
           tally.different, (double)tally.widest_gap);
    tokenizer_close(asked.tokenizer);
    harness_close(&harness);
    harness_close(&reference);
    free(samples);
    assert_true(tally.same + tally.different > 50); // the file was understood
    assert_true(tally.widest_gap <= NEARLY_TIED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_differ_only_where_two_tokens_nearly_tie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
