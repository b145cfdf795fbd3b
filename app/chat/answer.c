#include "app/chat/answer.h"

#include <stdlib.h>

#include "engine/grammar/grammar.h"
#include "engine/tokenizer/thinking.h"
#include "kernels/base/array.h"
#include "kernels/base/assert.h"

void answer_begin(struct answer *answer, const struct tokenizer *tokenizer,
                  const struct request_options *options) {
    text_clear(&answer->text);
    answer->tokens.count = 0;
    *answer = (struct answer){
        .turn = answer->turn,
        .options = *options,
        .text = answer->text,
        .tokens = answer->tokens,
        .token_ends = answer->token_ends,
        .ends_capacity = answer->ends_capacity,
    };
    answer->options.owner = answer;
    detokenizer_init(&answer->detokenizer, tokenizer, false,
                     tokenizer_adds_space_prefix(tokenizer));
}

void answer_deinit(struct answer *answer) {
    text_deinit(&answer->text);
    token_ids_deinit(&answer->tokens);
    free(answer->token_ends);
}

// A template may open the model's thinking itself: the text then begins with that mark.
enum status answer_place(struct answer *answer, struct sequence *sequence) {
    enum { MOST_TOKENS = 8 }; // of such a mark and its newlines
    const int32_t *ids = sequence_tokens(sequence);
    const int32_t length = sequence_length(sequence) - (int32_t)answer->old_tokens;
    struct text prompt = {0};
    enum status status = STATUS_OK;
    answer->sequence = sequence;
    for (int32_t i = length > MOST_TOKENS ? length - MOST_TOKENS : 0; i < length; i++)
        if (status == STATUS_OK)
            status = tokenizer_decode(answer->detokenizer.tokenizer, ids[i], true, &prompt);
    answer->options.begun = thinking_left_open(text_string(&prompt), prompt.length);
    text_deinit(&prompt);
    if (status != STATUS_OK || answer->old_tokens > 0 || answer->text.length > 0) return status;
    if (answer->options.begun) status = text_append_string(&answer->text, answer->options.begun);
    answer->old_length = answer->text.length;
    return status;
}

enum status answer_start(struct answer *answers, int32_t count) {
    struct sequence *sequences[ENGINE_MAX_REQUESTS] = {0};
    struct request_options options[ENGINE_MAX_REQUESTS] = {0};
    struct request *requests[ENGINE_MAX_REQUESTS];
    if (count > ENGINE_MAX_REQUESTS) return STATUS_FULL;
    for (int32_t i = 0; i < count; i++) {
        struct answer *answer = &answers[i];
        TRY(answer_place(answer, answer->sequence));
        answer->options.answered = (int32_t)answer->old_tokens;
        sequences[i] = answer->sequence;
        options[i] = answer->options;
    }
    TRY(request_start_all(sequences, options, count, requests));
    for (int32_t i = 0; i < count; i++) {
        atomic_store(&answers[i].request, requests[i]);
        if (atomic_load(&answers[i].cancelled)) request_cancel(requests[i]);
    }
    return STATUS_OK;
}

void answer_cancel(struct answer *answer) {
    atomic_store(&answer->cancelled, true);
    struct request *request = atomic_load(&answer->request);
    if (request) request_cancel(request);
}

static enum status note_token(struct answer *answer, int32_t id) {
    if (!array_reserve(&answer->token_ends, answer->tokens.count, &answer->ends_capacity,
                       sizeof *answer->token_ends))
        return STATUS_NO_MEMORY;
    TRY(token_ids_push(&answer->tokens, id));
    answer->token_ends[answer->tokens.count - 1] = answer->text.length;
    return STATUS_OK;
}

enum status answer_load(struct answer *answer, const struct message *so_far, const int32_t *ids,
                        size_t count) {
    for (size_t i = 0; i < count; i++)
        TRY(detokenizer_push(&answer->detokenizer, ids[i], &answer->text));
    text_clear(&answer->text);
    TRY(text_append(&answer->text, so_far->text, so_far->length));
    for (size_t i = 0; i < count; i++)
        TRY(note_token(answer, ids[i]));
    answer->old_length = answer->shown = so_far->length;
    answer->old_tokens = count;
    answer->stats.output_tokens = so_far->stats.output_tokens;
    answer->stats.decode_us = so_far->stats.decode_us;
    return STATUS_OK;
}

// Control tokens are not text, except those that mark a thought.
static enum status append_mark(struct answer *answer, int32_t id) {
    const struct tokenizer *tokenizer = answer->detokenizer.tokenizer;
    if (!tokenizer_is_special(tokenizer, id) || tokenizer_ends_turn(tokenizer, id))
        return STATUS_OK;
    const struct gguf_string piece = tokenizer_piece(tokenizer, id);
    if (!thinking_is_mark(piece.bytes, piece.length)) return STATUS_OK;
    return text_append(&answer->text, piece.bytes, piece.length);
}

