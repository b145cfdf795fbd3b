// app/cli/launch_model.c — launch_model(): which model it is, and the engine that has it.
//
// In order: the named model; the conversation's model; the one from the environment or the config
// file; the demo model. A conversation continues in place if the named model is its own, by the
// content of the file or by its name on the server.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/base/signals.h"
#include "app/chat/model_cost.h"
#include "app/cli/confirm.h"
#include "app/cli/digest.h"
#include "app/cli/finder.h"
#include "app/cli/kv_disk.h"
#include "app/cli/launch.h"
#include "app/cli/pull.h"
#include "app/cli/remote_model.h"
#include "app/hub/hub_listing.h"
#include "app/screen/complain.h"
#include "app/screen/notice.h"
#include "app/screen/terminal.h"
#include "kernels/base/effort.h"
#include "kernels/base/log.h"
#include "store/disk_cache/disk_cache.h"

const char *launch_model_name(const struct args *args) {
    const bool operand = args->command == COMMAND_CHAT || args->command == COMMAND_INSPECT;
    return operand && args->operand_count ? args->operands[0] : args->model;
}

const char *launch_named(const struct args *args) {
    const bool named = args->operand_count > 0 || args_source(args, "model") == ARGS_WORDS;
    return named ? launch_model_name(args) : NULL;
}

enum status launch_find_model(const struct args *args, struct text *path, bool *demo,
                              struct error *err) {
    const char *given = launch_model_name(args);
    if (remote_model_is(args, given))
        return error_set(err, STATUS_UNSUPPORTED, "%.*s is on a server; this needs a model file",
                         (int)strcspn(given, "?"), given);
    *demo = given == NULL;
    return given ? finder_find(given, path, err) : finder_find_demo(path, err);
}

struct loading {
    const char *what; // shown last
    struct progress progress;
};

// "loading ━━━━─── 64 % · 2 s left", for each slow step.
static void show_progress(void *user, const char *what, double fraction) {
    enum { PARTS = 1000 };
    struct loading *loading = user;
    if (!loading->what || strcmp(loading->what, what) != 0) loading->progress.begun = false;
    loading->what = what;
    const struct progress_now now = {.what = what,
                                     .done = (int64_t)(fraction * PARTS),
                                     .total = PARTS,
                                     .now_ms = clock_ms(),
                                     .columns = terminal_width()};
    progress_show(&loading->progress, &now);
}

// --kv-disk 0: nothing may be kept there, so empty it.
static void empty_disk(const char *folder) {
    uint64_t freed_bytes = 0;
    struct text index = {0};
    struct error err = {0};
    enum status status = text_format(&index, "%s/index.db", folder);
    const bool there = status == STATUS_OK && access(text_string(&index), F_OK) == 0;
    text_deinit(&index);
    if (there) status = disk_cache_drop(folder, &freed_bytes, &err);
    if (status != STATUS_OK)
        log_write(LOG_WARNING, "cannot empty the cache in %s: %s", folder,
                  err.text[0] ? err.text : status_text(status));
}

// The disk tier, or NULL if none is wanted. The engine reports an unusable one and continues
// without it.
static struct disk_pool *open_disk(const struct launch *launch) {
    struct text folder = {0};
    struct disk_pool *disk = NULL;
    if (launch->args->no_save) return NULL;
    if (kv_disk_folder(launch->args, launch->config, &folder) == STATUS_OK) {
        const char *path = text_string(&folder);
        const uint64_t limit_bytes = kv_disk_limit(launch->args, path);
        if (limit_bytes)
            disk = disk_cache_create(&(struct disk_cache_options){
                .folder = path, .limit_bytes = limit_bytes, .home = kv_disk_home(launch->config)});
        else if (args_source(launch->args, "kv-disk") != ARGS_DEFAULT)
            empty_disk(path);
        else
            log_write(LOG_WARNING, "the KV cache is not kept on disk: no space is free in %s",
                      path);
    }
    text_deinit(&folder);
    return disk;
}

// To the engine 0 means what is usual, and less than a block means none.
static size_t kv_host_bytes(const struct args *args) {
    const bool none = args->kv_host_bytes == 0 && args_source(args, "kv-host") != ARGS_DEFAULT;
    return none ? 1 : args->kv_host_bytes;
}

static enum kv_restore restore_choice(const struct args *args) {
    if (strcmp(args->kv_restore, "always") == 0) return KV_RESTORE_ALWAYS;
    return strcmp(args->kv_restore, "never") == 0 ? KV_RESTORE_NEVER : KV_RESTORE_AUTO;
}

