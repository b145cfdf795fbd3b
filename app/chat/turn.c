#include "app/chat/turn.h"

#include <inttypes.h>
#include <string.h>

#include "engine/grammar/grammar.h"
#include "kernels/base/assert.h"

static enum status explain_failure(const struct turn *turn, enum status status, struct error *err) {
    if (turn->answers[0].options.grammar && status == STATUS_BAD_INPUT)
        return error_set(err, status, "the answer so far does not match the structure");
    if (turn->answers[0].options.grammar && status == STATUS_UNSUPPORTED)
        return error_set(err, status, "no token of this model matches the structure here");
    if (turn->answers[0].options.grammar && status == STATUS_TOO_LONG)
        return error_set(err, STATUS_UNSUPPORTED,
                         "the grammar is too ambiguous here: finding the next tokens takes more "
                         "than %d steps, or too much memory",
                         GRAMMAR_TOKEN_STEPS);
    if (status == STATUS_DEVICE)
        return error_set(err, status, "the device failed while computing the answer");
    if (status != STATUS_FULL) return error_set(err, status, "%s", status_text(status));
    struct engine_info info;
    engine_info(turn->engine, &info);
    return error_set(err, status,
                     "the KV cache is full: this turn has %" PRId32
                     " tokens and needs more than %" PRIu32 " blocks; raise --kv-device",
                     sequence_length(turn->answers[0].sequence), info.blocks_total);
}

// A server that gets messages chooses the seed itself, unless the user gives one.
static bool hides_seed(struct engine *engine, const struct sampler_options *sampler) {
    struct engine_info info;
    engine_info(engine, &info);
    return !strcmp(info.remote, "messages") && !(sampler->given & SAMPLER_GIVEN(seed));
}

static void release_forks(struct turn *turn) {
    for (int32_t i = 0; i < turn->answer_count; i++) {
        if (i > 0) sequence_destroy(turn->answers[i].sequence);
        turn->answers[i].sequence = NULL;
    }
}

struct sequence *turn_take_fork(struct turn *turn, int32_t index) {
    ASSERT(index > 0 && index < turn->answer_count && turn->ended == turn->answer_count);
    struct sequence *fork = turn->answers[index].sequence;
    turn->answers[index].sequence = NULL;
    return fork;
}

// A signal handler may cancel at any moment, so answers become visible once they have begun.
void turn_begin(struct turn *turn, const struct turn *fresh, const struct request_options *first) {
    struct request_options request = *first;
    struct turn begun = *fresh;
    begun.kept = -1;
    begun.hides_seed = hides_seed(fresh->engine, &first->sampler);
    begun.answer_count = turn->answer_count = 0;
    atomic_signal_fence(memory_order_seq_cst);
    *turn = begun;
    for (int32_t i = 0; i < fresh->answer_count; i++, request.sampler.seed++) {
        turn->answers[i].turn = turn;
        answer_begin(&turn->answers[i], engine_tokenizer(turn->engine), &request);
    }
    atomic_signal_fence(memory_order_seq_cst);
    turn->answer_count = fresh->answer_count;
}

enum status turn_start(struct turn *turn, struct sequence *sequence, struct error *err) {
    struct answer *answers = turn->answers;
    enum status status = STATUS_OK;
    answers[0].sequence = sequence;
    for (int32_t i = 1; i < turn->answer_count && status == STATUS_OK; i++)
        status = sequence_fork(sequence, &answers[i].sequence);
    if (status == STATUS_OK) status = answer_start(answers, turn->answer_count);
    if (status == STATUS_OK) return status;
    turn->status = status;
    status = status == STATUS_FULL
                 ? error_set(err, status, "too many answers are being written (at most %d)",
                             ENGINE_MAX_REQUESTS)
                 : explain_failure(turn, status, err);
    release_forks(turn);
    turn->answer_count = 0;
    return status;
}

// How many tokens a search may add to the log, which needs space for one more.
static int32_t search_room(const struct turn *turn) {
    struct engine_info info;
    engine_info(turn->engine, &info);
    return info.context - sequence_length(turn->answers[0].sequence) - 1;
}

enum status turn_search(struct turn *turn, struct sequence *sequence,
                        const struct beams_options *wanted, struct error *err) {
    struct answer *answer = &turn->answers[0];
    struct beams_options options = *wanted;
    struct engine_info info;
    engine_info(turn->engine, &info);
    if (info.remote[0])
        return error_set(err, STATUS_UNSUPPORTED, "beam search is not supported on a server");
    TRY(answer_place(answer, sequence));
    options.grammar = answer->options.grammar;
    options.begun = answer->options.begun;
    const int32_t room = search_room(turn);
    if (room < 1) return error_set(err, STATUS_TOO_LONG, "the context is too full for beam search");
    if (options.max_tokens <= 0 || options.max_tokens > room) options.max_tokens = room;
    options.owner = answer;
    struct beams *beams;
    const enum status status = beams_create(sequence, &options, &beams);
    if (status != STATUS_OK) return explain_failure(turn, status, err);
    atomic_store(&turn->beams, beams);
    if (atomic_load(&answer->cancelled)) beams_cancel(beams);
    return STATUS_OK;
}