// How much of the text may be shown now. Cuts the text where a stop string matched.
static size_t showable(struct answer *answer, const struct stops *stops) {
    if (answer->stop_matched || answer->ended) return answer->text.length;
    bool matched;
    const size_t end =
        stops_find(stops, text_string(&answer->text), answer->shown, answer->text.length, &matched);
    if (!matched) return end;
    answer->stop_matched = true;
    answer->text.length = end;
    if (answer->text.bytes) answer->text.bytes[end] = '\0';
    return end;
}

void answer_push(struct answer *answer, const struct stops *stops, int32_t id) {
    if (answer->stop_matched || answer->status != STATUS_OK) return;
    answer->status = detokenizer_push(&answer->detokenizer, id, &answer->text);
    if (answer->status == STATUS_OK) answer->status = append_mark(answer, id);
    if (answer->status == STATUS_OK) answer->status = note_token(answer, id);
    showable(answer, stops);
    // The text ends before the stop string, and its tokens behind it.
    if (answer->stop_matched && answer->options.grammar)
        answer->unfinished = !grammar_fits(answer->options.grammar, text_string(&answer->text));
    struct request *request = atomic_load(&answer->request); // NULL: found by a search
    if (request && (answer->stop_matched || answer->status != STATUS_OK)) request_cancel(request);
}

bool answer_show(struct answer *answer, const struct stops *stops, const char **text,
                 size_t *length) {
    const size_t until = showable(answer, stops);
    if (until <= answer->shown || until <= answer->old_length) return false;
    *text = answer->text.bytes + answer->shown;
    *length = until - answer->shown;
    answer->shown = until;
    return true;
}

// A continued answer already has the figures of its beginning.
static void add_stats(struct answer *answer, const struct request_stats *stats) {
    struct message_stats *sum = &answer->stats;
    sum->prompt_tokens = stats->prompt_tokens;
    sum->cached_tokens = stats->cached_tokens;
    sum->first_token_us = stats->first_token_us;
    sum->output_tokens += stats->output_tokens;
    sum->prefill_us = stats->prefill_us;
    sum->decode_us += stats->decode_us;
    answer->drafts = stats->drafts;
    answer->cache = (struct answer_cache){
        .device_tokens = stats->device_tokens,
        .host_tokens = stats->host_tokens,
        .disk_tokens = stats->disk_tokens,
        .restore_us = stats->restore_us,
    };
}

void answer_end(struct answer *answer, const struct event *event) {
    atomic_store(&answer->request, NULL);
    request_release(event->request);
    add_stats(answer, &event->stats);
    answer->reason = event->reason;
    if (!answer->stop_matched) answer->unfinished = event->unfinished;
    answer->ended = true;
    if (event->reason == STOP_REASON_END && !answer->stop_matched && answer->status == STATUS_OK)
        answer->status = detokenizer_finish(&answer->detokenizer, &answer->text);
    // A failure after a stop string loses nothing.
    if (answer->status == STATUS_OK && event->reason == STOP_REASON_FAILED && !answer->stop_matched)
        answer->status = event->status;
}

enum message_stop answer_stop(const struct answer *answer) {
    if (answer->stop_matched) return STOP_STRING;
    switch (answer->reason) {
    case STOP_REASON_END:
        return STOP_END;
    case STOP_REASON_LENGTH:
        return STOP_LENGTH;
    case STOP_REASON_CONTEXT:
        return STOP_CONTEXT;
    case STOP_REASON_CANCELLED:
    case STOP_REASON_FAILED:
        return STOP_INTERRUPTED;
    }
    return STOP_INTERRUPTED;
}

bool answer_is_nothing(const struct answer *answer) {
    return answer_stop(answer) == STOP_INTERRUPTED && answer->text.length == answer->old_length;
}

size_t answer_shown_tokens(const struct answer *answer) {
    size_t shown = answer->old_tokens;
    while (shown < answer->tokens.count && answer->token_ends[shown] <= answer->shown)
        shown++;
    return shown;
}

size_t answer_kept_tokens(const struct answer *answer) {
    if (!answer->stop_matched) return answer->tokens.count;
    size_t kept = answer->old_tokens, end = answer->old_length;
    while (kept < answer->tokens.count && end < answer->text.length)
        end = answer->token_ends[kept++];
    return kept;
}

void answer_check(const struct answer *answer) {
    ASSERT(answer->options.owner == answer);
    ASSERT(answer->shown <= answer->text.length);
    ASSERT(answer->old_tokens <= answer->tokens.count &&
           answer->tokens.count <= answer->ends_capacity);
    ASSERT(answer->ended || !answer->kept);
}
