// tests/harness/always_drafts.c — every answer that may be drafted is, in each of its steps.
//
// What is linked with it has drafts whether they pay or not: an answer of a test is short, and how
// long a step takes is different each time.
#include "engine/engine.h"

enum status __real_request_start_all(struct sequence *const *sequences,
                                     const struct request_options *options, int32_t count,
                                     struct request **result);
enum status __wrap_request_start_all(struct sequence *const *sequences,
                                     const struct request_options *options, int32_t count,
                                     struct request **result);

enum status __wrap_request_start_all(struct sequence *const *sequences,
                                     const struct request_options *options, int32_t count,
                                     struct request **result) {
    struct request_options all[ENGINE_MAX_REQUESTS];
    for (int32_t i = 0; i < count && i < ENGINE_MAX_REQUESTS; i++) {
        all[i] = options[i];
        all[i].draft_always = true;
    }
    return __real_request_start_all(sequences, all, count, result);
}