static enum stop_reason reason_of_search(const struct turn *turn, const struct beams *beams,
                                         bool ended) {
    if (ended) return STOP_REASON_END;
    if (beams_status(beams) == STATUS_CANCELLED) return STOP_REASON_CANCELLED;
    if (beams_status(beams) != STATUS_OK) return STOP_REASON_FAILED;
    return search_room(turn) < 1 ? STOP_REASON_CONTEXT : STOP_REASON_LENGTH;
}

// The best continuation becomes the answer, as if it had been written token by token. *end is the
// answer's last event, with *err if that says more.
static enum status adopt_best(struct turn *turn, struct beams *beams, struct event *end,
                              struct error *err) {
    enum status status = beams_status(beams);
    struct beams_result best = {0};
    if (status == STATUS_CANCELLED) status = STATUS_OK;
    *err = beams_error(beams);
    if (beams_result_count(beams) > 0) best = beams_result(beams, 0);
    for (int32_t i = 0; i < best.count && status == STATUS_OK; i++)
        answer_push(&turn->answers[0], turn->stops, best.tokens[i]);
    if (status == STATUS_OK && best.count > 0)
        status = sequence_append(turn->answers[0].sequence, best.tokens, (size_t)best.count);
    *end = (struct event){.kind = EVENT_DONE,
                          .reason = reason_of_search(turn, beams, best.ended),
                          .status = status,
                          .err = err->text[0] ? err : NULL,
                          .stats = beams_stats(beams)};
    if (status != STATUS_OK) end->reason = STOP_REASON_FAILED;
    return status;
}

static void note_failure(struct turn *turn, enum status status, const struct error *err) {
    if (status == STATUS_OK || turn->status != STATUS_OK) return;
    turn->status = status;
    turn->err = *err;
}

static void keep(struct turn *turn, struct answer *answer) {
    struct error err = {0};
    const int32_t index = (int32_t)(answer - turn->answers);
    const bool keeps = turn->ops && turn->ops->keep;
    const enum status status = keeps ? turn->ops->keep(turn->owner, answer, &err) : STATUS_OK;
    note_failure(turn, status, &err);
    answer->kept = status == STATUS_OK;
    if (answer->kept && (turn->kept < 0 || index < turn->kept)) turn->kept = index;
}

static void end_turn(struct turn *turn) {
    struct error err = {0};
    if (turn->ops) note_failure(turn, turn->ops->end(turn->owner, &err), &err);
    release_forks(turn);
    turn_move(turn, TURN_ENDED);
}

// One answer has ended; after the last one the turn ends.
static void end_answer(struct answer *answer, const struct event *event) {
    struct turn *turn = answer->turn;
    struct error err = {0};
    const bool explained = event->err != NULL;
    if (explained) err = *event->err; // freed with the request
    answer_end(answer, event);
    enum status status = answer->status;
    turn->resumable |= event->resumable;
    if (!explained && status != STATUS_OK) status = explain_failure(turn, status, &err);
    note_failure(turn, status, &err);
    if (!answer_is_nothing(answer)) keep(turn, answer);
    if (++turn->ended == turn->answer_count) end_turn(turn);
}

// Handles an event of the search; the last one brings the whole answer.
static void follow_search(struct answer *answer, struct beams *beams, const struct event *event) {
    struct turn *turn = answer->turn;
    struct error err;
    struct event end;
    const bool ours = beams_take(beams, event);
    ASSERT(ours);
    if (!beams_done(beams)) return;
    answer->status = adopt_best(turn, beams, &end, &err);
    atomic_store(&turn->beams, NULL);
    beams_destroy(beams);
    end_answer(answer, &end);
}

static void note_shown(struct turn *turn, struct answer *answer) {
    struct error err = {0};
    if (turn->ops->shown(turn->owner, answer, &err) == STATUS_OK || turn->troubled) return;
    turn->troubled = true;
    turn->trouble = err;
}

static bool show(struct answer *answer, struct turn_update *update) {
    struct turn *turn = answer->turn;
    update->answer = (int32_t)(answer - turn->answers);
    update->tokens = (int32_t)answer->tokens.count;
    if (!answer_show(answer, turn->stops, &update->text, &update->length)) return false;
    if (!answer->ended && turn->ops && turn->ops->shown) note_shown(turn, answer);
    return true;
}

