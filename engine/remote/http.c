#include "engine/remote/http.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "engine/remote/remote_options.h"
#include "engine/remote/reply.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/effort.h"

enum {
    CONNECT_MS = 10000,
    ASK_MS = 30000,
    WATCH_MS = 20, // how long a person who wants no more may wait
    MAX_ANSWER_BYTES = 16 << 20,
    MAX_HEADER_BYTES = 256 << 10,
    MAX_REDIRECTS = 5,
    FIRST_WAIT_MS = 500, // doubled each time
    LONGEST_WAIT_MS = 60000,
};

static enum status refuse_url(struct error *err, const char *url, const char *why) {
    const char *scheme = strstr(url, "://"), *at = strrchr(url, '@');
    const char *rest = at ? at + 1 : url;
    const int shown = (int)strcspn(rest, "?"); // behind it there may be a key
    return error_set(err, STATUS_BAD_INPUT, "%.*s%.*s%s: %s",
                     at && scheme ? (int)(scheme + 3 - url) : 0, url, shown < 200 ? shown : 200,
                     rest, rest[shown] ? "?****" : "", why);
}

// Drops what people copy along: a trailing "/", and the path of a request.
static size_t base_length(const char *url, size_t prefix) {
    static const char *const paths[] = {"/chat/completions", "/completions"};
    size_t length = strlen(url);
    while (length > prefix && url[length - 1] == '/')
        length--;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const size_t bytes = strlen(paths[i]);
        if (length < prefix + bytes || memcmp(url + length - bytes, paths[i], bytes) != 0) continue;
        length -= bytes;
        break;
    }
    while (length > prefix && url[length - 1] == '/')
        length--;
    return length;
}

enum status endpoint_set(struct endpoint *endpoint, const struct remote_options *options,
                         struct error *err) {
    const char *url = options->url, *scheme = strstr(url, "://");
    const size_t prefix = scheme ? (size_t)(scheme - url) + 3 : 0;
    const size_t length = base_length(url, prefix);
    const size_t host = strcspn(url + prefix, "/?");
    if (!scheme || (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0))
        return refuse_url(err, url, "expected http:// or https://");
    if (memchr(url + prefix, '@', host))
        return refuse_url(err, url,
                          "a URL must not contain a user name or password; use --key-from");
    if (strchr(url, '?'))
        return refuse_url(
            err, url,
            "a URL must not contain \"?\", since it is shown and stored; for a key use --key-from");
    if (host == 0 || utf8_has_control(url, strlen(url)))
        return refuse_url(err, url, "expected http://HOST:PORT/v1#MODEL");
    const size_t root = length > 3 && memcmp(url + length - 3, "/v1", 3) == 0 ? length - 3 : length;
    TRY(text_append(&endpoint->url, url, length));
    for (size_t i = 0; i < prefix; i++) // HTTP://
        endpoint->url.bytes[i] = (char)tolower((unsigned char)url[i]);
    TRY(text_append(&endpoint->root, endpoint->url.bytes, root));
    TRY(text_append(&endpoint->host, url + prefix, host));
    TRY(text_append_string(&endpoint->model, options->model ? options->model : ""));
    TRY(text_append_string(&endpoint->key, options->key ? options->key : ""));
    TRY(secret_set(&endpoint->secret, text_string(&endpoint->key), endpoint->key.length));
    TRY(text_append_string(&endpoint->salt, options->salt ? options->salt : ""));
    TRY(text_append_string(&endpoint->certificates,
                           options->certificates ? options->certificates : ""));
    endpoint->first_byte_ms = options->first_byte_ms;
    endpoint->silence_ms = options->silence_ms;
    return STATUS_OK;
}

void endpoint_deinit(struct endpoint *endpoint) {
    struct text *const texts[] = {&endpoint->url,   &endpoint->root, &endpoint->host,
                                  &endpoint->model, &endpoint->salt, &endpoint->certificates};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        text_deinit(texts[i]);
    if (endpoint->key.bytes) explicit_bzero(endpoint->key.bytes, endpoint->key.length);
    text_deinit(&endpoint->key);
    secret_deinit(&endpoint->secret);
}

static bool add_header(struct exchange *exchange, const char *line) {
    struct curl_slist *longer = curl_slist_append(exchange->headers, line);
    if (longer) exchange->headers = longer;
    return longer != NULL;
}

// Gateways use different headers for this.
static bool add_route(struct exchange *exchange, uint64_t route) {
    static const char *const names[] = {"x-session-id", "x-session-affinity", "x-smg-routing-key",
                                        "x-dynamo-session-id"};
    bool whole = true;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && route && whole; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s: %016" PRIx64, names[i], route);
        whole = add_header(exchange, line);
    }
    return whole;
}

