// engine/remote/http.h — one HTTP request to a server, through libcurl.
//
// Proxies come from the environment, as in curl. Requests and the key go only to the endpoint's
// host: a redirect to another host is refused, unless the endpoint serves files (roams), and even
// then the key is not sent along. The key is never logged, and is masked in everything a server
// sends (secret.h).
//
// Memory: an endpoint owns its texts, {0} is empty. Threads: an endpoint is read-only once set; an
// easy handle belongs to one thread.
#ifndef ENGINE_REMOTE_HTTP_H
#define ENGINE_REMOTE_HTTP_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/remote/secret.h"
#include "kernels/base/status.h"
#include "kernels/base/text.h"

struct remote_options;

struct endpoint {
    struct text url;  // "http://gpu:8000/v1", without a trailing "/"
    struct text root; // `url` without "/v1"
    struct text host; // "gpu:8000", for people
    struct text model, key, salt, certificates;
    struct secret secret; // the key, for masking
    bool roams;           // follow redirects to other hosts
    int32_t first_byte_ms, silence_ms;
};

// BAD_INPUT: the URL cannot be used; the error says why.
MUST_CHECK enum status endpoint_set(struct endpoint *endpoint, const struct remote_options *options,
                                    struct error *err);
void endpoint_deinit(struct endpoint *endpoint);

struct exchange { // embedded by its owner, who sets the endpoint
    const struct endpoint *endpoint;
    CURL *easy;
    struct curl_slist *headers;
    struct text url, body;
    struct text moved; // target of the last redirect; empty: none
    int moves;         // redirects so far
    bool undecoded;    // whatever its Content-Encoding, it is not decoded
    size_t header_bytes;
    char problem[CURL_ERROR_SIZE];
};

// Creates a handle for `base` + `path`, which begins with "/", that sends exchange->body unless it
// is empty. `route`: requests with the same value should reach the same machine; 0: any. The caller
// sets where the response goes.
MUST_CHECK enum status exchange_open(struct exchange *exchange, const struct text *base,
                                     const char *path, uint64_t route);
void exchange_close(struct exchange *exchange); // {0} is fine; keeps endpoint, body and redirects
void exchange_deinit(struct exchange *exchange);

// Prepares an ended exchange to be opened again at the target of its redirect. NOT_FOUND: no
// redirect. IO: it leads to another host, or there were too many.
MUST_CHECK enum status exchange_redirect(struct exchange *exchange, struct error *err);

// Prepares an ended exchange to be opened again without decoding its response, where `code` says
// that this failed: some servers write "utf-8" into Content-Encoding. False: that is not why.
bool exchange_undecode(struct exchange *exchange, CURLcode code);

// Returns IO with a one-line reason why there was no response (`code`) or no success. `body` is
// what the server sent.
enum status exchange_explain(const struct exchange *exchange, CURLcode code,
                             const struct text *body, struct error *err);

// Is an exchange that failed like this worth another try after `tries` (at least 1)? *wait_ms says
// when.
enum { EXCHANGE_MOST_TRIES = 5 };
bool exchange_may_pass(const struct exchange *exchange, CURLcode code, int tries, int64_t *wait_ms);

// Performs an open exchange and waits up to 30 seconds for the whole response. IO: no success;
// NOT_FOUND: the server does not know the path. CANCELLED: the user interrupted (effort.h).
MUST_CHECK enum status exchange_ask(struct exchange *exchange, struct text *answer, CURLcode *code,
                                    struct error *err);

// Sends a small GET, or a POST of *query, and waits for the whole response. Outcomes as for
// exchange_ask().
MUST_CHECK enum status http_ask(const struct endpoint *endpoint, const struct text *base,
                                const char *path, const char *query, struct text *answer,
                                struct error *err);

#endif
