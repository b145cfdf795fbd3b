#include "kernels/base/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "kernels/base/assert.h"
#include "kernels/base/clock.h"

enum { EVENT_BYTES = 256 };

bool trace_is_on;
static trace_sink *current_sink;
static const struct trace_ranges *current_ranges;
static atomic_int threads_seen;
static _Thread_local int thread_number; // 0: not yet seen

void trace_set_sink(trace_sink *sink) {
    current_sink = sink;
    trace_is_on = sink || current_ranges;
}

void trace_set_ranges(const struct trace_ranges *ranges) {
    current_ranges = ranges;
    trace_is_on = ranges || current_sink;
}

static int this_thread(void) {
    if (thread_number == 0) thread_number = atomic_fetch_add(&threads_seen, 1) + 1;
    return thread_number;
}

// Every name is a literal of ours, so nothing needs escaping.
__attribute__((format(printf, 1, 2))) static void put(const char *format, ...) {
    char event[EVENT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(event, sizeof event, format, arguments);
    va_end(arguments);
    ASSERT(length > 0 && length < EVENT_BYTES);
    current_sink(event, (size_t)length);
}

struct trace_span trace_begin_span(const char *name) {
    if (current_ranges) current_ranges->push(name);
    return (struct trace_span){.name = name, .begun_us = clock_now_us()};
}

void trace_end_span(const struct trace_span *span) {
    const int64_t now_us = clock_now_us();
    char tokens[40] = "", bytes[40] = "";
    if (current_ranges) current_ranges->pop();
    if (!current_sink) return;
    if (span->tokens) snprintf(tokens, sizeof tokens, "\"tokens\":%" PRId64, span->tokens);
    if (span->bytes)
        snprintf(bytes, sizeof bytes, "%s\"bytes\":%" PRId64, span->tokens ? "," : "", span->bytes);
    put("{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%" PRId64 ",\"dur\":%" PRId64
        ",\"name\":\"%s\",\"args\":{%s%s}}",
        this_thread(), span->begun_us, now_us - span->begun_us, span->name, tokens, bytes);
}

void trace_put_track(const void *track, const char *name, char phase, int64_t tokens) {
    char arguments[40] = "";
    if (!current_sink) return;
    if (tokens) snprintf(arguments, sizeof arguments, "\"tokens\":%" PRId64, tokens);
    put("{\"ph\":\"%c\",\"pid\":1,\"tid\":%d,\"ts\":%" PRId64
        ",\"cat\":\"track\",\"id\":\"%" PRIxPTR "\",\"name\":\"%s\",\"args\":{%s}}",
        phase, this_thread(), clock_now_us(), (uintptr_t)track, name, arguments);
}

void trace_put_thread(const char *name) {
    if (!current_sink) return;
    put("{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}",
        this_thread(), name);
}
