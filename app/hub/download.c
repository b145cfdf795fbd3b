#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/hub/hub_client.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"

enum {
    PIECE_BYTES = 8 << 20,
    CONNECTIONS = 8,
    POLL_MS = 100,
    SILENCE_S = 60,
    REFUSAL_BYTES = 4096,
};

struct fetch;

struct piece {
    struct fetch *fetch;
    struct exchange exchange;
    uint64_t first;
    size_t length, done, written; // bytes of it: all, those that came, those on the disk
    size_t before;                // that had come when it was asked for
    bool asking;
    int tries; // since the last byte came
    int64_t again_us;
    struct text refusal;
    char *bytes; // owned; NULL: not needed yet
};

// The pieces are a ring: `count` of them from `head` on, in the file's order.
struct fetch {
    const struct hub *hub;
    const struct hub_download *download;
    CURLM *multi;
    struct text path;      // of the file at the hub
    struct endpoint store; // where the hub sends us; its URL is empty as long as that is not known
    struct piece pieces[CONNECTIONS];
    int head, count;
    uint64_t next, written; // the bytes that are asked for, and on the disk
    int fd;
    EVP_MD_CTX *digest;
    struct error *err;
};

static const struct hub_file *file_of(const struct fetch *fetch) { return fetch->download->file; }

static enum status fail_file(const struct fetch *fetch, enum status status, const char *what) {
    return error_set(fetch->err, status, "%.200s: %s", file_of(fetch)->path, what);
}

static enum status fail_io(const struct fetch *fetch, const char *what) {
    const bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    return error_set(fetch->err, full ? STATUS_FULL : STATUS_IO, "cannot %s %.300s: %s", what,
                     fetch->download->path, strerror(errno));
}

// ---- the digest

static bool is_sha256(const struct hub_file *file) {
    return strlen(file->digest) == HUB_SHA256_DIGITS;
}

// Git's digest is SHA-1 over a header and the bytes.
static enum status begin_digest(struct fetch *fetch) {
    const struct hub_file *file = file_of(fetch);
    char head[32];
    const int length = snprintf(head, sizeof head, "blob %" PRIu64, file->bytes) + 1;
    fetch->digest = EVP_MD_CTX_new();
    bool begun =
        fetch->digest &&
        EVP_DigestInit_ex(fetch->digest, is_sha256(file) ? EVP_sha256() : EVP_sha1(), NULL) == 1;
    if (begun && !is_sha256(file))
        begun = EVP_DigestUpdate(fetch->digest, head, (size_t)length) == 1;
    return begun ? STATUS_OK : fail_file(fetch, STATUS_UNSUPPORTED, "cannot compute its digest");
}

static enum status check_digest(struct fetch *fetch) {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    char digits[2 * EVP_MAX_MD_SIZE + 1] = "";
    unsigned length = 0;
    const struct hub_file *file = file_of(fetch);
    if (EVP_DigestFinal_ex(fetch->digest, bytes, &length) != 1) return STATUS_NO_MEMORY;
    for (unsigned i = 0; i < length; i++)
        snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
    if (strcmp(digits, file->digest) == 0) return STATUS_OK;
    if (unlink(fetch->download->path) != 0) return fail_io(fetch, "remove");
    return error_set(fetch->err, STATUS_BAD_FILE,
                     "%.200s: its %s is %.12s…, but the hub says %.12s…; removed it, so pull again",
                     file->path, is_sha256(file) ? "SHA-256" : "SHA-1", digits, file->digest);
}

