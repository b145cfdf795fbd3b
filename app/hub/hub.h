// app/hub/hub.h — talks to a model hub over HTTP: lists a repository and downloads its files.
//
// A file is downloaded in pieces, several at a time, and written in order. The file on disk is
// therefore always a prefix, so that even after a kill this or another program can continue it. If
// a connection breaks, the piece continues from where it broke. The bytes are hashed as they are
// written, and the file is kept only if the digest matches the hub's.
//
// The token is sent only to the hub, not along a redirect to its file servers.
//
// Memory: a few pieces of 8 MiB during a download. Threads: one at a time.
#ifndef APP_HUB_HUB_H
#define APP_HUB_HUB_H

#include "app/hub/hub_listing.h"

struct hub;

struct hub_options {          // borrowed for the call
    const char *url;          // "https://huggingface.co"
    const char *token;        // NULL: none
    const char *certificates; // file of trusted certificates; NULL: the system's
};

// UNSUPPORTED: quire was built without libcurl.
MUST_CHECK enum status hub_open(const struct hub_options *options, struct hub **hub,
                                struct error *err);
void hub_close(struct hub *hub); // NULL is fine

// The files of the repository's main revision. NOT_FOUND: no such repository, or it is private;
// UNSUPPORTED: you must accept its licence first; IO: the hub does not answer.
MUST_CHECK enum status hub_list(const struct hub *hub, const char *repo,
                                struct hub_listing *listing, struct error *err);

struct hub_download {
    const char *repo, *commit;
    const struct hub_file *file;
    const char *path; // destination; an existing file is a prefix of it
    bool (*progress)(void *user, uint64_t done_bytes); // false: stop
    void *user;
};

// CANCELLED: the caller stopped it; FULL: the disk is full; IO: the connection failed. What arrived
// is kept. BAD_FILE: the digest is not the hub's, and the file is removed.
MUST_CHECK enum status hub_download(const struct hub *hub, const struct hub_download *download,
                                    struct error *err);

#endif
