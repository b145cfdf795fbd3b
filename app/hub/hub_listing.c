#include "app/hub/hub_listing.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/base/model_name.h"
#include "app/base/path.h"
#include "app/base/printable.h"
#include "kernels/base/array.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"

enum { LISTED = 6 };

// As the files' names have them, about largest first; UD- is another way to make the same type. A
// card reads Q8_0 fast enough; on a processor, where the time of a token is the time to read its
// weights, Q4_K_M is what most people use.
#define TYPE(name) \
    { name, "UD-" name }
static const char *const TYPES[][2] = {
    TYPE("F32"),     TYPE("BF16"),      TYPE("F16"),     TYPE("FP16"),    TYPE("Q8_0"),
    TYPE("Q8_K_XL"), TYPE("Q6_K"),      TYPE("Q6_K_XL"), TYPE("Q6_K_L"),  TYPE("Q5_K_M"),
    TYPE("Q5_K_XL"), TYPE("Q5_K_L"),    TYPE("Q5_K"),    TYPE("Q5_K_S"),  TYPE("Q5_1"),
    TYPE("Q5_0"),    TYPE("Q4_K_M"),    TYPE("Q4_K_XL"), TYPE("Q4_K_L"),  TYPE("Q4_K"),
    TYPE("MXFP4"),   TYPE("MXFP4_MOE"), TYPE("NVFP4"),   TYPE("Q4_K_S"),  TYPE("IQ4_NL"),
    TYPE("IQ4_XS"),  TYPE("Q4_1"),      TYPE("Q4_0"),    TYPE("Q3_K_L"),  TYPE("Q3_K_XL"),
    TYPE("Q3_K_M"),  TYPE("Q3_K"),      TYPE("IQ3_M"),   TYPE("IQ3_S"),   TYPE("Q3_K_S"),
    TYPE("IQ3_XS"),  TYPE("IQ3_XXS"),   TYPE("Q2_K"),    TYPE("Q2_K_XL"), TYPE("Q2_K_L"),
    TYPE("Q2_K_S"),  TYPE("IQ2_M"),     TYPE("IQ2_S"),   TYPE("TQ2_0"),   TYPE("IQ2_XS"),
    TYPE("IQ2_XXS"), TYPE("TQ1_0"),     TYPE("IQ1_M"),   TYPE("IQ1_S")};
enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };
static const char BEST_ON_CARD[] = "Q8_0", BEST_ON_PROCESSOR[] = "Q4_K_M";

// ---- names

bool hub_name_is(const char *name) { return strncmp(name, "hf:", 3) == 0; }

static bool is_repo_part(const char *part, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)part[i]) && !strchr("-_.", part[i])) return false;
    return length > 0 && length <= 96 && part[0] != '.' && part[0] != '-' &&
           !memmem(part, length, "..", 2) && !memmem(part, length, "--", 2);
}

enum status hub_name_parse(const char *name, struct hub_name *parsed, struct error *err) {
    const char *repo = hub_name_is(name) ? name + 3 : name;
    const size_t length = strcspn(repo, ":"), owner = strcspn(repo, "/:");
    const char *which = repo[length] ? repo + length + 1 : "";
    const bool whole = owner < length && is_repo_part(repo, owner) &&
                       is_repo_part(repo + owner + 1, length - owner - 1) &&
                       strlen(which) < HUB_WHICH_BYTES && length < HUB_REPO_BYTES;
    if (!hub_name_is(name) || !whole || (repo[length] && !*which) ||
        utf8_has_control(which, strlen(which)))
        return error_set(err, STATUS_BAD_INPUT,
                         "expected hf:ORG/REPO, or hf:ORG/REPO:FILE or :Q4_K_M, found \"%.100s\"",
                         name);
    snprintf(parsed->repo, sizeof parsed->repo, "%.*s", (int)length, repo);
    snprintf(parsed->which, sizeof parsed->which, "%s", which);
    return STATUS_OK;
}