bool turn_handle(struct answer *answer, const struct event *event, struct turn_update *update) {
    struct turn *turn = answer->turn;
    struct beams *beams = atomic_load(&turn->beams);
    ASSERT(turn_is_running(turn));
    ASSERT(answer >= turn->answers && answer < turn->answers + turn->answer_count);
    *update = (struct turn_update){.turn = turn, .event = TURN_TEXT};
    if (beams) {
        follow_search(answer, beams, event);
        return turn->state == TURN_ENDED && show(answer, update);
    }
    ASSERT(event->request == atomic_load(&answer->request));
    switch (event->kind) {
    case EVENT_PREFILL:
        update->event = TURN_PREFILL;
        update->done = event->done;
        update->total = event->total;
        return answer == turn->answers; // the first one's prefill serves all
    case EVENT_TOKEN:
        answer_push(answer, turn->stops, event->token);
        break;
    case EVENT_DONE:
        end_answer(answer, event);
        break;
    }
    return show(answer, update);
}

void turn_cancel(struct turn *turn) {
    for (int32_t i = 0; i < turn->answer_count; i++)
        answer_cancel(&turn->answers[i]);
    struct beams *beams = atomic_load(&turn->beams);
    if (beams) beams_cancel(beams);
}

void turn_abandon(struct turn *turn) {
    if (turn->state == TURN_FOLLOWED) turn_move(turn, TURN_LEAVING);
    turn_cancel(turn);
}

bool turn_is_running(const struct turn *turn) {
    return turn->state != TURN_IDLE && turn->state != TURN_ENDED;
}

static bool yields(enum turn_state state) {
    return state == TURN_UNFOLLOWED || state == TURN_SIDE_QUESTION;
}

void turn_move(struct turn *turn, enum turn_state next) {
    static const unsigned NEXT[] = {
        [TURN_IDLE] = 1U << TURN_FOLLOWED | 1U << TURN_SIDE_QUESTION,
        [TURN_FOLLOWED] = 1U << TURN_LEAVING | 1U << TURN_UNFOLLOWED | 1U << TURN_ENDED,
        [TURN_LEAVING] = 1U << TURN_ENDED,
        [TURN_UNFOLLOWED] = 1U << TURN_FOLLOWED | 1U << TURN_ENDED,
        [TURN_SIDE_QUESTION] = 1U << TURN_ENDED,
        [TURN_ENDED] = 1U << TURN_IDLE,
    };
    ASSERT(NEXT[turn->state] >> next & 1);
    const bool changes = yields(next) != yields(turn->state);
    struct beams *beams = atomic_load(&turn->beams);
    turn->state = next;
    if (changes && beams) beams_set_background(beams, yields(next));
    for (int32_t i = 0; i < turn->answer_count && changes; i++) {
        struct request *request = atomic_load(&turn->answers[i].request);
        if (request) request_set_background(request, yields(next));
    }
}

void turn_check(const struct turn *turn) {
    const bool running = turn_is_running(turn), started = running || turn->ended > 0;
    const bool searches = atomic_load(&turn->beams) != NULL;
    int32_t ended = 0, first = -1;
    for (int32_t i = turn->answer_count - 1; i >= 0; i--) {
        const struct answer *answer = &turn->answers[i];
        const bool requested = running && !searches && !answer->ended;
        ASSERT(answer->turn == turn && (atomic_load(&answer->request) != NULL) == requested);
        ASSERT((answer->sequence != NULL) == running || !started);
        ASSERT(turn->state != TURN_LEAVING || atomic_load(&answer->cancelled));
        answer_check(answer);
        ended += answer->ended;
        if (answer->kept) first = i;
    }
    ASSERT(turn->ended == ended);
    ASSERT(turn->ended == turn->answer_count ? !running : !started || running);
    ASSERT(running ? turn->kept == first : turn->kept < 0 || turn->answers[turn->kept].kept);
    ASSERT(!searches || (running && turn->answer_count == 1));
    ASSERT(turn->state != TURN_UNFOLLOWED || turn->ops);
    ASSERT(turn->status != STATUS_OK || !turn->err.text[0]);
}

struct turn_report turn_answer(const struct turn *turn, int32_t index) {
    ASSERT(index >= 0 && index < turn->answer_count);
    const struct answer *answer = &turn->answers[index];
    return (struct turn_report){
        .any = answer->kept,
        .number = turn->older + index + 1,
        .stop = answer_stop(answer),
        .unfinished = answer->unfinished,
        .stats = answer->stats,
        .cache = answer->cache,
        .drafts = answer->drafts,
        .message = answer->message,
        .parent = turn->parent,
        .seed = answer->options.sampler.seed,
        .knows_seed = !turn->hides_seed,
        .text = text_string(&answer->text),
        .length = answer->ended ? answer->text.length : answer->shown,
    };
}

struct turn_report turn_first(const struct turn *turn) {
    if (turn->kept >= 0) return turn_answer(turn, turn->kept);
    if (turn->answer_count == 0) return (struct turn_report){.text = "", .knows_seed = true};
    const struct turn_report first = turn_answer(turn, 0);
    return (struct turn_report){.text = "", .seed = first.seed, .knows_seed = first.knows_seed};
}