static bool add_headers(struct exchange *exchange, uint64_t route) {
    const struct text *key = &exchange->endpoint->key;
    struct text line = {0};
    bool whole = add_header(exchange, "Content-Type: application/json") &&
                 add_header(exchange, "Expect:") && add_route(exchange, route);
    if (whole && key->length) {
        whole = text_format(&line, "Authorization: Bearer %s", text_string(key)) == STATUS_OK &&
                add_header(exchange, text_string(&line));
        if (line.bytes) explicit_bzero(line.bytes, line.length);
        text_deinit(&line);
    }
    return whole;
}

// Otherwise curl would keep all headers of a response, however many there are.
static size_t count_header(char *bytes, size_t size, size_t count, void *user) {
    struct exchange *exchange = user;
    (void)bytes;
    exchange->header_bytes += size * count;
    return exchange->header_bytes <= MAX_HEADER_BYTES ? size * count : 0;
}

enum status exchange_open(struct exchange *exchange, const struct text *base, const char *path,
                          uint64_t route) {
    ASSERT(!exchange->easy && !exchange->headers);
    const struct endpoint *endpoint = exchange->endpoint;
    if (exchange->moved.length)
        TRY(text_append_string(&exchange->url, text_string(&exchange->moved)));
    else
        TRY(text_format(&exchange->url, "%s%s", text_string(base), path));
    exchange->easy = curl_easy_init();
    if (!exchange->easy || !add_headers(exchange, route)) return STATUS_NO_MEMORY;
    CURL *easy = exchange->easy;
    bool set = curl_easy_setopt(easy, CURLOPT_URL, text_string(&exchange->url)) == CURLE_OK;
    set = set && curl_easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers) == CURLE_OK;
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange->problem);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "quire");
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    if (!exchange->undecoded && !endpoint->roams) // of a file, parts are asked for by their bytes
        curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "identity"); // what is packed is unpacked
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, count_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, exchange);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, endpoint->roams ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, (long)MAX_REDIRECTS);
    curl_easy_setopt(easy, CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
    if (endpoint->certificates.length)
        set = set && curl_easy_setopt(easy, CURLOPT_CAINFO, text_string(&endpoint->certificates)) ==
                         CURLE_OK;
    if (exchange->body.length) {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)exchange->body.length);
        set = set && curl_easy_setopt(easy, CURLOPT_POSTFIELDS, exchange->body.bytes) == CURLE_OK;
    }
    return set ? STATUS_OK : STATUS_NO_MEMORY;
}

void exchange_close(struct exchange *exchange) {
    curl_easy_cleanup(exchange->easy);
    curl_slist_free_all(exchange->headers);
    text_deinit(&exchange->url);
    exchange->easy = NULL;
    exchange->headers = NULL;
    exchange->header_bytes = 0;
    exchange->problem[0] = '\0';
}

void exchange_deinit(struct exchange *exchange) {
    exchange_close(exchange);
    text_deinit(&exchange->body);
    text_deinit(&exchange->moved);
}

// ---- redirects

struct place {
    char *scheme, *host, *port; // NULL: it has none
};

static void place_deinit(struct place *place) {
    curl_free(place->scheme);
    curl_free(place->host);
    curl_free(place->port);
}

// False: not a web address; its scheme is still set if it has one.
static bool place_read(const char *url, struct place *place) {
    CURLU *parts = curl_url();
    const bool read =
        parts && curl_url_set(parts, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
        curl_url_get(parts, CURLUPART_SCHEME, &place->scheme, 0) == CURLUE_OK &&
        strncmp(place->scheme, "http", 4) == 0 &&
        curl_url_get(parts, CURLUPART_HOST, &place->host, 0) == CURLUE_OK &&
        curl_url_get(parts, CURLUPART_PORT, &place->port, CURLU_DEFAULT_PORT) == CURLUE_OK;
    curl_url_cleanup(parts);
    return read;
}

// The same host and port, or the same host over https instead of http.
static bool same_host(const struct place *from, const struct place *to) {
    if (strcasecmp(from->host, to->host) != 0) return false;
    const bool same = strcmp(from->scheme, to->scheme) == 0;
    const bool safer = strcmp(from->scheme, "http") == 0 && strcmp(to->scheme, "https") == 0;
    const bool default_ports = strcmp(from->port, "80") == 0 && strcmp(to->port, "443") == 0;
    return (same && strcmp(from->port, to->port) == 0) || (safer && default_ports);
}

enum status exchange_redirect(struct exchange *exchange, struct error *err) {
    const char *own = text_string(&exchange->endpoint->host);
    const char *url = NULL;
    struct place from = {0}, to = {0};
    long http = 0;
    curl_easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &http);
    curl_easy_getinfo(exchange->easy, CURLINFO_REDIRECT_URL, &url);
    if (http < 300 || http > 399 || !url) return STATUS_NOT_FOUND;
    const bool read = place_read(text_string(&exchange->url), &from) && place_read(url, &to);
    char host[256];
    if (read)
        snprintf(host, sizeof host, "%.200s:%.20s", to.host, to.port);
    else
        snprintf(host, sizeof host, "%.30s:", to.scheme ? to.scheme : "");
    secret_hide(&exchange->endpoint->secret, host, strlen(host));
    enum status status;
    if (!read && to.scheme)
        status = error_set(err, STATUS_IO, "%s redirects to a %s address, which is not a server",
                           own, host);
    else if (!read)
        status = error_set(err, STATUS_IO, "%s redirects to an invalid URL", own);
    else if (!same_host(&from, &to))
        status = error_set(err, STATUS_IO,
                           "%s redirects to another host, %s, which is sent neither the "
                           "conversation nor the key; if you trust it, put it in the model's URL",
                           own, host);
    else if (exchange->moves == MAX_REDIRECTS)
        status =
            error_set(err, STATUS_IO, "%s: no answer after %d redirects", own, exchange->moves);
    else
        status = STATUS_OK;
    text_clear(&exchange->moved);
    if (status == STATUS_OK) status = text_append_string(&exchange->moved, url);
    exchange->moves++;
    place_deinit(&from);
    place_deinit(&to);
    return status;
}

