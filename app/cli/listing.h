// app/cli/listing.h — `quire list`, `show`, `export`, `import` and `rm`: conversations without a
// model.
//
// Each prints to stdout and returns the exit code.
#ifndef APP_LISTING_H
#define APP_LISTING_H

#include "app/cli/args.h"
#include "store/db.h"

int listing_list(struct db *db, const struct args *args);
int listing_show(struct db *db, const struct args *args);   // as people read it
int listing_export(struct db *db, const struct args *args); // Markdown, or a line of JSON each
int listing_import(struct db *db, const struct args *args); // such lines; prints the new id

// Where else its words are: in the disk cache and in the history of what was typed.
struct removal_paths {
    const char *kv_folder, *history;
};

// Deletes one, or with --family all that share text with it, and says what is kept. Only a person
// at a terminal is asked; a script gets 0 when it is deleted, be there forks or not.
int listing_remove(struct db *db, const struct args *args, const struct removal_paths *paths);

#endif
