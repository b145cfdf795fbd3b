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

// Also drops its cached KV, except for what other conversations need.
int listing_remove(struct db *db, const struct args *args, const char *kv_folder);

#endif