bool exchange_undecode(struct exchange *exchange, CURLcode code) {
    if (code != CURLE_BAD_CONTENT_ENCODING || exchange->undecoded) return false;
    exchange->undecoded = true;
    return true;
}

// ---- answers

// What failed, as a sentence that begins with the host.
static const char *sentence_of(CURLcode code) {
    static const struct {
        CURLcode code;
        const char *sentence;
    } rows[] = {
        {CURLE_COULDNT_RESOLVE_HOST, "cannot be found"},
        {CURLE_COULDNT_RESOLVE_PROXY, "cannot be reached: its proxy cannot be found"},
        {CURLE_COULDNT_CONNECT, "cannot be reached"},
        {CURLE_OPERATION_TIMEDOUT, "does not answer in time"},
        {CURLE_PEER_FAILED_VERIFICATION, "has no valid certificate"},
        {CURLE_SSL_CACERT_BADFILE, "cannot be verified: the certificate file cannot be read"},
        {CURLE_SSL_CONNECT_ERROR, "does not speak TLS correctly"},
        {CURLE_GOT_NOTHING, "closed the connection without an answer"},
        {CURLE_RECV_ERROR, "closed the connection"},
        {CURLE_SEND_ERROR, "closed the connection"},
        {CURLE_PARTIAL_FILE, "cut off the answer"},
        {CURLE_HTTP2, "closed the connection"},
        {CURLE_HTTP2_STREAM, "closed the connection"},
        {CURLE_WEIRD_SERVER_REPLY, "does not speak HTTP correctly"},
        {CURLE_UNSUPPORTED_PROTOCOL, "does not speak HTTP correctly"},
        {CURLE_TOO_MANY_REDIRECTS, "redirects too many times"},
        {CURLE_OUT_OF_MEMORY, "cannot be used"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].code == code) return rows[i].sentence;
    return "cannot be used";
}

// Adds curl's own message, which may quote the server.
static enum status explain_curl(const struct exchange *exchange, CURLcode code, struct error *err) {
    const char *host = text_string(&exchange->endpoint->host);
    char problem[CURL_ERROR_SIZE];
    if (exchange->header_bytes > MAX_HEADER_BYTES)
        return error_set(err, STATUS_IO, "%s sends endless headers", host);
    long cause = 0;
    curl_easy_getinfo(exchange->easy, CURLINFO_OS_ERRNO, &cause);
    snprintf(problem, sizeof problem, "%s",
             code == CURLE_COULDNT_CONNECT && cause ? strerror((int)cause)
             : exchange->problem[0]                 ? exchange->problem
                                                    : curl_easy_strerror(code));
    secret_hide(&exchange->endpoint->secret, problem, strlen(problem));
    return error_set(err, STATUS_IO, "%s %s: %s", host, sentence_of(code), problem);
}

enum status exchange_explain(const struct exchange *exchange, CURLcode code,
                             const struct text *body, struct error *err) {
    const struct endpoint *endpoint = exchange->endpoint;
    const char *host = text_string(&endpoint->host);
    struct text said = {0};
    long http = 0;
    curl_easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &http);
    if (code != CURLE_OK) return explain_curl(exchange, code, err);
    if (reply_failure(text_string(body), body->length, &endpoint->secret, &said) != STATUS_OK)
        text_clear(&said);
    const char *colon = said.length ? ": " : "";
    enum status status;
    if (http == 401 || http == 403)
        status =
            error_set(err, STATUS_IO, "%s %s (HTTP %ld)%s%s", host,
                      endpoint->key.length ? "rejects the key" : "requires a key; use --key-from",
                      http, colon, text_string(&said));
    else
        status = error_set(err, STATUS_IO, "%s answers HTTP %ld%s%s", host, http, colon,
                           text_string(&said));
    text_deinit(&said);
    return status;
}

