#include "app/chat/chat_preamble.h"

#include <string.h>

#include "store/family.h"

enum { RESTORE_MS = 200 }; // to read it from disk

enum status chat_measure_preamble(const struct chat *chat, const char *preamble,
                                  struct token_ids *ids, struct error *err) {
    static const char one[] = "x", other[] = "y";
    struct transcript empty = transcript_like(&chat->transcript);
    struct token_ids others = {0};
    size_t common = 0;
    enum status status = transcript_render(&empty, preamble, one, sizeof one - 1, ids, err);
    if (status == STATUS_OK)
        status = transcript_render(&empty, preamble, other, sizeof other - 1, &others, err);
    while (status == STATUS_OK && common < ids->count && common < others.count &&
           ids->ids[common] == others.ids[common])
        common++;
    ids->count = common;
    token_ids_deinit(&others);
    transcript_deinit(&empty);
    return status;
}

// How many of the ids are cached in any tier. Starts to restore those that are not on the device.
static int32_t find_cached(const struct chat *chat, const struct token_ids *ids) {
    struct sequence *sequence;
    struct restore_report report = {0};
    if (sequence_create(chat->session->engine, &sequence) != STATUS_OK) return 0;
    if (sequence_append(sequence, ids->ids, ids->count) == STATUS_OK)
        sequence_restore(sequence, RESTORE_MS, &report);
    sequence_destroy(sequence);
    return report.device_tokens + report.host_tokens + report.disk_tokens;
}

enum status chat_preamble(struct chat *chat, struct chat_preamble *preamble, struct error *err) {
    const char *text = chat_preamble_text(chat);
    struct token_ids ids = {0};
    int64_t sharing = 0;
    *preamble = (struct chat_preamble){0};
    if (!text[0]) return STATUS_OK;
    enum status status = chat_measure_preamble(chat, text, &ids, err);
    if (status == STATUS_OK)
        status = family_count_preambles(chat->session->db, text, strlen(text), &sharing, err);
    if (status == STATUS_OK) {
        const bool counted = chat->transcript.count > 0 && sharing > 0;
        preamble->tokens = (int32_t)ids.count;
        preamble->cached = find_cached(chat, &ids);
        preamble->others = sharing - counted;
    }
    token_ids_deinit(&ids);
    return status;
}