// Without drafts the head's weights and its part of the cache are only a burden.
static enum engine_draft_head head_choice(const struct args *args) {
    if (args->speculate == 0) return DRAFT_HEAD_NONE;
    switch (launch_draft_wish(args)) {
    case DRAFT_AUTO:
        break;
    case DRAFT_OFF:
    case DRAFT_FROM_HISTORY:
        return DRAFT_HEAD_NONE;
    case DRAFT_BY_HEAD:
        return DRAFT_HEAD_REQUIRED;
    }
    return DRAFT_HEAD_IF_PRESENT;
}

struct engine_options launch_engine_options(const struct args *args, const struct config *config) {
    const bool keeps_rates = !args->no_save && config->rates_path.length > 0; // else no HOME is set
    return (struct engine_options){
        .backend = args->backend,
        .threads = args->threads,
        .device_bytes = args->device_bytes,
        .placement = args_placement(args),
        .rates_path = keeps_rates ? text_string(&config->rates_path) : NULL,
        .context = args->context,
        .block_size = args->block_size,
        .kv_type = args->kv_type,
        .attention = args->attention,
        .kv_device_bytes = args->kv_device_bytes,
        .deterministic = args->deterministic,
        .draft_head = head_choice(args),
    };
}

enum status launch_read_adapters(const struct args *args, struct launch_adapters *adapters,
                                 struct error *err) {
    for (size_t i = 0; i < args->loras.count; i++) {
        struct adapter_source *source = &adapters->sources[i];
        TRY(args_read_lora(args, i, &adapters->paths[i], &source->scale, err));
        source->path = text_string(&adapters->paths[i]);
        adapters->count++;
    }
    return STATUS_OK;
}

void launch_adapters_deinit(struct launch_adapters *adapters) {
    for (size_t i = 0; i < ARGS_LIST_MAX; i++)
        text_deinit(&adapters->paths[i]);
    adapters->count = 0;
}

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
    if (number != SIGINT) _exit(128 + number);
    interrupted = 1;
}

static bool is_interrupted(void *user) {
    (void)user;
    return interrupted != 0;
}

void launch_watch(void) {
    interrupted = 0;
    signals_catch(on_signal);
    effort_watch(is_interrupted, NULL);
}

void launch_end_watch(void) {
    effort_watch(NULL, NULL);
    signals_catch(SIG_DFL);
}

// Opens the engine with the model at launch->model, and computes its digests.
static enum status open_engine(struct launch *launch, const struct launch_adapters *adapters,
                               const char *drafter, struct loading *loading, struct error *err) {
    const struct args *args = launch->args;
    const char *path = text_string(&launch->model);
    struct hash128 digest;
    struct digest_file file;
    digest_identify(path, &file);
    const bool known = launch->db && digest_find(launch->db, &file, &digest);
    struct engine_options options = launch_engine_options(args, launch->config);
    options.model_path = path;
    options.adapters = adapters->sources;
    options.adapter_count = adapters->count;
    options.kv_host_bytes = kv_host_bytes(args);
    options.disk = open_disk(launch);
    options.digest = known ? &digest : NULL;
    options.digest_state = file.is_folder ? NULL : &file.state;
    options.kv_restore = restore_choice(args);
    options.draft_path = drafter;
    options.progress = args->quiet ? NULL : show_progress;
    options.progress_user = loading;
    TRY(engine_open(&options, &launch->engine, err));
    digest = launch->db ? engine_digest(launch->engine) : hash_bytes(path, strlen(path), 0);
    if (effort_unwanted())
        return error_set(err, STATUS_CANCELLED, "stopped: %s was being read", path);
    if (!known && launch->db)
        digest_remember(launch->db, &file, engine_gguf(launch->engine), digest);
    launch->file_digest = digest_with_texts(path, digest);
    launch->digest = engine_identity(launch->engine, launch->file_digest);
    return STATUS_OK;
}

static enum status open_with_adapters(struct launch *launch, struct loading *loading,
                                      struct error *err) {
    struct launch_adapters adapters = {.count = 0};
    struct text drafter = {0};
    enum status status = launch_read_adapters(launch->args, &adapters, err);
    if (status == STATUS_OK) status = launch_find_drafter(launch->args, &drafter, err);
    const char *path = drafter.length ? text_string(&drafter) : NULL;
    if (status == STATUS_OK) status = open_engine(launch, &adapters, path, loading, err);
    text_deinit(&drafter);
    launch_adapters_deinit(&adapters);
    return status;
}

