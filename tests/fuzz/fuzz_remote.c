// tests/fuzz/fuzz_remote.c — any bytes as a server's answer: its events do not depend on how the
// bytes are divided, and what is read of them is well-formed where it is shown.
//
// As a hub's list of files: none is above its folder or has a name that a terminal would obey.
//
// The first byte is the size of the pieces; the rest is the answer.
#include <stdio.h>
#include <string.h>

#include "app/base/printable.h"
#include "app/hub/hub_listing.h"
#include "engine/remote/event_stream.h"
#include "engine/remote/reply.h"
#include "kernels/base/assert.h"

static const char KEY[] = "data"; // that a stream has anyway

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static enum status check_reply(void *user, const struct reply *reply) {
    const struct text *const texts[] = {&reply->text, &reply->thought, &reply->refusal,
                                        &reply->failure};
    (void)user;
    ASSERT(utf8_valid(text_string(&reply->failure), reply->failure.length, NULL));
    ASSERT(!utf8_has_control(text_string(&reply->failure), reply->failure.length));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        ASSERT(!strstr(text_string(texts[i]), KEY));
    for (size_t i = 0; i < reply->ids.count; i++)
        ASSERT(reply->ids.ids[i] >= 0);
    return STATUS_OK;
}

static enum status take_event(void *user, const char *data, size_t length) {
    struct text *events = user;
    struct secret secret = {0};
    ASSERT(strlen(data) <= length);
    ASSERT(secret_set(&secret, KEY, strlen(KEY)) == STATUS_OK);
    const enum status status = reply_read(data, length, &secret, check_reply, NULL);
    ASSERT(status == STATUS_OK || status == STATUS_BAD_INPUT);
    secret_deinit(&secret);
    TRY(text_append(events, data, length));
    return text_append(events, "", 1);
}

static void play_stream(const char *bytes, size_t length, size_t piece, struct text *events) {
    struct event_stream stream = {.take = take_event, .user = events};
    for (size_t at = 0; at < length; at += piece)
        ASSERT(event_stream_push(&stream, bytes + at, at + piece < length ? piece : length - at) ==
               STATUS_OK);
    event_stream_deinit(&stream);
}

static void check_path(const char *path) {
    char parts[2048];
    size_t used;
    ASSERT(path[0] && path[0] != '/' && utf8_valid(path, strlen(path), NULL));
    snprintf(parts, sizeof parts, "/%s/", path);
    ASSERT(!strstr(parts, "//") && !strstr(parts, "/./") && !strstr(parts, "/../"));
    for (; *path; path += used)
        ASSERT(!printable_is_hidden(utf8_decode(path, strlen(path), &used)));
}

static void list(const char *json, size_t length) {
    struct hub_listing listing = {0};
    const struct hub_name name = {.repo = "org/repo"};
    const struct hub_machine machine = {.memory_free = UINT64_MAX};
    struct hub_model model;
    struct text why = {0};
    struct error err = {0};
    const enum status status = hub_listing_read(json, length, &listing, &err);
    ASSERT(status == STATUS_OK || status == STATUS_BAD_FILE || status == STATUS_UNSUPPORTED);
    for (size_t i = 0; i < listing.count; i++)
        check_path(listing.files[i].path);
    if (hub_listing_choose(&listing, &name, &machine, &model, &why, &err) == STATUS_OK)
        ASSERT(hub_model_has(&listing, &model, model.first));
    hub_listing_deinit(&listing);
    text_deinit(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct text at_once = {0}, in_pieces = {0}, failure = {0};
    if (length < 2) return 0;
    const char *answer = (const char *)bytes + 1;
    play_stream(answer, length - 1, length, &at_once);
    play_stream(answer, length - 1, 1 + bytes[0] % 16, &in_pieces);
    ASSERT(at_once.length == in_pieces.length);
    ASSERT(!at_once.length || memcmp(at_once.bytes, in_pieces.bytes, at_once.length) == 0);
    ASSERT(reply_failure(answer, length - 1, NULL, &failure) == STATUS_OK);
    ASSERT(utf8_valid(text_string(&failure), failure.length, NULL));
    text_deinit(&at_once);
    text_deinit(&in_pieces);
    text_deinit(&failure);
    list(answer, length - 1);
    return 0;
}
