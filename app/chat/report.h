// app/chat/report.h — the figures of one turn, for programs and for people.
#ifndef APP_REPORT_H
#define APP_REPORT_H

#include <cjson/cJSON.h>

#include "app/chat/turn.h"

// Tokens per second; 0: nothing was measured. What a server sends in a burst was not computed in
// that time.
double report_prefill_rate(const struct message_stats *stats);
double report_decode_rate(const struct message_stats *stats);

// {id, parent, conversation, model, text, thinking, stop_reason, prompt_tokens, cached_tokens
// {device, host, disk}, output_tokens, drafts {tokens_per_step, lookup {drafted, accepted}, history
// head and drafter {the same}}, restore_ms, ttft_ms, prefill_tps, decode_tps, seed, kv {the fields
// of struct kv_usage}}; `conversation` is null when nothing is saved, `prompt_tokens` when a server
// did not count them, `seed` when it chose it, a rate where none was measured. NULL when memory is
// short. Owned by the caller (cJSON_Delete).
cJSON *report_json(const struct turn_report *report, const char *model, const char *conversation,
                   const struct kv_usage *kv);

// Output tokens for each step that gave some; 0: a server does not say.
double report_tokens_per_step(const struct draft_stats *drafts);

// Adds text and thinking as two strings; thinking is null if the text has none. False: no memory.
bool report_add_text(cJSON *object, const char *text, size_t length);

// Adds the prompt's tokens; null if a server has not counted them. False: no memory.
bool report_add_prompt(cJSON *object, const struct message_stats *stats);

// Adds the seed; null if unknown. False: no memory.
bool report_add_seed(cJSON *object, uint64_t seed, bool known);

// Appends "12 + 34 tokens, 8 cached, first token after 0.12 s, 30.2 tok/s, 1.43 tokens/step,
// end", or why no token was drafted; without the prompt where a server did not count it.
MUST_CHECK enum status report_line(const struct turn_report *report, struct text *line);

#endif