// A GGUF file, or the first part of one.
static bool begins_file(const char *path) {
    return path_ends_with(path, ".gguf") && path_part(basename(path)).part == 1;
}

static bool stays_below(const char *path) {
    const size_t bytes = strlen(path);
    if (bytes > 1024 || strchr(path, '\\') || !utf8_valid(path, bytes, NULL)) return false;
    for (size_t at = 0, used; at < bytes; at += used)
        if (printable_is_hidden(utf8_decode(path + at, bytes - at, &used))) return false;
    for (const char *at = path;; at++) {
        const size_t length = strcspn(at, "/");
        if (length == 0 || length > 255 || (at[0] == '.' && length == 1) ||
            (at[0] == '.' && at[1] == '.' && length == 2))
            return false;
        at += length;
        if (!*at) return true;
    }
}

static bool is_digest(const char *digest) {
    const size_t length = strlen(digest);
    return length == 0 || ((length == HUB_SHA1_DIGITS || length == HUB_SHA256_DIGITS) &&
                           strspn(digest, "0123456789abcdef") == length);
}

enum status hub_listing_add(struct hub_listing *listing, const char *path, uint64_t bytes,
                            const char *digest, struct error *err) {
    if (!stays_below(path) || !is_digest(digest))
        return error_set(err, STATUS_BAD_FILE,
                         "the repository has a file with an unsafe name: \"%.100s\"", path);
    if (listing->count == HUB_MAX_FILES)
        return error_set(err, STATUS_UNSUPPORTED, "too many files in the repository (at most %d)",
                         HUB_MAX_FILES);
    if (!array_reserve(&listing->files, listing->count, &listing->capacity,
                       sizeof listing->files[0]))
        return STATUS_NO_MEMORY;
    struct hub_file file = {.path = strdup(path), .bytes = bytes};
    if (!file.path) return STATUS_NO_MEMORY;
    memcpy(file.digest, digest, strlen(digest) + 1);
    listing->files[listing->count++] = file;
    if (begins_file(path) && !model_name_role(path) && bytes > listing->largest)
        listing->largest = bytes;
    return STATUS_OK;
}

static const char *string_of(const cJSON *object, const char *name) {
    const cJSON *string = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(string) ? string->valuestring : "";
}

static enum status read_file(const cJSON *item, struct hub_listing *listing, struct error *err) {
    const cJSON *lfs = cJSON_GetObjectItemCaseSensitive(item, "lfs");
    const cJSON *size = cJSON_GetObjectItemCaseSensitive(item, "size");
    const char *sha256 = string_of(lfs, "sha256"), *path = string_of(item, "rfilename");
    const char *digest = sha256[0] ? sha256 : string_of(item, "blobId");
    if (!digest[0] || !cJSON_IsNumber(size) || size->valuedouble < 0 || size->valuedouble > 0x1p60)
        return error_set(err, STATUS_BAD_FILE, "the hub gives no size or digest for %.100s", path);
    return hub_listing_add(listing, path, (uint64_t)size->valuedouble, digest, err);
}

// gpt-oss's MXFP4 is read as it is.
static void note_quantizer(struct hub_listing *listing, const char *method) {
    if (strcasecmp(method, "mxfp4") != 0 && !utf8_has_control(method, strlen(method)))
        snprintf(listing->quantizer, sizeof listing->quantizer, "%s", method);
}

enum status hub_listing_read(const char *json, size_t length, struct hub_listing *listing,
                             struct error *err) {
    cJSON *object = cJSON_ParseWithLength(json, length);
    const cJSON *item, *siblings = cJSON_GetObjectItemCaseSensitive(object, "siblings");
    const char *commit = string_of(object, "sha");
    enum status status = STATUS_OK;
    if (!cJSON_IsArray(siblings) || strlen(commit) != HUB_COMMIT_DIGITS || !is_digest(commit))
        status = error_set(err, STATUS_BAD_FILE, "the hub's answer is not a list of files");
    else
        memcpy(listing->commit, commit, sizeof listing->commit);
    cJSON_ArrayForEach(item, siblings)
        if (status == STATUS_OK) status = read_file(item, listing, err);
    const cJSON *config = cJSON_GetObjectItemCaseSensitive(object, "config");
    note_quantizer(
        listing,
        string_of(cJSON_GetObjectItemCaseSensitive(config, "quantization_config"), "quant_method"));
    cJSON_Delete(object);
    return status;
}

