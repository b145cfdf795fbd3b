#include "app/transcript.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/assert.h"

static enum role role_of(const struct message *message) {
    switch (message->role) {
    case MESSAGE_SYSTEM:
        return ROLE_SYSTEM;
    case MESSAGE_USER:
        return ROLE_USER;
    case MESSAGE_ASSISTANT:
        return ROLE_ASSISTANT;
    }
    return ROLE_USER;
}

// messages[0..count), of which the last is the user's, as ids for what the log lacks.
static enum status encode_user(const struct transcript *transcript,
                               const struct chat_message *messages, size_t count,
                               struct token_ids *ids, struct error *err) {
    const struct tokenizer *tokenizer = transcript->tokenizer;
    const struct token_ids *log = &transcript->log;
    const int32_t bos = tokenizer_bos(tokenizer);
    struct text bos_text = {0};
    struct prompt prompt = {0};
    enum status status = STATUS_OK;
    if (bos != TOKEN_NONE) status = tokenizer_decode(tokenizer, bos, true, &bos_text);
    if (status != STATUS_OK) goto done;
    const struct render what = {
        .messages = messages,
        .count = count,
        .first = log->count ? count - 1 : 0,
        .answer_ended = log->count && tokenizer_ends_turn(tokenizer, log->ids[log->count - 1]),
        .begins_with_bos = tokenizer_adds_bos(tokenizer),
        .ask = true,
        .bos = text_string(&bos_text),
    };
    status = chat_template_render(transcript->row, &what, &prompt, err);
    if (status != STATUS_OK) goto done;
    status = tokenizer_encode(tokenizer, prompt.pieces, prompt.count, ids);
    if (status != STATUS_OK) error_set(err, status, "the message is too long to be tokenised");
done:
    prompt_deinit(&prompt);
    text_deinit(&bos_text);
    return status;
}

// The ids of a message that this model has not read: `message` comes after all entries.
static enum status encode_message(const struct transcript *transcript,
                                  const struct message *message, struct token_ids *ids,
                                  struct error *err) {
    if (message->role == MESSAGE_SYSTEM) return STATUS_OK;
    if (message->role == MESSAGE_USER)
        return transcript_render(transcript, "", message->text, message->length, ids, err);
    // Another model's answer: its text, and the next message closes it.
    const struct piece piece = {PIECE_TEXT, message->text, message->length};
    return tokenizer_encode(transcript->tokenizer, &piece, 1, ids);
}

// Moves *message to the end, with its stored ids, or with new ones, which are then stored.
static enum status load_message(struct transcript *transcript, struct db *db,
                                struct message *message, struct error *err) {
    int32_t *stored = NULL;
    size_t count = 0;
    enum status status = message_tokens(db, message->id, transcript->model, &stored, &count, NULL);
    if (status == STATUS_OK) {
        status = transcript_push(transcript, message, stored, count);
        free(stored);
        return status;
    }
    if (status != STATUS_NOT_FOUND)
        return error_set(err, status, "the tokens of message %lld can not be read: %s",
                         (long long)message->id, status_text(status));
    struct token_ids ids = {0};
    status = encode_message(transcript, message, &ids, err);
    if (status == STATUS_OK)
        status = message_set_tokens(db, message->id, transcript->model, ids.ids, ids.count, err);
    if (status == STATUS_OK) status = transcript_push(transcript, message, ids.ids, ids.count);
    token_ids_deinit(&ids);
    return status;
}

struct transcript transcript_like(const struct transcript *like) {
    return (struct transcript){
        .tokenizer = like->tokenizer, .row = like->row, .model = like->model};
}

void transcript_deinit(struct transcript *transcript) {
    transcript_cut(transcript, 0);
    free(transcript->entries);
    transcript->entries = NULL;
    transcript->capacity = 0;
    token_ids_deinit(&transcript->log);
}

enum status transcript_load(struct transcript *transcript, struct db *db, int64_t tip,
                            struct error *err) {
    struct message *path = NULL;
    size_t count = 0, loaded = 0;
    ASSERT(transcript->count == 0);
    TRY(message_path(db, tip, &path, &count, err));
    enum status status = db_begin(db, err);
    if (status == STATUS_OK) {
        while (status == STATUS_OK && loaded < count) {
            status = load_message(transcript, db, &path[loaded], err);
            if (status == STATUS_OK) path[loaded++] = (struct message){0};
        }
        if (status == STATUS_OK) status = db_commit(db, err);
        if (status != STATUS_OK) db_rollback(db);
    }
    message_path_free(path, count);
    if (status != STATUS_OK) transcript_deinit(transcript);
    return status;
}

enum status transcript_render(const struct transcript *transcript, const char *system,
                              const char *text, size_t length, struct token_ids *ids,
                              struct error *err) {
    struct chat_message *messages = malloc((transcript->count + 2) * sizeof *messages);
    if (!messages) return STATUS_NO_MEMORY;
    size_t count = 0;
    if (transcript->count == 0 && system[0])
        messages[count++] = (struct chat_message){ROLE_SYSTEM, system, strlen(system)};
    for (size_t i = 0; i < transcript->count; i++) {
        const struct message *message = &transcript->entries[i].message;
        messages[count++] = (struct chat_message){role_of(message), message->text, message->length};
    }
    messages[count++] = (struct chat_message){ROLE_USER, text, length};
    const enum status status = encode_user(transcript, messages, count, ids, err);
    free(messages);
    return status;
}

enum status transcript_push(struct transcript *transcript, struct message *message,
                            const int32_t *ids, size_t count) {
    if (transcript->count == transcript->capacity) {
        const size_t capacity = transcript->capacity ? transcript->capacity * 2 : 16;
        struct transcript_entry *entries = realloc(transcript->entries, capacity * sizeof *entries);
        if (!entries) return STATUS_NO_MEMORY;
        transcript->entries = entries;
        transcript->capacity = capacity;
    }
    TRY(token_ids_append(&transcript->log, ids, count));
    transcript->entries[transcript->count++] =
        (struct transcript_entry){*message, transcript->log.count};
    return STATUS_OK;
}

void transcript_cut(struct transcript *transcript, size_t count) {
    while (transcript->count > count)
        message_deinit(&transcript->entries[--transcript->count].message);
    transcript->log.count = transcript_log_end(transcript, count);
}

int64_t transcript_tip(const struct transcript *transcript) {
    if (transcript->count == 0) return MESSAGE_NONE;
    return transcript->entries[transcript->count - 1].message.id;
}

size_t transcript_log_end(const struct transcript *transcript, size_t count) {
    ASSERT(count <= transcript->count);
    return count ? transcript->entries[count - 1].log_end : 0;
}