// Weights in two places cost speed, which is said before somebody wonders.
static void say_placement(const struct launch *launch) {
    struct engine_info info;
    engine_info(launch->engine, &info);
    if (info.placement[0] && !launch->args->quiet) complain_mildly(info.placement);
}

// Opens the model at launch->model.
static enum status open_here(struct launch *launch, struct error *err) {
    struct loading loading = {0};
    if (launch->only_finds) return STATUS_OK;
    TRY(launch_check_parts(launch->args, err));
    notice_hold();
    const enum status status = open_with_adapters(launch, &loading, err);
    progress_clear(&loading.progress);
    notice_release();
    if (status == STATUS_OK) say_placement(launch);
    return status;
}

// ---- at a server

static bool has_messages(const struct launch *launch) {
    return launch->resumed && launch->found.tip != MESSAGE_NONE;
}

static const char *label(const struct launch *launch) {
    return launch->found.name[0] ? launch->found.name : launch->found.id;
}

// Asks before sending a conversation to another host than the section had last time: the new host
// may have no business reading it.
static enum status agree_to_move(struct launch *launch, const char *before, const char *now,
                                 struct error *err) {
    const char *section = text_string(&launch->wanted.name);
    const bool asks = !launch->once && launch->args->command == COMMAND_CHAT && confirm_possible();
    struct error moved = {0};
    struct text question = {0};
    const enum status no =
        error_set(&moved, STATUS_UNSUPPORTED, "[remote.%.100s] has moved from %.150s to %.150s",
                  section, before, now);
    enum status status = STATUS_OK;
    if (has_messages(launch))
        status = text_format(&question, "send all of %s there", label(launch));
    else
        status = text_append_string(&question, "send what you write there");
    launch->moved = false;
    if (status == STATUS_OK && (asks || launch->named)) complain_mildly(moved.text);
    if (status == STATUS_OK && (asks ? !confirm(text_string(&question)) : !launch->named)) {
        launch->moved = true;
        *err = moved;
        status = no;
    }
    text_deinit(&question);
    return status;
}

// Before anything is sent: does the section still have the host it had when the conversation used
// it?
static enum status check_host(struct launch *launch, const char *url, struct error *err) {
    const char *held = text_string(&launch->wanted.server);
    struct text before = {0}, now = {0};
    if (launch->wanted.kind != MODEL_SECTION || remote_model_same_host(held, url)) return STATUS_OK;
    enum status status = remote_model_host(held, &before);
    if (status == STATUS_OK) status = remote_model_host(url, &now);
    if (status == STATUS_OK)
        status = agree_to_move(launch, text_string(&before), text_string(&now), err);
    text_deinit(&before);
    text_deinit(&now);
    return status;
}

static enum status open_elsewhere(struct launch *launch, const char *name, struct error *err) {
    struct remote_model model = {0};
    enum status status = pull_check_offline(launch->args, name, err);
    if (status == STATUS_OK) status = remote_model_read(launch->args, name, &model, err);
    if (status == STATUS_OK) status = check_host(launch, text_string(&model.url), err);
    if (status == STATUS_OK && !launch->only_finds)
        status = text_append_string(&launch->model, name);
    model.options.listed = launch->wanted.listed;
    if (status == STATUS_OK && !launch->only_finds) {
        const struct engine_options options = {.remote = &model.options};
        status = engine_open(&options, &launch->engine, err);
    }
    remote_model_deinit(&model);
    TRY(status);
    if (launch->only_finds) return STATUS_OK;
    launch->digest = engine_digest(launch->engine);
    return STATUS_OK;
}

// A chat at a terminal can ask whether to download a missing model.
static bool may_pull(const struct launch *launch, const char *given, enum status status) {
    return status == STATUS_NOT_FOUND && given && hub_name_is(given) && !launch->once &&
           launch->args->command == COMMAND_CHAT && confirm_possible();
}

// ---- another model than the conversation's