// Hashes the bytes already there. A file of a single piece starts over, because a server may send
// it whole.
static enum status read_beginning(struct fetch *fetch) {
    struct stat info;
    const struct hub_file *file = file_of(fetch);
    char *bytes = fetch->pieces[0].bytes = malloc(PIECE_BYTES);
    if (!bytes) return STATUS_NO_MEMORY;
    if (fstat(fetch->fd, &info) != 0) return fail_io(fetch, "read");
    uint64_t length = (uint64_t)info.st_size;
    if (length > file->bytes || file->bytes <= PIECE_BYTES) length = 0;
    if (ftruncate(fetch->fd, (off_t)length) != 0) return fail_io(fetch, "write");
    while (fetch->written < length) {
        const ssize_t read = pread(fetch->fd, bytes, PIECE_BYTES, (off_t)fetch->written);
        if (read <= 0) return fail_io(fetch, "read");
        if (EVP_DigestUpdate(fetch->digest, bytes, (size_t)read) != 1) return STATUS_NO_MEMORY;
        fetch->written += (uint64_t)read;
        if (!fetch->download->progress(fetch->download->user, fetch->written))
            return STATUS_CANCELLED;
    }
    fetch->next = fetch->written;
    return STATUS_OK;
}

// ---- what comes

// Is this answer the part that was asked for?
static bool is_part(const struct piece *piece) {
    struct curl_header *range;
    uint64_t first = 0, bytes = 0;
    long http = 0;
    CURL *easy = piece->exchange.easy;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &http);
    if (http == 200) return piece->done == 0 && piece->length == file_of(piece->fetch)->bytes;
    return http == 206 &&
           curl_easy_header(easy, "Content-Range", 0, CURLH_HEADER, -1, &range) == CURLHE_OK &&
           sscanf(range->value, "bytes %" SCNu64 "-%*[0-9]/%" SCNu64, &first, &bytes) == 2 &&
           first == piece->first + piece->before && bytes == file_of(piece->fetch)->bytes;
}

static size_t receive_bytes(char *bytes, size_t size, size_t count, void *user) {
    struct piece *piece = user;
    const size_t length = size * count;
    long http = 0;
    curl_easy_getinfo(piece->exchange.easy, CURLINFO_RESPONSE_CODE, &http);
    if (http < 200 || http > 299) {
        if (piece->refusal.length + length > REFUSAL_BYTES) return length;
        return text_append(&piece->refusal, bytes, length) == STATUS_OK ? length : 0;
    }
    if (length > piece->length - piece->done || (piece->done == piece->before && !is_part(piece)))
        return 0;
    memcpy(piece->bytes + piece->done, bytes, length);
    piece->done += length;
    return length;
}

static enum status request_piece(struct piece *piece) {
    struct fetch *fetch = piece->fetch;
    const bool known = fetch->store.url.length > 0;
    const uint64_t last = piece->first + piece->length - 1;
    char range[48];
    piece->exchange.endpoint = known ? &fetch->store : &fetch->hub->endpoint;
    TRY(exchange_open(&piece->exchange, &piece->exchange.endpoint->url,
                      known ? "" : text_string(&fetch->path), 0));
    CURL *easy = piece->exchange.easy;
    snprintf(range, sizeof range, "%" PRIu64 "-%" PRIu64, piece->first + piece->done, last);
    if (piece->done || piece->length < file_of(fetch)->bytes)
        curl_easy_setopt(easy, CURLOPT_RANGE, range);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1); // one stream each
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_S);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, piece);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, piece);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive_bytes);
    text_clear(&piece->refusal);
    piece->before = piece->done;
    piece->tries++;
    piece->asking = curl_multi_add_handle(fetch->multi, easy) == CURLM_OK;
    return piece->asking ? STATUS_OK : STATUS_NO_MEMORY;
}

static void leave(struct piece *piece) {
    if (piece->asking) curl_multi_remove_handle(piece->fetch->multi, piece->exchange.easy);
    piece->asking = false;
    exchange_close(&piece->exchange);
}

// If another host has the file, requests the next pieces there, without the token.
static enum status note_store(struct fetch *fetch, CURL *easy) {
    const struct text *root = &fetch->hub->endpoint.url;
    const struct text *certificates = &fetch->hub->endpoint.certificates;
    const char *url = NULL, *hub = text_string(root);
    curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &url);
    const char *scheme = url ? strstr(url, "://") : NULL;
    if (!scheme || fetch->store.url.length) return STATUS_OK;
    const size_t host = (size_t)(strstr(hub, "://") + 3 - hub);
    const size_t prefix = host + strcspn(hub + host, "/");
    if (strncmp(url, hub, prefix) == 0 && url[prefix] == '/') return STATUS_OK;
    fetch->store.roams = true;
    text_clear(&fetch->store.host);
    TRY(text_append(&fetch->store.host, scheme + 3, strcspn(scheme + 3, "/?")));
    if (certificates->length && !fetch->store.certificates.length)
        TRY(text_append_string(&fetch->store.certificates, certificates->bytes));
    return text_append_string(&fetch->store.url, url);
}

