// app/cli/kv_disk.h — where does the KV cache keep blocks on disk, and how much space may it use?
#ifndef APP_KV_DISK_H
#define APP_KV_DISK_H

#include "app/cli/args.h"
#include "app/cli/config.h"

// Appends --kv-dir, else kv in the cache folder.
MUST_CHECK enum status kv_disk_folder(const struct args *args, const struct config *config,
                                      struct text *folder);

// --kv-disk, else the smaller of 32 GiB and a quarter of the free space there, counting the cache's
// own files as free. 0: caches nothing on disk.
uint64_t kv_disk_limit(const struct args *args, const char *folder);

// A number that identifies this configuration's database, so that databases sharing a cache folder
// can tell their references apart. 0: no database.
uint64_t kv_disk_home(const struct config *config);

// Forgets the cached blocks of conversations that no longer exist in this database, since `quire
// rm` may not have known of this folder. Conversations of other databases stay. Returns how many
// were forgotten; 0 also if the database or the folder cannot be read.
size_t kv_disk_forget_gone(const struct config *config, const char *folder);

#endif
