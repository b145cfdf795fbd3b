// app/chat/kv_report.h — describes the KV cache in words and JSON.
//
// Appends to the caller's text; owns nothing.
#ifndef APP_KV_REPORT_H
#define APP_KV_REPORT_H

#include <cjson/cJSON.h>

#include "engine/engine.h"
#include "kernels/base/text.h"

// All fields of struct kv_usage under their names. NULL when memory is short. Owned by the caller.
cJSON *kv_report_json(const struct kv_usage *usage);

// What moving to a conversation restored, and what that saved:
//   restored 11,204 of 11,290 tokens (disk, 92 ms; prefill would take 410 ms)
//   11,204 of 11,290 tokens are in the cache (device)
//   computing 11,204 tokens (prefill 410 ms; reading them from the disk would take 900 ms)
// Appends nothing for an empty conversation. Leaves out times that were not measured.
MUST_CHECK enum status kv_report_restored(const struct restore_report *report, struct text *line);

// What it will cost to continue after turn `turn` (0: after the preamble), as states or windows
// are gone, whichever the model has:
//   state of turn 3 is gone: 1,240 tokens to recompute, about 2100 ms
//   window or state of turn 3 is gone: 1,240 tokens to recompute, about 2100 ms
// Appends nothing if that is little more than any turn has to recompute.
MUST_CHECK enum status kv_report_lost(const struct restore_report *report,
                                      const struct kv_usage *usage, int64_t turn,
                                      struct text *line);

// "device 512.0 MiB · host 64.0 MiB · disk 12.4 MiB of 32.0 GiB": the tiers and their limits.
MUST_CHECK enum status kv_report_pools(const struct kv_usage *usage, struct text *line);

// Write amplification: bytes written to disk per byte of KV; 0 if nothing was written.
double kv_report_amplification(const struct kv_usage *usage);

#endif