static enum status explain(const struct piece *piece, CURLcode code, long http) {
    const struct fetch *fetch = piece->fetch;
    if (http == 200 && code == CURLE_WRITE_ERROR)
        return fail_file(fetch, STATUS_UNSUPPORTED, "the server does not support range requests");
    if (code == CURLE_WRITE_ERROR)
        return fail_file(fetch, STATUS_IO, "the server sent the wrong range");
    if (code == CURLE_OK && http >= 200 && http <= 299)
        return fail_file(fetch, STATUS_IO, "the server closed the connection early");
    return hub_explain(fetch->hub, fetch->download->repo, &piece->exchange, code, &piece->refusal,
                       fetch->err);
}

// An exchange is over; the piece is whole, asked for again, or the reason to give up.
static enum status hear(struct piece *piece, CURLcode code) {
    struct fetch *fetch = piece->fetch;
    CURL *easy = piece->exchange.easy;
    enum status status = STATUS_OK;
    int64_t wait_ms = 0;
    long http = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &http);
    const bool refused = code == CURLE_WRITE_ERROR; // by receive_bytes()
    if (piece->done > piece->before) piece->tries = 0;
    const bool stored = piece->exchange.endpoint == &fetch->store;
    if (piece->done == piece->length)
        status = note_store(fetch, easy);
    else if (stored && http >= 400 && http <= 499 && piece->tries < EXCHANGE_MOST_TRIES)
        text_clear(&fetch->store.url); // its address was temporary
    else if (refused ||
             (piece->tries && !exchange_may_pass(&piece->exchange, code, piece->tries, &wait_ms)))
        status = explain(piece, code, http);
    if (status == STATUS_OK && piece->done < piece->length)
        log_write(LOG_INFO, "%s: connection lost, HTTP %ld; continuing at byte %" PRIu64,
                  text_string(&piece->exchange.endpoint->host), http, piece->first + piece->done);
    piece->again_us = clock_now_us() + wait_ms * 1000;
    leave(piece);
    return status;
}

// ---- the loop

static void add_pieces(struct fetch *fetch) {
    const uint64_t bytes = file_of(fetch)->bytes;
    while (fetch->count < CONNECTIONS && fetch->next < bytes) {
        struct piece *piece = &fetch->pieces[(fetch->head + fetch->count++) % CONNECTIONS];
        const uint64_t left = bytes - fetch->next;
        piece->fetch = fetch;
        piece->first = fetch->next;
        piece->length = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
        piece->done = piece->written = 0;
        piece->tries = 0;
        piece->again_us = 0;
        fetch->next += piece->length;
    }
}

static enum status ask_pieces(struct fetch *fetch) {
    for (int i = 0; i < fetch->count; i++) {
        struct piece *piece = &fetch->pieces[(fetch->head + i) % CONNECTIONS];
        if (piece->asking || piece->done == piece->length || clock_now_us() < piece->again_us)
            continue;
        if (!piece->bytes) piece->bytes = malloc(PIECE_BYTES);
        if (!piece->bytes) return STATUS_NO_MEMORY;
        TRY(request_piece(piece));
    }
    return STATUS_OK;
}

static enum status hear_pieces(struct fetch *fetch) {
    int running, left;
    CURLMsg *message;
    enum status status = STATUS_OK;
    curl_multi_perform(fetch->multi, &running);
    while (status == STATUS_OK && (message = curl_multi_info_read(fetch->multi, &left))) {
        char *piece = NULL;
        if (message->msg != CURLMSG_DONE) continue;
        const CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &piece);
        ASSERT(piece);
        status = hear((struct piece *)(void *)piece, code);
    }
    return status;
}