// Says what it costs to continue with a local model or, without a path, on a server.
static void say_cost(struct launch *launch, const char *path) {
    struct text line = {0};
    struct model_cost cost;
    struct error ignored; // opening it reports the reason
    if (launch->cost_said || launch->args->quiet || !has_messages(launch)) return;
    enum status status = STATUS_OK;
    if (path) {
        status = model_cost_read(path, launch->db, launch->found.tip, &cost, &ignored);
        if (status == STATUS_OK) status = model_cost_describe(&cost, &line);
    } else {
        status =
            text_format(&line, "This sends the whole conversation to %s.", launch->info.model_name);
    }
    if (status == STATUS_OK)
        fprintf(stderr, "%s %s was written with %s; it continues in a fork and is kept as it is.\n",
                text_string(&line), label(launch), launch->held.model_name);
    launch->cost_said = status == STATUS_OK;
    text_deinit(&line);
}

static enum status is_held_model(struct launch *launch, bool *same, struct error *err) {
    int64_t model;
    *same = held_is_same_server(&launch->held, &launch->source);
    if (*same) return STATUS_OK;
    TRY(db_model(launch->db, launch->digest, launch->info.model_name, &model, err));
    *same = model == launch->held.model;
    return STATUS_OK;
}

// Describes the open model, and chooses between continuing in place and in a fork.
static enum status describe(struct launch *launch, const char *name, bool elsewhere,
                            struct error *err) {
    bool same = true;
    const struct held_opened opened = {
        .name = name,
        .path = elsewhere ? launch->info.model_path : text_string(&launch->model),
        .chat_template = launch_chat_template(launch),
        .args = launch->args,
        .elsewhere = elsewhere,
        .unlisted = launch->info.unlisted,
        .digest = launch->file_digest,
        .identity = launch->digest,
    };
    TRY(held_describe(launch->db, &opened, &launch->source, err));
    if (!has_messages(launch) || launch->held.kind == MODEL_NONE || launch->reads_only)
        return STATUS_OK;
    TRY(is_held_model(launch, &same, err));
    if (same) return STATUS_OK;
    say_cost(launch, elsewhere ? NULL : text_string(&launch->model));
    if (launch->args != &launch->own) launch->own = *launch->args;
    launch->args = &launch->own;
    if (!launch->own.fork) launch->own.fork = "";
    return STATUS_OK;
}

// Once a model is open, only the database or a missing chat template can fail.
static int settle(struct launch *launch, const char *name, bool elsewhere) {
    struct error err = {0};
    if (launch->only_finds) return EXIT_DONE;
    engine_info(launch->engine, &launch->info);
    if (!launch->db || launch->args->command != COMMAND_CHAT) return EXIT_DONE;
    const enum status status = describe(launch, name, elsewhere, &err);
    if (status == STATUS_OK) return EXIT_DONE;
    const int code = status == STATUS_NOT_FOUND ? EXIT_MODEL : exit_code_for_store(status);
    return complain_failed(code, status, &err);
}

// ---- a known model

static const char *name_of(const struct model_source *source) {
    return source->kind == MODEL_DEMO ? NULL : text_string(&source->name);
}

static enum status find_files(struct launch *launch, struct error *err) {
    const struct model_source *wanted = &launch->wanted;
    held_files_deinit(&launch->files);
    enum status status = held_find(launch->db, launch->args, wanted, &launch->files, err);
    if (wanted->kind != MODEL_HUB || !may_pull(launch, name_of(wanted), status)) return status;
    TRY(pull_wanted(launch->args, name_of(wanted), err));
    held_files_deinit(&launch->files);
    return held_find(launch->db, launch->args, wanted, &launch->files, err);
}

// The command line's key is only for the server that it named.
static bool is_first(const struct launch *launch) {
    const char *server = text_string(&launch->wanted.server), *first = launch->first;
    return first && (strncmp(server, first, strlen(first)) == 0 ||
                     strcmp(text_string(&launch->wanted.name), first) == 0);
}

static enum status open_wanted(struct launch *launch, struct error *err) {
    const struct model_source *wanted = &launch->wanted;
    const bool elsewhere = wanted->kind == MODEL_SERVER || wanted->kind == MODEL_SECTION;
    TRY(find_files(launch, err));
    if (launch->args != &launch->own) launch->own = *launch->args;
    launch->args = &launch->own;
    if (launch->follows_chat && !is_first(launch)) args_forget_key(&launch->own);
    TRY(held_args(wanted, &launch->files, &launch->own, launch->texts, err));
    if (elsewhere) return open_elsewhere(launch, launch->own.model, err);
    TRY(text_append_string(&launch->model, launch->own.model ? launch->own.model : ""));
    return open_here(launch, err);
}

