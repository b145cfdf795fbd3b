// app/cli/listing.h — `quire list`, `show`, `export`, `import` and `rm`: what to do with
// conversations without a model.
//
// Each prints to stdout and returns the exit code.
#ifndef APP_LISTING_H
#define APP_LISTING_H

#include "app/cli/args.h"
#include "store/db.h"

int listing_list(struct db *db, const struct args *args);
int listing_show(struct db *db, const struct args *args);   // for people
int listing_export(struct db *db, const struct args *args); // Markdown, HTML or JSONL
int listing_import(struct db *db, const struct args *args); // reads JSONL; prints the new id

// Where else its words are: the disk cache and the history of typed lines.
struct removal_paths {
    const char *kv_folder, *history;
};

// Deletes one conversation, or with --family all that share text with it, and prints what is kept.
// Asks only at a terminal; a script gets 0 once it is deleted, whether there are forks or not.
int listing_remove(struct db *db, const struct args *args, const struct removal_paths *paths);

#endif
