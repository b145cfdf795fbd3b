// kernels/base/trace.h — what took how long, and what ran meanwhile?
//
// A span is a stretch of time on one thread; spans are begun and ended in nested order. A track is
// something that lasts across threads and overlaps with others of its kind, such as a request: any
// thread begins and ends what happens on it. When something ends, one event of Chrome's trace
// format (JSON, as Perfetto and chrome://tracing read it) goes to the sink, which app/ sets, since
// only app/ opens files. So a process that dies loses what it was in the middle of, and nothing
// else.
//
// Without a sink, and without a profiler that wants ranges, each call costs one branch.
//
// Invariant: the spans of one thread nest, so the times of those directly inside another add up to
// at most its own.
//
// Memory: none is kept. Threads: any, once the sink is set; set it while there is only one.
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// `event` is one JSON object without a newline, valid during the call only; calls come from any
// thread, several at once.
typedef void trace_sink(const char *event, size_t length);

// Where a profiler shows spans of its own, such as NVTX ranges.
struct trace_ranges {
    void (*push)(const char *name);
    void (*pop)(void);
};

void trace_set_sink(trace_sink *sink);                    // NULL: none
void trace_set_ranges(const struct trace_ranges *ranges); // borrowed; NULL: none

extern bool trace_is_on; // the calls below check it; check it before a loop of them

struct trace_span {
    const char *name; // a literal; NULL: nobody wants it
    int64_t begun_us;
    int64_t tokens, bytes; // set them before the end; 0 is left out
};

// For the calls below, which are inline so that a span that nobody wants costs a branch.
struct trace_span trace_begin_span(const char *name);
void trace_end_span(const struct trace_span *span);
void trace_put_track(const void *track, const char *name, char phase, int64_t tokens);
void trace_put_thread(const char *name);

static inline struct trace_span trace_begin(const char *name) {
    if (trace_is_on) return trace_begin_span(name);
    struct trace_span span = {0};
    return span;
}

static inline void trace_end(const struct trace_span *span) {
    if (span->name) trace_end_span(span);
}

// `track` is any address that belongs to the thing while it lasts; what begins and ends on one
// track nests, by name.
static inline void trace_track_begin(const void *track, const char *name) {
    if (trace_is_on) trace_put_track(track, name, 'b', 0);
}

static inline void trace_track_end(const void *track, const char *name, int64_t tokens) {
    if (trace_is_on) trace_put_track(track, name, 'e', tokens);
}

// Names the calling thread, from now on.
static inline void trace_thread(const char *name) {
    if (trace_is_on) trace_put_thread(name);
}

#ifdef __cplusplus
}
#endif
#endif