static size_t append_answer(char *bytes, size_t size, size_t count, void *user) {
    struct text *answer = user;
    if (answer->length + size * count > MAX_ANSWER_BYTES) return 0;
    return text_append(answer, bytes, size * count) == STATUS_OK ? size * count : 0;
}

// As curl_easy_perform(), which asks a callback once a second while nothing comes, and so cannot be
// stopped in time. CANCELLED: a person wants no more.
static enum status perform(CURL *easy, CURLcode *code) {
    CURLM *multi = curl_multi_init();
    int running = 1, left;
    bool unwanted = false;
    *code = CURLE_FAILED_INIT;
    if (multi && curl_multi_add_handle(multi, easy) == CURLM_OK) {
        while (running && !unwanted && curl_multi_perform(multi, &running) == CURLM_OK) {
            if (running) curl_multi_poll(multi, NULL, 0, WATCH_MS, NULL);
            unwanted = running && effort_unwanted();
        }
        const CURLMsg *message = curl_multi_info_read(multi, &left);
        if (message && message->msg == CURLMSG_DONE) *code = message->data.result;
        curl_multi_remove_handle(multi, easy);
    }
    curl_multi_cleanup(multi);
    return unwanted ? STATUS_CANCELLED : STATUS_OK;
}

enum status exchange_ask(struct exchange *exchange, struct text *answer, CURLcode *code,
                         struct error *err) {
    long http = 0;
    curl_easy_setopt(exchange->easy, CURLOPT_TIMEOUT_MS, (long)ASK_MS);
    curl_easy_setopt(exchange->easy, CURLOPT_WRITEFUNCTION, append_answer);
    curl_easy_setopt(exchange->easy, CURLOPT_WRITEDATA, answer);
    if (perform(exchange->easy, code) != STATUS_OK)
        return error_set(err, STATUS_CANCELLED, "stopped: %s had not answered",
                         text_string(&exchange->endpoint->host));
    curl_easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &http);
    if (*code == CURLE_OK && http >= 200 && http <= 299) return STATUS_OK;
    const enum status status = exchange_explain(exchange, *code, answer, err);
    return *code == CURLE_OK && (http == 404 || http == 405) ? STATUS_NOT_FOUND : status;
}

enum status http_ask(const struct endpoint *endpoint, const struct text *base, const char *path,
                     const char *query, struct text *answer, struct error *err) {
    struct exchange exchange = {.endpoint = endpoint};
    CURLcode code = CURLE_OK;
    enum status status = text_append_string(&exchange.body, query ? query : "");
    bool moves = status == STATUS_OK;
    while (moves) {
        text_clear(answer);
        status = exchange_open(&exchange, base, path, 0);
        if (status == STATUS_OK) status = exchange_ask(&exchange, answer, &code, err);
        const enum status redirect = status == STATUS_OK ? STATUS_NOT_FOUND
                                     : exchange_undecode(&exchange, code)
                                         ? STATUS_OK
                                         : exchange_redirect(&exchange, err);
        moves = redirect == STATUS_OK;
        if (redirect != STATUS_NOT_FOUND) status = redirect;
        exchange_close(&exchange);
    }
    exchange_deinit(&exchange);
    return status;
}

bool exchange_may_pass(const struct exchange *exchange, CURLcode code, int tries,
                       int64_t *wait_ms) {
    static const long passing[] = {408, 409, 425, 429};
    long http = 0;
    curl_off_t after_s = 0;
    curl_easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &http);
    curl_easy_getinfo(exchange->easy, CURLINFO_RETRY_AFTER, &after_s);
    bool passes = code == CURLE_OK && http >= 500;
    for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++)
        passes |= code == CURLE_OK && http == passing[i];
    passes |= code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
              code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR ||
              code == CURLE_PARTIAL_FILE || code == CURLE_HTTP2_STREAM;
    if (!passes || tries >= EXCHANGE_MOST_TRIES) return false;
    int64_t wait = after_s > 0 ? (int64_t)after_s * 1000 : FIRST_WAIT_MS << (tries - 1);
    if (wait > LONGEST_WAIT_MS) return false;
    wait += wait * (clock_now_us() % 256) / 1024; // spreads clients that failed together
    *wait_ms = wait;
    return true;
}