void hub_listing_deinit(struct hub_listing *listing) {
    for (size_t i = 0; i < listing->count; i++)
        free(listing->files[i].path);
    free(listing->files);
    *listing = (struct hub_listing){0};
}

// ---- models

// In the file's name, or else in its folder's.
static int rank_in(const char *text) {
    for (int i = 0; i < TYPE_COUNT; i++)
        if (model_name_has(text, TYPES[i][0])) return i;
    return TYPE_COUNT;
}

static int rank_of(const char *path) {
    const int rank = rank_in(basename(path));
    return rank < TYPE_COUNT ? rank : rank_in(path);
}

static size_t find_file(const struct hub_listing *listing, const char *path) {
    size_t i = 0;
    while (i < listing->count && strcmp(listing->files[i].path, path) != 0)
        i++;
    return i;
}

// It begins a GGUF model, and goes with none.
static bool begins_model(const struct hub_listing *listing, const struct hub_file *file) {
    enum { TIMES = 4 };
    if (!begins_file(file->path) || model_name_role(file->path)) return false;
    return !model_name_may_draft(file->path) || path_part(file->path).parts > 1 ||
           listing->largest / TIMES < file->bytes;
}

// A repository may also have weights that quire does not read: consolidated.safetensors.
static bool is_weights(const char *path) {
    return !strchr(path, '/') && strncmp(path, "model", 5) == 0 &&
           path_ends_with(path, ".safetensors");
}

