// app/cli/kv_disk.h — where the cache keeps blocks on the disk, and how much of it may be used.
#ifndef APP_KV_DISK_H
#define APP_KV_DISK_H

#include "app/cli/args.h"
#include "app/cli/config.h"

// --kv-dir, else kv in the folder for caches. Appends.
MUST_CHECK enum status kv_disk_folder(const struct args *args, const struct config *config,
                                      struct text *folder);

// --kv-disk, else the smaller of 32 GiB and a quarter of the free space there, counting what the
// cache already occupies as free. 0: nothing is cached on the disk.
uint64_t kv_disk_limit(const struct args *args, const char *folder);

// A number for the database of this configuration, by which its references are known among those of
// others that share the folder. 0: there is no database.
uint64_t kv_disk_home(const struct config *config);

// Forgets what the folder has of conversations of this database that are gone, for `quire rm` may
// not have known of the folder. Those of other databases stay. Returns how many; 0, too, where the
// database or the folder cannot be read.
size_t kv_disk_forget_gone(const struct config *config, const char *folder);

#endif
