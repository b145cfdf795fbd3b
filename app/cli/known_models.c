// app/cli/known_models.c — one list from four places, without the same model twice.
//
// The places are ordered by how likely the user means them: used before, in the config file, found
// in a folder, the demo model. Listing a model records everything by which it could turn up again
// (identity, name, path), and later models with one of these are skipped. So a model that was used
// from a folder is listed once, as used, and no file is opened or hashed to find that out.
#include "app/cli/known_models.h"

#include <stdlib.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/base/printable.h"
#include "app/cli/finder.h"
#include "app/cli/held_model.h"
#include "app/cli/launch.h"
#include "app/cli/remote_model.h"
#include "kernels/base/array.h"
#include "kernels/base/hash.h"

enum { RECENT_MOST = 200, NAME_COLUMNS = 30 };

struct listing {
    struct model_choices *choices;
    size_t capacity;
    struct text seen; // paths and names, each between two NULs
};

static enum status note(struct listing *listing, const char *name) {
    if (listing->seen.length == 0) TRY(text_append(&listing->seen, "", 1));
    return text_append(&listing->seen, name, strlen(name) + 1);
}

static bool is_seen(const struct listing *listing, const char *name) {
    const size_t length = strlen(name);
    const char *bytes = listing->seen.bytes;
    for (size_t at = 1; at < listing->seen.length; at += strlen(bytes + at) + 1)
        if (strlen(bytes + at) == length && memcmp(bytes + at, name, length) == 0) return true;
    return false;
}

// "qwen3-8b                        /models/qwen3-8b.gguf"
static enum status make_line(const char *shown, const char *place, char **line) {
    struct text text = {0}, harmless = {0};
    enum status status = printable_text(shown, strlen(shown), &harmless);
    if (status == STATUS_OK) status = text_fit(&text, text_string(&harmless), NAME_COLUMNS, true);
    text_clear(&harmless);
    if (status == STATUS_OK) status = printable_text(place, strlen(place), &harmless);
    if (status == STATUS_OK) status = text_format(&text, "  %s", text_string(&harmless));
    text_deinit(&harmless);
    if (status == STATUS_OK)
        *line = text.bytes;
    else
        text_deinit(&text);
    return status;
}

static enum status add(struct listing *listing, const char *shown, const char *place,
                       int64_t source) {
    struct model_choices *choices = listing->choices;
    struct model_choice choice = {.source = source};
    if (!array_reserve(&choices->items, choices->count, &listing->capacity,
                       sizeof choices->items[0]))
        return STATUS_NO_MEMORY;
    TRY(make_line(shown, place, &choice.line));
    choice.name = strdup(place);
    if (!choice.name) {
        free(choice.line);
        return STATUS_NO_MEMORY;
    }
    choices->items[choices->count++] = choice;
    return STATUS_OK;
}

// Two sources with the same identity are one model.
static enum status add_source(struct listing *listing, const struct model_source *source) {
    const struct model_part *weights = model_source_part(source, PART_WEIGHTS);
    char identity[HASH_HEX_BYTES];
    hash_hex(source->identity, identity);
    const bool again = is_seen(listing, identity);
    TRY(note(listing, identity));
    TRY(note(listing, text_string(&source->name)));
    if (weights) TRY(note(listing, text_string(&weights->path)));
    return again ? STATUS_OK
                 : add(listing, source->model_name, text_string(&source->name), source->id);
}

static enum status add_recent(struct listing *listing, struct db *db, struct error *err) {
    int64_t *ids = NULL;
    size_t count = 0;
    TRY(model_source_recent(db, RECENT_MOST, &ids, &count, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct model_source source = {0};
        status = model_source_get(db, ids[i], &source, err);
        if (status == STATUS_OK) status = add_source(listing, &source);
        model_source_deinit(&source);
    }
    free(ids);
    return status;
}

static enum status add_sections(struct listing *listing, const struct args *args) {
    static const char SECTION[] = "remote.";
    for (size_t i = 0; i < args->section_count; i++) {
        const char *name = args->sections[i].section + sizeof SECTION - 1;
        if (is_seen(listing, name)) continue;
        TRY(note(listing, name));
        TRY(add(listing, name, name, 0));
    }
    return STATUS_OK;
}

static enum status add_found(struct listing *listing) {
    struct found_models models = {0};
    enum status status = finder_list(&models);
    for (size_t i = 0; i < models.count && status == STATUS_OK; i++) {
        const struct found_model *model = &models.items[i];
        const char *place =
            model->adapter ? model->name : model->path; // opening by name explains it
        if (!is_seen(listing, place)) status = add(listing, model->name, place, 0);
    }
    found_models_deinit(&models);
    return status;
}

static enum status add_demo(struct listing *listing) {
    struct text path = {0};
    struct error ignored;
    enum status status = finder_find_demo(&path, &ignored);
    const bool adds =
        status == STATUS_OK && !is_seen(listing, "demo") && !is_seen(listing, text_string(&path));
    text_deinit(&path);
    return adds ? add(listing, "quire-demo-30m", "demo", 0) : STATUS_OK;
}

enum status known_models_list(const void *args, struct db *db, struct model_choices *choices,
                              struct error *err) {
    struct listing listing = {.choices = choices};
    enum status status = add_recent(&listing, db, err);
    if (status == STATUS_OK) status = add_sections(&listing, args);
    if (status == STATUS_OK) status = add_found(&listing);
    if (status == STATUS_OK) status = add_demo(&listing);
    text_deinit(&listing.seen);
    return status;
}

// Its files must exist, because the open model will be left for it.
static enum status want(const struct args *args, struct db *db, const struct model_source *source,
                        struct wanted_model *wanted, struct error *err) {
    struct held_files files = {0};
    struct error why = {0};
    const struct model_part *weights = model_source_part(source, PART_WEIGHTS);
    enum status status = held_find(db, args, source, &files, &why);
    wanted->source = source->id;
    wanted->elsewhere = !weights;
    if (status == STATUS_OK && weights)
        status =
            text_append_string(&wanted->model, text_string(&files.paths[weights - source->parts]));
    held_files_deinit(&files);
    if (status == STATUS_OK) return status;
    return error_set(err, status, "cannot open %s: %.300s", source->model_name,
                     why.text[0] ? why.text : status_text(status));
}

enum status known_models_open(const void *args, struct db *db, int64_t id,
                              struct wanted_model *wanted, struct error *err) {
    struct model_source source = {0};
    TRY(model_source_get(db, id, &source, err));
    const enum status status = want(args, db, &source, wanted, err);
    model_source_deinit(&source);
    return status;
}

enum status known_models_find(const void *args, struct db *db, const char *name,
                              struct wanted_model *wanted, struct error *err) {
    struct model_source source = {0};
    TRY(launch_find_named(db, args, name, &source, &wanted->model, &wanted->elsewhere, err));
    if (source.kind == MODEL_NONE) return STATUS_OK;
    const enum status status = want(args, db, &source, wanted, err);
    model_source_deinit(&source);
    return status;
}
