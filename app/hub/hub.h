// app/hub/hub.h — a hub of models, spoken to over HTTP: what a repository has, and a file of it.
//
// A file comes in pieces, several at once, and is written in order: what is on the disk is always
// its beginning, so that this program, killed at any moment, or another one can go on with it. A
// piece whose connection breaks is asked for again from where it broke. The bytes are hashed as
// they are written, and a file is only kept if its digest is the hub's.
//
// The token goes to the hub, and not along with a redirect to where its files lie.
//
// Memory: a few pieces of 8 MiB during a download. Threads: one at a time.
#ifndef APP_HUB_HUB_H
#define APP_HUB_HUB_H

#include "app/hub/hub_listing.h"

struct hub;

struct hub_options {          // borrowed for the call
    const char *url;          // "https://huggingface.co"
    const char *token;        // NULL: none
    const char *certificates; // a file of the trusted ones; NULL: the system's
};

// UNSUPPORTED: quire was built without libcurl.
MUST_CHECK enum status hub_open(const struct hub_options *options, struct hub **hub,
                                struct error *err);
void hub_close(struct hub *hub); // NULL is fine

// The files of the repository's main revision. NOT_FOUND: there is no such repository, or it is
// hidden; UNSUPPORTED: it wants an agreement first; IO: the hub does not answer.
MUST_CHECK enum status hub_list(const struct hub *hub, const char *repo,
                                struct hub_listing *listing, struct error *err);

struct hub_download {
    const char *repo, *commit;
    const struct hub_file *file;
    const char *path; // where it goes; what is there already is its beginning
    bool (*progress)(void *user, uint64_t done_bytes); // false: stop
    void *user;
};

// CANCELLED: the caller stopped it; FULL: the disk is full; IO: the connection is of no use. What
// came is kept. BAD_FILE: the bytes are not those that the hub states, and are removed.
MUST_CHECK enum status hub_download(const struct hub *hub, const struct hub_download *download,
                                    struct error *err);

#endif
