// engine/remote/http.h — one request to a server over HTTP, as libcurl makes it.
//
// Proxies are the environment's, as curl reads them. What is asked and the key go to the host that
// they are for: a redirect to another one is refused, unless the endpoint is of files (roams), and
// then the key stays behind. The key is never logged, and cut out of what a server says (secret.h).
//
// Memory: an endpoint owns its texts, {0} is empty. Threads: an endpoint is only read once it is
// set; an easy handle belongs to one thread.
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
    struct text url;  // "http://gpu:8000/v1", without a "/" at its end
    struct text root; // the same without "/v1"
    struct text host; // "gpu:8000", for people
    struct text model, key, salt, certificates;
    struct secret secret; // the key, to be masked
    bool roams;           // redirects to other hosts are followed
    int32_t first_byte_ms, silence_ms;
};

// BAD_INPUT: not a URL that can be asked, with the reason.
MUST_CHECK enum status endpoint_set(struct endpoint *endpoint, const struct remote_options *options,
                                    struct error *err);
void endpoint_deinit(struct endpoint *endpoint);

struct exchange { // with an endpoint, embedded by its owner
    const struct endpoint *endpoint;
    CURL *easy;
    struct curl_slist *headers;
    struct text url, body;
    struct text moved; // where a redirect has sent it; empty: nowhere
    int moves;         // redirects so far
    size_t header_bytes;
    char problem[CURL_ERROR_SIZE];
};

// Makes a handle for `path`, which begins with "/" and goes behind `base`, that sends
// exchange->body unless it is empty. `route`: what requests have in common that should reach the
// same machine; 0: nothing. The caller says where the answer goes.
MUST_CHECK enum status exchange_open(struct exchange *exchange, const struct text *base,
                                     const char *path, uint64_t route);
void exchange_close(struct exchange *exchange); // {0} is fine; keeps endpoint, body and redirects
void exchange_deinit(struct exchange *exchange);

// The exchange that has ended is to be opened again, at the place to which a redirect sends it.
// NOT_FOUND: it is no redirect. IO: it goes to another host, or there have been too many.
MUST_CHECK enum status exchange_redirect(struct exchange *exchange, struct error *err);

// Why there was no answer (`code`), or why it is no success: IO, with one line for a person. `body`
// is what the server sent.
enum status exchange_explain(const struct exchange *exchange, CURLcode code,
                             const struct text *body, struct error *err);

// Is an exchange that ended so worth another try, after `tries` of them, at least one, and when?
enum { EXCHANGE_MOST_TRIES = 5 };
bool exchange_may_pass(const struct exchange *exchange, CURLcode code, int tries, int64_t *wait_ms);

// Asks what is open, and waits for the whole answer, 30 seconds at most. IO: no success; NOT_FOUND:
// the server knows no such path.
MUST_CHECK enum status exchange_ask(struct exchange *exchange, struct text *answer, CURLcode *code,
                                    struct error *err);

// Asks and waits for the whole answer: a small question, or a POST of *query. As exchange_ask().
MUST_CHECK enum status http_ask(const struct endpoint *endpoint, const struct text *base,
                                const char *path, const char *query, struct text *answer,
                                struct error *err);

#endif
