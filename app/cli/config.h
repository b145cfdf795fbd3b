// app/cli/config.h — where quire keeps its files, and the user's config file.
//
//   config    $XDG_CONFIG_HOME/quire/config          (~/.config)
//   database  $XDG_DATA_HOME/quire/quire.db          (~/.local/share)
//   cache     $XDG_CACHE_HOME/quire                  (~/.cache)
//   history   $XDG_STATE_HOME/quire/history          (~/.local/state)
//
// QUIRE_HOME=DIR moves all four into DIR. Folders are created with mode 0700 when something is
// first written to them. The config file has `key = value` lines with the options' long names; `#`
// begins a comment line, and "~/" a path in the home folder. Lines under [remote.NAME] apply to the
// model of that name (remote_model.h).
//
// Memory: owned by the struct.
#ifndef APP_CONFIG_H
#define APP_CONFIG_H

#include "app/cli/args.h"

struct config {
    struct text config_path, db_path, cache_path, history_path;
    struct text rates_path; // in the cache folder: engine/rates.h
};

// IO: no QUIRE_HOME, and no HOME to derive a folder from.
MUST_CHECK enum status config_open(struct config *config, struct error *err);
void config_close(struct config *config); // {0} is fine

// Creates the parent folders of `path`. IO names the folder that cannot be created.
MUST_CHECK enum status config_make_folder(const char *path, struct error *err);

// Sets options from the config file; no file is fine. BAD_INPUT names file and line.
MUST_CHECK enum status config_read(const struct config *config, struct args *args,
                                   struct error *err);

#endif