// Writes what has come of the first piece, and of those behind it that are next.
static enum status write_pieces(struct fetch *fetch) {
    while (fetch->count > 0) {
        struct piece *piece = &fetch->pieces[fetch->head];
        ASSERT(piece->first + piece->written == fetch->written && piece->written <= piece->done);
        while (piece->written < piece->done) {
            const char *bytes = piece->bytes + piece->written;
            const ssize_t wrote =
                pwrite(fetch->fd, bytes, piece->done - piece->written, (off_t)fetch->written);
            if (wrote <= 0) return fail_io(fetch, "write");
            if (EVP_DigestUpdate(fetch->digest, bytes, (size_t)wrote) != 1) return STATUS_NO_MEMORY;
            piece->written += (size_t)wrote;
            fetch->written += (uint64_t)wrote;
        }
        if (piece->written < piece->length || piece->asking) return STATUS_OK;
        fetch->head = (fetch->head + 1) % CONNECTIONS;
        fetch->count--;
    }
    return STATUS_OK;
}

static enum status run(struct fetch *fetch) {
    const struct hub_download *download = fetch->download;
    TRY(begin_digest(fetch));
    TRY(read_beginning(fetch));
    while (fetch->written < file_of(fetch)->bytes || fetch->count > 0) {
        add_pieces(fetch);
        TRY(ask_pieces(fetch));
        const enum status status = hear_pieces(fetch);
        TRY(write_pieces(fetch)); // also before it gives up
        TRY(status);
        if (!download->progress(download->user, fetch->written)) return STATUS_CANCELLED;
        if (fetch->count > 0) curl_multi_poll(fetch->multi, NULL, 0, POLL_MS, NULL);
    }
    TRY(check_digest(fetch));
    return fsync(fetch->fd) == 0 ? STATUS_OK : fail_io(fetch, "write");
}

// "/ORG/REPO/resolve/COMMIT/PATH", with what an URL does not have as %20.
static enum status write_path(struct fetch *fetch) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-._~/";
    const struct hub_download *download = fetch->download;
    TRY(text_format(&fetch->path, "/%s/resolve/%s/", download->repo, download->commit));
    for (const char *at = file_of(fetch)->path; *at; at++)
        TRY(strchr(plain, *at) ? text_append(&fetch->path, at, 1)
                               : text_format(&fetch->path, "%%%02X", (unsigned char)*at));
    return STATUS_OK;
}

// A link in the cache, of either kind, would have the bytes written somewhere else.
static enum status open_file(struct fetch *fetch) {
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    const char *path = fetch->download->path;
    struct stat info;
    fetch->fd = open(path, flags, 0666);
    if (fetch->fd < 0 && errno != ELOOP) return fail_io(fetch, "create");
    if (fetch->fd >= 0 && fstat(fetch->fd, &info) != 0) return fail_io(fetch, "read");
    if (fetch->fd >= 0 && S_ISREG(info.st_mode) && info.st_nlink == 1) return STATUS_OK;
    return error_set(fetch->err, STATUS_IO,
                     "%.300s is a link or a device, not a cached file; remove it", path);
}

enum status hub_download(const struct hub *hub, const struct hub_download *download,
                         struct error *err) {
    struct fetch fetch = {.hub = hub, .download = download, .err = err, .fd = -1};
    enum status status = write_path(&fetch);
    if (status == STATUS_OK && !(fetch.multi = curl_multi_init())) status = STATUS_NO_MEMORY;
    if (status == STATUS_OK) status = open_file(&fetch);
    if (status == STATUS_OK) status = run(&fetch);
    for (int i = 0; i < CONNECTIONS; i++) {
        leave(&fetch.pieces[i]);
        text_deinit(&fetch.pieces[i].refusal);
        free(fetch.pieces[i].bytes);
    }
    curl_multi_cleanup(fetch.multi);
    EVP_MD_CTX_free(fetch.digest);
    if (fetch.fd >= 0) close(fetch.fd);
    endpoint_deinit(&fetch.store);
    text_deinit(&fetch.path);
    return status;
}
