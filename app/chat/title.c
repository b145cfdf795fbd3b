#include "app/chat/title.h"

#include <string.h>

#include "app/chat/side_question.h"
#include "engine/tokenizer/thinking.h"
#include "kernels/base/assert.h"
#include "store/preview.h"

enum { TITLE_TOKENS = 24, EXCHANGE = 2 }; // messages

static const char ASK[] = "Write a title for this conversation, of at most five words. Write only "
                          "the title.";

// Characters to strip around a title.
static const char AROUND[] = " \t\r\"'`*#_.";

void title_read(const char *answer, size_t length, char line[TITLE_BYTES]) {
    struct text text = {0};
    line[0] = '\0';
    if (thinking_split(answer, length, NULL, &text) != STATUS_OK) text_clear(&text);
    const char *at = text_string(&text);
    at += strspn(at, " \t\r\n\"'`*#_.");
    if (strncasecmp(at, "title:", 6) == 0) at += 6;
    at += strspn(at, AROUND);
    size_t end = strcspn(at, "\n");
    const char *quoted = memchr(at, '"', end); // "A good title is "Foxes"."
    if (quoted && quoted > at && quoted[-1] == ' ') {
        end -= (size_t)(quoted + 1 - at);
        at = quoted + 1;
        const char *close = memchr(at, '"', end);
        if (close) end = (size_t)(close - at);
    }
    while (end > 0 && strchr(AROUND, at[end - 1]))
        end--;
    preview_make(at, end, line, TITLE_BYTES);
    char *last = strrchr(line, ' ');
    if (strlen(line) < end && last) *last = '\0'; // its last word may be cut off
    text_deinit(&text);
}

bool title_wanted(const struct title *title, const struct chat *chat) {
    const struct conversation *conversation = &chat->conversation;
    const size_t count = chat_message_count(chat);
    return title->turn.state == TURN_IDLE && !chat->reads_only && conversation->id[0] &&
           !conversation->name[0] && !conversation->title[0] && chat->turn.state == TURN_IDLE &&
           count >= EXCHANGE && chat_message(chat, count - 1)->role == MESSAGE_ASSISTANT &&
           strcmp(conversation->id, title->conversation) != 0;
}

// The answer has ended.
static enum status end(void *owner, struct error *err) {
    struct title *title = owner;
    struct session *session = title->session;
    struct conversation found;
    char line[TITLE_BYTES];
    const bool stopped = atomic_load(&title->answer.cancelled);
    side_question_end(session, &title->sequence);
    if (stopped) title->conversation[0] = '\0';
    if (stopped || title->turn.status != STATUS_OK) return STATUS_OK;
    title_read(text_string(&title->answer.text), title->answer.text.length, line);
    TRY(conversation_find(session->db, title->conversation, &found, err));
    if (!line[0] || found.name[0] || found.title[0]) return STATUS_OK;
    TRY(conversation_set_title(session->db, found.id, line, err));
    struct conversation *front = &session->front->conversation;
    if (strcmp(front->id, found.id) == 0) memcpy(front->title, line, sizeof line);
    return STATUS_OK;
}

static const struct turn_ops OPS = {.end = end};

// The number of messages up to the first answer.
static size_t first_exchange(const struct chat *chat) {
    size_t count = 0;
    while (count < chat_message_count(chat) && chat_message(chat, count)->role != MESSAGE_ASSISTANT)
        count++;
    return count + 1;
}

enum status title_begin(struct title *title, struct chat *chat, struct error *err) {
    struct session *session = chat->session;
    ASSERT(title_wanted(title, chat));
    title->session = session;
    memcpy(title->conversation, chat->conversation.id, sizeof title->conversation);
    TRY(side_question_begin(chat, first_exchange(chat), ASK, &title->sequence, err));
    struct request_options request = session_request(session);
    request.sampler = (struct sampler_options){
        .top_p = 1, .repeat_penalty = 1, .given = SAMPLER_GIVEN(temperature)}; // the likeliest
    request.max_tokens = TITLE_TOKENS;
    request.route = chat_route(chat);
    turn_begin(&title->turn,
               &(struct turn){.engine = session->engine,
                              .stops = &session->stops,
                              .ops = &OPS,
                              .owner = title,
                              .answers = &title->answer,
                              .answer_count = 1},
               &request);
    const enum status status = turn_start(&title->turn, title->sequence, err);
    if (status == STATUS_OK)
        session_run(session, &title->turn, TURN_SIDE_QUESTION);
    else
        side_question_end(session, &title->sequence);
    return status;
}

void title_stop(struct title *title) {
    if (title->turn.state != TURN_IDLE) turn_cancel(&title->turn);
}

void title_deinit(struct title *title) {
    if (title->session) session_finish(title->session, &title->turn);
    answer_deinit(&title->answer);
}
