// app/hub/hub_cache.h — Hugging Face's local cache, in the layout of its own client.
//
//   CACHE/models--ORG--REPO/refs/main              the commit
//                          /snapshots/COMMIT/PATH  a link: ../../blobs/DIGEST
//                          /blobs/DIGEST           a file's bytes
//                          /blobs/DIGEST.incomplete   its first bytes
//   CACHE/.locks/models--ORG--REPO/DIGEST.lock     held by flock() while the blob is written
//
// CACHE is $HF_HUB_CACHE, else $HUGGINGFACE_HUB_CACHE, else $HF_HOME/hub, else huggingface/hub in
// $XDG_CACHE_HOME or ~/.cache.
// A snapshot's links are created after all blobs of a model, and the reference after the links, so
// that whatever is found there is complete.
//
// Source: huggingface_hub's documentation of its cache, and folders that it wrote.
#ifndef APP_HUB_CACHE_H
#define APP_HUB_CACHE_H

#include "app/hub/hub_listing.h"

// IO: none of these variables is set, nor HOME.
MUST_CHECK enum status hub_cache_folder(struct text *folder, struct error *err);

// Appends the path of the repository's folder; `below` is a path in it; "": the folder itself.
MUST_CHECK enum status hub_cache_path(const char *repo, const char *below, struct text *path,
                                      struct error *err);

// Lists the snapshot of refs/main. NOT_FOUND: no such snapshot.
MUST_CHECK enum status hub_cache_list(const char *repo, struct hub_listing *listing,
                                      struct error *err);

// The path of a model in the listing's snapshot: its first file, or the folder.
MUST_CHECK enum status hub_cache_model(const char *repo, const struct hub_listing *listing,
                                       const struct hub_model *model, struct text *path,
                                       struct error *err);

// Does the cache have the file's complete blob? And how many bytes of it, complete or not?
bool hub_cache_is_whole(const char *repo, const struct hub_file *file);
uint64_t hub_cache_bytes(const char *repo, const struct hub_file *file);

// Creates the parent folders of `path`.
MUST_CHECK enum status hub_cache_make_folders(const char *path, struct error *err);

// Waits until no other program is writing the blob, and locks it until close(*fd). While waiting,
// calls waiting(user) from time to time; CANCELLED when that returns false.
MUST_CHECK enum status hub_cache_lock(const char *repo, const char *digest,
                                      bool (*waiting)(void *user), void *user, int *fd,
                                      struct error *err);

// Links the model's files in the snapshot, and sets refs/main.
MUST_CHECK enum status hub_cache_publish(const char *repo, const struct hub_listing *listing,
                                         const struct hub_model *model, struct error *err);

// Appends `path` with its links resolved: the folder of a repository in the cache, or something in
// a snapshot below that; *repo_bytes is the length of the folder's path. UNSUPPORTED: neither.
MUST_CHECK enum status hub_cache_find(const char *path, struct text *real, size_t *repo_bytes,
                                      struct error *err);

// Removes the files at `path`, which is from hub_cache_find(), and their blobs unless another link
// needs them. Removes the whole repository if no link is left or `path` is its folder.
MUST_CHECK enum status hub_cache_remove(const char *path, uint64_t *freed_bytes, struct error *err);

#endif
