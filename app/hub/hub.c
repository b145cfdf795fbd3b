#include "app/hub/hub_client.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/remote/remote_options.h"

enum status hub_open(const struct hub_options *options, struct hub **hub, struct error *err) {
    const struct remote_options remote = {
        .url = options->url, .key = options->token, .certificates = options->certificates};
    struct hub *opened = calloc(1, sizeof *opened);
    if (!opened) return STATUS_NO_MEMORY;
    opened->endpoint.roams = true; // large files lie elsewhere
    const enum status status = endpoint_set(&opened->endpoint, &remote, err);
    if (status == STATUS_OK)
        *hub = opened;
    else
        hub_close(opened);
    return status;
}

void hub_close(struct hub *hub) {
    if (hub) endpoint_deinit(&hub->endpoint);
    free(hub);
}

static bool says(const struct exchange *exchange, const char *header, const char *value) {
    struct curl_header *found;
    return curl_easy_header(exchange->easy, header, 0, CURLH_HEADER, -1, &found) == CURLHE_OK &&
           strcmp(found->value, value) == 0;
}

enum status hub_explain(const struct hub *hub, const char *repo, const struct exchange *exchange,
                        CURLcode code, const struct text *body, struct error *err) {
    const char *url = text_string(&hub->endpoint.url), *host = text_string(&hub->endpoint.host);
    const bool token = hub->endpoint.key.length > 0;
    long http = 0;
    curl_easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &http);
    if (code != CURLE_OK || (http != 401 && http != 403 && http != 404))
        return exchange_explain(exchange, code, body, err);
    if (says(exchange, "X-Error-Code", "GatedRepo"))
        return error_set(err, STATUS_UNSUPPORTED, "%s is gated; accept its terms at %s/%s%s", repo,
                         url, repo,
                         token ? " with the account of your token" : ", and set HF_TOKEN");
    if (says(exchange, "X-Error-Code", "EntryNotFound"))
        return error_set(err, STATUS_NOT_FOUND, "%s: %s no longer has the file", repo, host);
    if (http == 403) // also a proxy's word
        return error_set(err, STATUS_UNSUPPORTED, "%s: %s refused access (HTTP 403)", repo, host);
    if (token && http == 401)
        return error_set(err, STATUS_NOT_FOUND,
                         "%s: %s has no such repository, or rejects the token", repo, host);
    return error_set(err, STATUS_NOT_FOUND, "%s: %s has no such repository%s", repo, host,
                     token ? " for this token" : ", or needs HF_TOKEN to show it");
}

// Asks once; *wait_ms < 0: it is of no use to ask again.
static enum status request_listing(const struct hub *hub, const char *repo, int tries,
                                   struct text *answer, int64_t *wait_ms, struct error *err) {
    struct exchange exchange = {.endpoint = &hub->endpoint};
    struct text path = {0};
    enum status status = text_format(&path, "/api/models/%s/revision/main?blobs=true", repo);
    *wait_ms = -1;
    if (status == STATUS_OK)
        status = exchange_open(&exchange, &hub->endpoint.url, text_string(&path), 0);
    if (status == STATUS_OK) {
        CURLcode code;
        status = exchange_ask(&exchange, answer, &code, err);
        if (status != STATUS_OK && status != STATUS_CANCELLED &&
            !exchange_may_pass(&exchange, code, tries, wait_ms))
            status = hub_explain(hub, repo, &exchange, code, answer, err);
        if (answer->length)
            answer->length = secret_hide(&hub->endpoint.secret, answer->bytes, answer->length);
    }
    exchange_close(&exchange);
    text_deinit(&path);
    return status;
}

enum status hub_list(const struct hub *hub, const char *repo, struct hub_listing *listing,
                     struct error *err) {
    struct text answer = {0};
    enum status status = STATUS_OK;
    int64_t wait_ms = 0;
    for (int tries = 1; wait_ms >= 0; tries++) {
        text_clear(&answer);
        status = request_listing(hub, repo, tries, &answer, &wait_ms, err);
        if (wait_ms > 0) usleep((useconds_t)wait_ms * 1000);
    }
    if (status == STATUS_OK)
        status = hub_listing_read(text_string(&answer), answer.length, listing, err);
    text_deinit(&answer);
    return status;
}