static bool is_of_folder(const char *path) {
    static const char *const ends[] = {".json", ".jinja", ".txt", ".model"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (!strchr(path, '/') && path_ends_with(path, ends[i])) return true;
    return is_weights(path);
}

bool hub_model_has(const struct hub_listing *listing, const struct hub_model *model, size_t file) {
    const char *path = listing->files[file].path, *first = listing->files[model->first].path;
    if (model->parts == 0) return is_of_folder(path);
    if (model->parts == 1) return file == model->first;
    const struct path_part part = path_part(path);
    return part.parts == model->parts && part.stem == path_part(first).stem &&
           strncmp(path, first, part.stem) == 0;
}

static struct hub_model model_at(const struct hub_listing *listing, size_t first, int32_t parts) {
    const char *path = listing->files[first].path;
    struct hub_model model = {.first = first, .parts = parts, .rank = TYPE_COUNT};
    if (parts) model.rank = rank_of(path);
    if (model.rank < TYPE_COUNT)
        model.type = TYPES[model.rank][model_name_has(path, TYPES[model.rank][1])];
    for (size_t i = 0; i < listing->count; i++)
        if (hub_model_has(listing, &model, i)) model.bytes += listing->files[i].bytes;
    return model;
}

bool hub_listing_model(const struct hub_listing *listing, size_t nth, struct hub_model *model) {
    size_t found = 0;
    for (size_t i = 0; i < listing->count; i++) {
        const char *path = listing->files[i].path;
        if (!begins_model(listing, &listing->files[i]) || found++ < nth) continue;
        *model = model_at(listing, i, path_part(path).parts);
        return true;
    }
    const size_t config = find_file(listing, "config.json");
    if (found || nth || config == listing->count) return false;
    for (size_t i = 0; i < listing->count; i++) {
        if (!is_weights(listing->files[i].path)) continue;
        *model = model_at(listing, config, 0);
        return true;
    }
    return false;
}

const char *hub_model_path(const struct hub_listing *listing, const struct hub_model *model) {
    ASSERT(model->first < listing->count);
    return listing->files[model->first].path;
}

// Leaves memory for keys, values and activations too, whose size no file name tells.
static uint64_t memory_of(const struct hub_model *model) {
    return model->bytes + model->bytes / 8 + (256u << 20);
}

bool hub_model_fits(const struct hub_model *model, const struct hub_machine *machine) {
    return memory_of(model) <= machine->memory_free;
}

// ---- which one

// What a name can be, the surest first.
enum match { MATCH_NAME, MATCH_TYPE, MATCH_PART, MATCH_COUNT };

static bool matches(const struct hub_listing *listing, const struct hub_model *model,
                    const char *which, enum match match) {
    const char *path = hub_model_path(listing, model);
    if (match == MATCH_TYPE) return model->type && strcasecmp(model->type, which) == 0;
    return match == MATCH_PART ? model_name_has(path, which) : strcmp(basename(path), which) == 0;
}

static size_t find_matches(const struct hub_listing *listing, const char *which, enum match match,
                           struct hub_model *chosen, char several[300]) {
    struct hub_model model;
    size_t count = 0;
    several[0] = '\0';
    for (size_t i = 0; hub_listing_model(listing, i, &model); i++) {
        const size_t used = strlen(several);
        if (!matches(listing, &model, which, match)) continue;
        if (count++ < LISTED)
            snprintf(several + used, 300 - used, "%s%.60s", used ? ", " : "",
                     hub_model_path(listing, &model));
        *chosen = model;
    }
    return count;
}

// A file of exactly that name, even if it is not a model: the user asked for it.
static bool find_path(const struct hub_listing *listing, const char *which,
                      struct hub_model *chosen) {
    const size_t file = find_file(listing, which);
    if (file == listing->count || !begins_file(which)) return false;
    *chosen = model_at(listing, file, path_part(which).parts);
    return true;
}

static enum status choose_named(const struct hub_listing *listing, const struct hub_name *name,
                                struct hub_model *chosen, struct error *err) {
    size_t count = 0;
    char several[300];
    if (find_path(listing, name->which, chosen)) return STATUS_OK;
    for (int match = 0; match < MATCH_COUNT && count == 0; match++)
        count = find_matches(listing, name->which, (enum match)match, chosen, several);
    if (count == 1) return STATUS_OK;
    if (count)
        return error_set(err, STATUS_BAD_INPUT, "\"%.100s\" matches %zu files of %s: %s%s",
                         name->which, count, name->repo, several, count > LISTED ? ", …" : "");
    return error_set(err, STATUS_NOT_FOUND, "%s has no model \"%.100s\"", name->repo, name->which);
}

// Types from `best` down come first, then those above it, the smallest of them first.
static int preference(const struct hub_model *model, int best) {
    const int rank = model->rank;
    const bool plain = !model->type || model->type == TYPES[rank][0];
    return 2 * (rank >= best ? rank - best : TYPE_COUNT + best - rank) + !plain;
}

// *several: another one that fits is as good.
static bool choose_fitting(const struct hub_listing *listing, const struct hub_machine *machine,
                           int best, struct hub_model *chosen, bool *several) {
    struct hub_model model;
    bool found = false;
    *several = false;
    for (size_t i = 0; hub_listing_model(listing, i, &model); i++) {
        const int better = found ? preference(chosen, best) - preference(&model, best) : 1;
        if (!hub_model_fits(&model, machine) || better < 0) continue;
        *several = better == 0;
        if (better) *chosen = model;
        found = true;
    }
    return found;
}

// The repository has no model for any machine.
static enum status refuse_empty(const struct hub_listing *listing, const struct hub_name *name,
                                struct error *err) {
    for (size_t i = 0; i < listing->count; i++) {
        const char *path = listing->files[i].path;
        if (!begins_file(path)) continue;
        const char *role = model_name_role(path);
        return error_set(err, STATUS_NOT_FOUND,
                         "%s has no model: %.100s is %s; to download it anyway: hf:%s:%.100s",
                         name->repo, path, role ? role : "a drafter", name->repo, path);
    }
    return error_set(
        err, STATUS_NOT_FOUND,
        "%s has no supported model: no GGUF file, and no config.json with model*.safetensors",
        name->repo);
}

static enum status refuse_all(const struct hub_listing *listing, const struct hub_name *name,
                              const struct hub_machine *machine, struct error *err) {
    struct hub_model model, smallest = {0};
    char needed[SIZE_TEXT_BYTES], memory[SIZE_TEXT_BYTES];
    size_t count = 0;
    for (; hub_listing_model(listing, count, &model); count++)
        if (count == 0 || model.bytes < smallest.bytes) smallest = model;
    if (count == 0) return refuse_empty(listing, name, err);
    const char *path = hub_model_path(listing, &smallest);
    return error_set(err, STATUS_FULL,
                     "nothing in %s fits this machine: the smallest needs %s of memory, but only "
                     "%s is free; to download it anyway: hf:%s:%s",
                     name->repo, size_format(memory_of(&smallest), needed),
                     size_format(machine->memory_free, memory), name->repo,
                     smallest.type ? smallest.type : path);
}

static enum status explain(const struct hub_model *model, const struct hub_machine *machine,
                           int best, struct text *why) {
    char memory[SIZE_TEXT_BYTES];
    size_format(machine->memory_free, memory);
    if (!hub_model_fits(model, machine))
        return text_format(why, "too large for this machine (%s of memory free)", memory);
    if (model->parts == 0 || !model->type)
        return text_format(why, "it fits (%s of memory free)", memory);
    if (model->rank < best)
        return text_format(why, "the smallest type, which fits (%s of memory free)", memory);
    return text_format(why, "the %s type for a %s that fits (%s of memory free)",
                       model->rank == best ? "usual" : "best", machine->card ? "GPU" : "CPU",
                       memory);
}

// Said before gigabytes are downloaded, not when they are opened.
static enum status check_quantizer(const struct hub_listing *listing, const struct hub_name *name,
                                   const struct hub_model *model, struct error *err) {
    static const struct {
        const char *file, *method;
    } marks[] = {{"quantize_config.json", "gptq"}, {"quant_config.json", "awq"}};
    const char *method = listing->quantizer;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && !method[0]; i++)
        if (find_file(listing, marks[i].file) < listing->count) method = marks[i].method;
    if (model->parts > 0 || !method[0]) return STATUS_OK;
    return error_set(err, STATUS_UNSUPPORTED,
                     "%s has safetensors quantized with %s, which are not supported; use a "
                     "repository with GGUF files",
                     name->repo, method);
}

