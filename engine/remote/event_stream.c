#include "engine/remote/event_stream.h"

#include <string.h>

#include "kernels/base/assert.h"

static const char BYTE_ORDER_MARK[] = "\xef\xbb\xbf";

void event_stream_deinit(struct event_stream *stream) {
    text_deinit(&stream->line);
    text_deinit(&stream->data);
    *stream = (struct event_stream){.take = stream->take, .user = stream->user};
}

static enum status end_event(struct event_stream *stream) {
    if (!stream->has_data) return STATUS_OK;
    ASSERT(stream->take);
    stream->has_data = false;
    const char *data = text_string(&stream->data);
    const bool empty = data[strspn(data, " \n")] == '\0' && strlen(data) == stream->data.length;
    const enum status status =
        empty ? STATUS_OK : stream->take(stream->user, data, stream->data.length);
    text_clear(&stream->data);
    return status;
}

static enum status add_data(struct event_stream *stream, const char *value, size_t length) {
    const size_t separator = stream->has_data ? 1 : 0;
    ASSERT(stream->data.length < EVENT_STREAM_MAX_BYTES);
    if (stream->data.length + separator + length >= EVENT_STREAM_MAX_BYTES) return STATUS_TOO_LONG;
    if (separator) TRY(text_append(&stream->data, "\n", 1));
    stream->has_data = true;
    return text_append(&stream->data, value, length);
}

static bool is_field(const char *line, size_t length, const char *name, size_t *value) {
    const size_t bytes = strlen(name);
    if (length < bytes || memcmp(line, name, bytes) != 0) return false;
    if (length > bytes && line[bytes] != ':') return false;
    *value = length == bytes ? bytes : bytes + 1;
    *value += *value < length && line[*value] == ' ';
    return true;
}

static enum status read_line(struct event_stream *stream, const char *line, size_t length) {
    size_t value;
    if (length == 0) return end_event(stream);
    if (is_field(line, length, "data", &value) || is_field(line, length, "error", &value))
        return add_data(stream, line + value, length - value);
    if (line[0] != '{') return STATUS_OK;
    TRY(end_event(stream));
    TRY(add_data(stream, line, length));
    return end_event(stream);
}

static enum status end_line(struct event_stream *stream) {
    enum { MARK = sizeof BYTE_ORDER_MARK - 1 };
    const char *line = text_string(&stream->line);
    size_t length = stream->line.length;
    if (!stream->begun && length >= MARK && memcmp(line, BYTE_ORDER_MARK, MARK) == 0) {
        line += MARK;
        length -= MARK;
    }
    stream->begun = true;
    const enum status status = read_line(stream, line, length);
    text_clear(&stream->line);
    return status;
}

enum status event_stream_end(struct event_stream *stream) {
    if (stream->line.length) TRY(end_line(stream));
    return end_event(stream);
}

enum status event_stream_push(struct event_stream *stream, const char *bytes, size_t length) {
    for (size_t at = 0; at < length;) {
        if (stream->after_cr && bytes[at] == '\n') at++;
        stream->after_cr = false;
        size_t end = at;
        while (end < length && bytes[end] != '\r' && bytes[end] != '\n')
            end++;
        if (stream->line.length + (end - at) > EVENT_STREAM_MAX_BYTES) return STATUS_TOO_LONG;
        TRY(text_append(&stream->line, bytes + at, end - at));
        if (end == length) return STATUS_OK;
        stream->after_cr = bytes[end] == '\r';
        at = end + 1;
        TRY(end_line(stream));
    }
    return STATUS_OK;
}
