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

#endif