static enum status check_parts(const struct hub_listing *listing, const struct hub_model *model,
                               struct error *err) {
    int32_t parts = 0;
    for (size_t i = 0; i < listing->count; i++)
        parts += hub_model_has(listing, model, i);
    if (model->parts == 0 || parts == model->parts) return STATUS_OK;
    return error_set(err, STATUS_BAD_FILE, "%.200s: only %d of %d parts are there",
                     hub_model_path(listing, model), (int)parts, (int)model->parts);
}

enum status hub_listing_choose(const struct hub_listing *listing, const struct hub_name *name,
                               const struct hub_machine *machine, struct hub_model *model,
                               struct text *why, struct error *err) {
    const int best = rank_in(machine->card ? BEST_ON_CARD : BEST_ON_PROCESSOR);
    struct hub_model chosen = {0};
    bool several = false;
    if (name->which[0])
        TRY(choose_named(listing, name, &chosen, err));
    else if (!choose_fitting(listing, machine, best, &chosen, &several))
        return refuse_all(listing, name, machine, err);
    else if (several)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s has several models like %.200s; name a file: hf:%s:FILE", name->repo,
                         hub_model_path(listing, &chosen), name->repo);
    TRY(check_quantizer(listing, name, &chosen, err));
    if (!name->which[0] || !hub_model_fits(&chosen, machine))
        TRY(explain(&chosen, machine, best, why));
    TRY(check_parts(listing, &chosen, err));
    *model = chosen;
    return STATUS_OK;
}