// Appends the command that helps.
static enum status append_help(const struct launch *launch, enum status why, struct text *line) {
    const struct model_source *wanted = &launch->wanted;
    const struct model_part *weights = model_source_part(wanted, PART_WEIGHTS);
    const bool changed =
        why == STATUS_UNSUPPORTED && weights && access(text_string(&weights->path), R_OK) == 0;
    if (launch->follows_chat)
        return text_append_string(line, "/model NAME continues with another one");
    if (wanted->kind == MODEL_HUB && why == STATUS_NOT_FOUND)
        return text_format(line, "quire pull %s downloads it", text_string(&wanted->name));
    const char *model = changed         ? text_string(&weights->path)
                        : launch->moved ? text_string(&wanted->name)
                                        : "MODEL";
    const bool blanks = strpbrk(label(launch), " \t") != NULL;
    TRY(text_format(line, "quire -r %s%s%s -m %s ", blanks ? "'" : "", label(launch),
                    blanks ? "'" : "", model));
    if (launch->moved) return text_append_string(line, "sends the conversation there");
    return text_format(line, "continues with %s, in a fork",
                       changed ? "the file that is there now" : "another model");
}

static int cannot_open(const struct launch *launch, enum status status, const struct error *err) {
    struct text line = {0};
    if (status == STATUS_CANCELLED) return complain_failed(EXIT_INTERRUPTED, status, err);
    enum status told = text_format(&line, "cannot open %s", launch->wanted.model_name);
    if (told == STATUS_OK && launch->resumed)
        told = text_format(&line, ", the model of %s", label(launch));
    if (told == STATUS_OK)
        told = text_format(&line, ": %s; ", err->text[0] ? err->text : status_text(status));
    if (told == STATUS_OK) told = append_help(launch, status, &line);
    complain(told == STATUS_OK ? text_string(&line) : status_text(told));
    text_deinit(&line);
    return EXIT_MODEL;
}

// Refuses options that have no effect on this kind of model. A chat that has moved to it from
// another keeps the first one's options.
static enum status check_options(const struct launch *launch, bool elsewhere, struct error *err) {
    if (elsewhere) return remote_model_check(launch->args, err);
    return launch->follows_chat ? STATUS_OK : remote_model_check_local(launch->args, err);
}

// What the person's own words name and is not there is no fault of the conversation's model. What
// the environment says of adapters and templates is for new conversations.
static enum status check_named(const struct launch *launch, struct error *err) {
    struct text drafter = {0};
    struct args named = *launch->args;
    if (launch->args == &launch->own) return STATUS_OK;
    if (args_source(&named, "lora") != ARGS_WORDS) named.loras = (struct args_list){0};
    if (args_source(&named, "chat-template") != ARGS_WORDS)
        named.chat_templates = (struct args_list){0};
    TRY(launch_check_parts(&named, err));
    const enum status status = launch_find_drafter(&named, &drafter, err);
    text_deinit(&drafter);
    return status;
}

static int launch_wanted(struct launch *launch) {
    struct error err = {0};
    const bool elsewhere =
        launch->wanted.kind == MODEL_SERVER || launch->wanted.kind == MODEL_SECTION;
    enum status status = check_options(launch, elsewhere, &err);
    if (status != STATUS_OK) return complain_failed(EXIT_USAGE, status, &err);
    if (!elsewhere) status = check_named(launch, &err);
    if (status != STATUS_OK) return complain_failed(exit_code_for_model(status), status, &err);
    status = open_wanted(launch, &err);
    return status == STATUS_OK ? settle(launch, name_of(&launch->wanted), elsewhere)
                               : cannot_open(launch, status, &err);
}

// ---- a named model, or the default

enum status launch_find_named(struct db *db, const struct args *args, const char *name,
                              struct model_source *source, struct text *path, bool *elsewhere,
                              struct error *err) {
    struct error unknown;
    *elsewhere = remote_model_is(args, name);
    if (*elsewhere) return text_append_string(path, name);
    if (access(name, F_OK) == 0) return finder_find(name, path, err);
    if (db) {
        const enum status status = held_named(db, name, source, &unknown);
        if (status != STATUS_NOT_FOUND) return status;
    }
    return finder_find(name, path, err);
}

// The conversation's own model under another path keeps its adapters, template and vocabulary.
static enum status keep_parts(struct launch *launch, const char *path) {
    TRY(model_source_copy(&launch->held, &launch->wanted));
    struct model_part *weights = &launch->wanted.parts[0];
    text_clear(&weights->path);
    if (launch->wanted.kind != MODEL_HUB) launch->wanted.kind = MODEL_PATH;
    return text_append_string(&weights->path, path);
}

static bool is_held_file(const struct launch *launch, const char *path) {
    const struct model_part *weights = model_source_part(&launch->held, PART_WEIGHTS);
    return weights && weights == launch->held.parts && held_is_part(launch->db, weights, path);
}

static bool is_held_name(const struct launch *launch, const char *given) {
    return launch->held.kind != MODEL_NONE &&
           (strcmp(given, text_string(&launch->held.server)) == 0 ||
            (launch->held.kind == MODEL_SECTION &&
             strcmp(given, text_string(&launch->held.name)) == 0));
}

// Resolves a name to launch->wanted, or to the path in launch->model.
static enum status resolve(struct launch *launch, const char *given, bool *elsewhere,
                           struct error *err) {
    struct text *path = &launch->model;
    *elsewhere = false;
    if (!given) return finder_find_demo(path, err);
    if (launch->named && is_held_name(launch, given))
        return model_source_copy(&launch->held, &launch->wanted);
    struct db *db = launch->named ? launch->db : NULL;
    enum status status =
        launch_find_named(db, launch->args, given, &launch->wanted, path, elsewhere, err);
    if (may_pull(launch, given, status)) {
        TRY(pull_wanted(launch->args, given, err));
        status = launch_find_named(db, launch->args, given, &launch->wanted, path, elsewhere, err);
    }
    TRY(status);
    if (*elsewhere || launch->wanted.kind != MODEL_NONE || launch->held.kind == MODEL_NONE)
        return STATUS_OK;
    if (is_held_file(launch, text_string(path))) return keep_parts(launch, text_string(path));
    say_cost(launch, text_string(path));
    return STATUS_OK;
}

// `quire hello` may be somebody's first question.
static void hint_at_question(const struct launch *launch, const char *given, struct error *err) {
    const struct error why = *err;
    const bool operand = launch->args->operand_count > 0 && given == launch->args->operands[0];
    if (operand && !strpbrk(given, "./:"))
        error_set(err, STATUS_NOT_FOUND, "%s; to ask a question: quire -p \"…\"", why.text);
}

static int launch_given(struct launch *launch, const char *given) {
    struct error err = {0};
    bool elsewhere;
    enum status status = resolve(launch, given, &elsewhere, &err);
    if (status == STATUS_NOT_FOUND) hint_at_question(launch, given, &err);
    if (status == STATUS_CANCELLED) return complain_failed(EXIT_INTERRUPTED, status, &err);
    if (status != STATUS_OK) return complain_failed(EXIT_MODEL, status, &err);
    if (launch->wanted.kind != MODEL_NONE) {
        text_clear(&launch->model);
        return launch_wanted(launch);
    }
    if (!elsewhere) status = check_options(launch, false, &err); // else remote_model_read() does
    if (status != STATUS_OK) return complain_failed(EXIT_USAGE, status, &err);
    if (elsewhere) text_clear(&launch->model);
    if (!given && !launch->args->quiet && !launch->only_finds)
        complain_mildly(
            "demo model, 30 M parameters, to try quire; for a real one: quire -m FILE.gguf");
    status = elsewhere ? open_elsewhere(launch, given, &err) : open_here(launch, &err);
    if (status == STATUS_CANCELLED) return complain_failed(EXIT_INTERRUPTED, status, &err);
    return status == STATUS_OK ? settle(launch, given, elsewhere)
                               : complain_failed(exit_code_for_model(status), status, &err);
}

int launch_model(struct launch *launch) {
    if (launch->wanted.kind != MODEL_NONE) return launch_wanted(launch);
    return launch_given(launch, launch->named ? launch->named : launch_model_name(launch->args));
}

int launch_reopen(struct launch *launch) {
    engine_close(launch->engine);
    launch->engine = NULL;
    text_clear(&launch->model);
    return launch_model(launch);
}

void launch_say_first_model(const struct launch *launch) {
    const bool first = has_messages(launch) && launch->held.kind == MODEL_NONE;
    if (!first || launch->named || launch->args->quiet || launch->reads_only) return;
    fprintf(stderr, "%s was saved without its model; it uses %s from now on\n", label(launch),
            launch->info.model_name);
}
