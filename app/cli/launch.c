#include "app/cli/launch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/base/path.h"
#include "app/chat/chat_move.h"
#include "app/chat/presets.h"
#include "app/cli/confirm.h"
#include "app/cli/digest.h"
#include "app/cli/finder.h"
#include "app/cli/kv_disk.h"
#include "app/cli/pull.h"
#include "app/cli/remote_model.h"
#include "app/hub/hub_listing.h"
#include "app/screen/complain.h"
#include "app/screen/notice.h"
#include "app/screen/progress.h"
#include "app/screen/terminal.h"
#include "kernels/base/log.h"
#include "prompts/preamble.h"
#include "store/disk_cache/disk_cache.h"

// Beside the installed program, else where it was built.
static enum status find_demo(struct text *path, struct error *err) {
    static const char NAME[] = "quire-demo-30m-q8_0.gguf";
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = '\0';
        char *slash = strrchr(program, '/');
        if (slash) *slash = '\0';
        TRY(text_format(path, "%s/../share/quire/%s", program, NAME));
        if (access(text_string(path), R_OK) == 0) return STATUS_OK;
        text_clear(path);
    }
    TRY(text_append_string(path, QUIRE_DEMO_MODEL));
    if (access(text_string(path), R_OK) == 0) return STATUS_OK;
    return error_set(err, STATUS_NOT_FOUND,
                     "no model is given (-m FILE.gguf), and the demo model is not installed");
}

static const char *given_model(const struct args *args) {
    const bool operand = args->command == COMMAND_CHAT || args->command == COMMAND_INSPECT;
    return operand && args->operand_count ? args->operands[0] : args->model;
}

enum status launch_find_model(const struct args *args, struct text *path, bool *demo,
                              struct error *err) {
    const char *given = given_model(args);
    if (remote_model_is(args, given))
        return error_set(err, STATUS_UNSUPPORTED, "%.300s is not on this machine, and no file",
                         given);
    *demo = given == NULL;
    return given ? finder_find(given, path, err) : find_demo(path, err);
}

static enum status open_store(struct launch *launch, struct error *err) {
    const char *path = text_string(&launch->config->db_path);
    TRY(config_make_folder(path, err));
    return db_open(path, &launch->db, err);
}

// Of -C and -r the one from the higher source wins where both are set.
static bool goes_on(const struct args *args) {
    return args->go_on && args_source(args, "continue") >= args_source(args, "resume");
}

static bool picks_later(const struct args *args) {
    return args->resume && !*args->resume && !goes_on(args);
}

// Which conversation do -C and -r mean?
static enum status find_place(const struct launch *launch, char id[CONVERSATION_ID_BYTES],
                              struct error *err) {
    const struct args *args = launch->args;
    struct conversation found;
    if (goes_on(args)) {
        const bool one_shot = launch->once || args->all;
        const enum status status = conversation_latest(launch->db, one_shot, &found, err);
        if (status == STATUS_NOT_FOUND)
            return error_set(
                err, status,
                one_shot ? "there is no conversation to go on with"
                         : "there is no chat to go on with; --all counts what -p has asked, too");
        TRY(status);
    } else {
        TRY(conversation_find(launch->db, args->resume, &found, err));
    }
    memcpy(id, found.id, CONVERSATION_ID_BYTES);
    return STATUS_OK;
}

// -r alone: the chat asks which one, so there must be a chat.
static enum status let_pick(struct launch *launch, struct error *err) {
    const struct args *args = launch->args;
    if (launch->once || args->fork)
        return error_set(err, STATUS_BAD_INPUT, "--resume needs an id or a name here");
    launch->resumed = false;
    launch->picks = true;
    return STATUS_OK;
}

int launch_store(struct launch *launch) {
    struct error err = {0};
    if (launch->args->no_save) return EXIT_DONE;
    enum status status = open_store(launch, &err);
    if (status != STATUS_OK) return complain_failed(EXIT_RUN_TIME, status, &err);
    if (launch->args->command != COMMAND_CHAT) return EXIT_DONE;
    launch->resumed = launch->args->go_on || launch->args->resume;
    if (picks_later(launch->args))
        status = let_pick(launch, &err);
    else if (launch->resumed)
        status = find_place(launch, launch->conversation, &err);
    if (status != STATUS_OK) return complain_failed(exit_code_for_store(status), status, &err);
    return EXIT_DONE;
}

struct loading {
    const char *what; // that was shown last
    struct progress progress;
};

// "loading ━━━━─── 64 % · 2 s left", for each thing that takes its time.
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

// The disk below the cache, or NULL: none is wanted. One that cannot be used is the engine's to
// say, which goes on without it.
static struct disk_pool *open_disk(const struct launch *launch) {
    struct text folder = {0};
    struct disk_pool *disk = NULL;
    if (launch->args->no_save) return NULL;
    if (kv_disk_folder(launch->args, launch->config, &folder) == STATUS_OK) {
        const char *path = text_string(&folder);
        const uint64_t limit_bytes = kv_disk_limit(launch->args, path);
        if (limit_bytes)
            disk = disk_cache_create(
                &(struct disk_cache_options){.folder = path, .limit_bytes = limit_bytes});
    }
    text_deinit(&folder);
    return disk;
}

static enum kv_restore restore_choice(const struct args *args) {
    if (strcmp(args->kv_restore, "always") == 0) return KV_RESTORE_ALWAYS;
    return strcmp(args->kv_restore, "never") == 0 ? KV_RESTORE_NEVER : KV_RESTORE_AUTO;
}

// "FILE=0.5" is the file, with a scale. A path may have an equals sign itself.
static enum status read_lora(const char *given, struct text *path, float *scale,
                             struct error *err) {
    const char *equals = strrchr(given, '=');
    char *end = NULL;
    *scale = 1;
    TRY(path_expand(given, path));
    if (!equals || access(text_string(path), F_OK) == 0) return STATUS_OK;
    *scale = strtof(equals + 1, &end);
    if (end == equals + 1 || *end)
        return error_set(err, STATUS_BAD_INPUT,
                         "--lora: expected FILE or FILE=SCALE, found \"%.200s\"", given);
    path->length -= strlen(equals);
    path->bytes[path->length] = '\0';
    return STATUS_OK;
}

static enum status read_loras(const struct args *args, struct adapter_source sources[],
                              struct text paths[], struct error *err) {
    for (size_t i = 0; i < args->loras.count; i++) {
        TRY(read_lora(args->loras.items[i], &paths[i], &sources[i].scale, err));
        sources[i].path = text_string(&paths[i]);
    }
    return STATUS_OK;
}

// The engine with the model at launch->model, and what tells its answers from others'.
static enum status open_engine(struct launch *launch, const struct adapter_source *adapters,
                               struct loading *loading, struct error *err) {
    const struct args *args = launch->args;
    const char *path = text_string(&launch->model);
    struct hash128 digest;
    const bool known = launch->db && digest_find(launch->db, path, &digest);
    const struct engine_options options = {
        .model_path = path,
        .adapters = adapters,
        .adapter_count = (int32_t)args->loras.count,
        .backend = args->backend,
        .threads = args->threads,
        .context = args->context,
        .block_size = args->block_size,
        .kv_type = args->kv_type,
        .attention = args->attention,
        .kv_device_bytes = args->kv_device_bytes,
        .kv_host_bytes = args->kv_host_bytes,
        .disk = open_disk(launch),
        .digest = known ? &digest : NULL,
        .kv_restore = restore_choice(args),
        .deterministic = args->deterministic,
        .progress = args->quiet ? NULL : show_progress,
        .progress_user = loading,
    };
    TRY(engine_open(&options, &launch->engine, err));
    if (!known)
        digest = launch->db ? engine_digest(launch->engine) : hash_bytes(path, strlen(path), 0);
    if (!known && launch->db) digest_remember(launch->db, path, digest);
    launch->digest = engine_identity(launch->engine, digest);
    return STATUS_OK;
}

static enum status open_with_loras(struct launch *launch, struct loading *loading,
                                   struct error *err) {
    struct adapter_source sources[ARGS_LIST_MAX];
    struct text paths[ARGS_LIST_MAX] = {0};
    enum status status = read_loras(launch->args, sources, paths, err);
    if (status == STATUS_OK) status = open_engine(launch, sources, loading, err);
    for (size_t i = 0; i < ARGS_LIST_MAX; i++)
        text_deinit(&paths[i]);
    return status;
}

// The same for a model elsewhere.
static int open_remote(struct launch *launch, const char *name) {
    struct remote_model model = {0};
    struct error err = {0};
    enum status status = pull_check_offline(launch->args, name, &err);
    if (status == STATUS_OK) status = remote_model_read(launch->args, name, &model, &err);
    if (status == STATUS_OK) status = text_append_string(&launch->model, name);
    if (status == STATUS_OK)
        status =
            engine_open(&(struct engine_options){.remote = &model.options}, &launch->engine, &err);
    remote_model_deinit(&model);
    if (status != STATUS_OK) return complain_failed(exit_code_for_model(status), status, &err);
    launch->digest = engine_digest(launch->engine);
    engine_info(launch->engine, &launch->info);
    return EXIT_DONE;
}

// A chat at a terminal can ask whether to download what is not here.
static bool may_pull(const struct launch *launch, const char *given, enum status status) {
    return status == STATUS_NOT_FOUND && given && hub_name_is(given) && !launch->once &&
           launch->args->command == COMMAND_CHAT && confirm_possible();
}

int launch_model(struct launch *launch) {
    const struct args *args = launch->args;
    const char *given = given_model(args);
    if (remote_model_is(args, given)) return open_remote(launch, given);
    struct error err = {0};
    struct loading loading = {0};
    bool demo;
    enum status status = launch_find_model(args, &launch->model, &demo, &err);
    if (may_pull(launch, given, status)) {
        status = pull_wanted(args, given, &err);
        if (status == STATUS_CANCELLED) return complain_failed(EXIT_INTERRUPTED, status, &err);
        if (status == STATUS_OK) status = launch_find_model(args, &launch->model, &demo, &err);
    }
    if (status != STATUS_OK) return complain_failed(EXIT_MODEL, status, &err);
    if (demo && !args->quiet)
        fprintf(stderr,
                "demo model, 30 M parameters, to try quire out; a real one: quire -m FILE.gguf\n");
    notice_hold();
    status = open_with_loras(launch, &loading, &err);
    progress_clear(&loading.progress);
    notice_release();
    if (status != STATUS_OK) return complain_failed(exit_code_for_model(status), status, &err);
    engine_info(launch->engine, &launch->info);
    return EXIT_DONE;
}

int launch_reopen(struct launch *launch) {
    engine_close(launch->engine);
    launch->engine = NULL;
    text_clear(&launch->model);
    return launch_model(launch);
}

// "MODEL=FILE" is for models with MODEL in their path.
const char *launch_chat_template(const struct launch *launch) {
    const struct args_list *list = &launch->args->chat_templates;
    const char *path = text_string(&launch->model);
    for (size_t i = list->count; i-- > 0;) {
        const char *equals = strchr(list->items[i], '=');
        if (!equals) return list->items[i];
        if (memmem(path, strlen(path), list->items[i], (size_t)(equals - list->items[i])))
            return equals + 1;
    }
    return NULL;
}

struct sampler_options launch_sampling(const struct launch *launch) {
    const struct args *args = launch->args;
    struct sampler_options options = engine_sampler_defaults(launch->engine);
    struct sampler_options given = {
        .temperature = args->temperature,
        .top_k = args->top_k,
        .top_p = args->top_p,
        .min_p = args->min_p,
        .repeat_penalty = args->repeat_penalty,
        .presence_penalty = args->presence_penalty,
        .frequency_penalty = args->frequency_penalty,
    };
    static const char *const names[] = {"temp",
                                        "top-k",
                                        "top-p",
                                        "min-p",
                                        "repeat-penalty",
                                        "presence-penalty",
                                        "frequency-penalty"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) // in the order of the fields
        if (args_source(args, names[i])) given.given |= UINT64_C(1) << i;
    sampler_options_merge(&options, &given);
    options.seed = args->seed;
    return options;
}

// The system prompt that is given by itself; *given is false when none is.
static enum status read_prompt(const struct args *args, struct text *prompt, bool *given,
                               struct error *err) {
    const enum args_source text_by = args_source(args, "system");
    const enum args_source file_by = args_source(args, "system-file");
    *given = text_by || file_by;
    if (file_by > text_by) {
        TRY(file_read(args->system_file, prompt, err));
        text_trim_end(prompt);
    } else if (text_by) {
        TRY(text_append_string(prompt, args->system));
    }
    const char *text = text_string(prompt);
    size_t offset;
    if (!utf8_valid(text, prompt->length, &offset))
        return error_set(err, STATUS_BAD_INPUT, "the system prompt is not UTF-8 text");
    return preamble_check_system(text, prompt->length, err);
}

// Of the preset, but with a prompt and few-shot turns that are given by themselves.
static enum status join_preamble(const struct launch *launch, const struct text *prompt, bool given,
                                 struct text *preamble, struct error *err) {
    const struct args *args = launch->args;
    struct text preset = {0}, shots = {0};
    enum status status = STATUS_OK;
    if (args->command != COMMAND_CHAT) // the lines of a batch are their own conversations
        return text_append(preamble, text_string(prompt), prompt->length);
    if (args->preset)
        status = preset_read(text_string(&launch->config->config_path), args->preset, &preset, err);
    if (status == STATUS_OK && args->shots) status = preset_read_file(args->shots, &shots, err);
    if (status == STATUS_OK && args->shots && preamble_shots(text_string(&shots)) == 0)
        status = error_set(err, STATUS_BAD_INPUT, "%.200s contains no USER: and ASSISTANT: pair",
                           args->shots);
    const bool whole = shots.length > 0 && shots.bytes[0] != PREAMBLE_SEPARATOR; // has a prompt too
    const struct text *system = given ? prompt : whole ? &shots : &preset;
    if (status == STATUS_OK)
        status = preamble_join(text_string(system), text_string(args->shots ? &shots : &preset),
                               preamble);
    text_deinit(&preset);
    text_deinit(&shots);
    return status;
}

static enum status read_system(struct launch *launch, struct error *err) {
    struct text prompt = {0};
    bool given = false;
    enum status status = read_prompt(launch->args, &prompt, &given, err);
    if (status == STATUS_OK) status = join_preamble(launch, &prompt, given, &launch->preamble, err);
    text_deinit(&prompt);
    return status;
}

// Puts the chat where -C, -r, --fork and --name want it.
static enum status place(struct launch *launch, struct error *err) {
    const struct args *args = launch->args;
    const char *name = args->name ? args->name : "";
    struct chat *chat = launch->session->front;
    if (!launch->resumed) return *name ? chat_new(chat, name, err) : STATUS_OK;
    if (!args->fork) return chat_resume(chat, launch->conversation, err);
    return chat_fork_from(chat, launch->conversation, strtol(args->fork, NULL, 10), name, err);
}

int launch_preamble(struct launch *launch) {
    struct error err = {0};
    const enum status status = read_system(launch, &err);
    if (status == STATUS_OK) return EXIT_DONE;
    if (status == STATUS_NOT_FOUND || status == STATUS_IO)
        return complain_failed(EXIT_RUN_TIME, status, &err);
    return complain_failed(exit_code_for(status), status, &err);
}

static enum think_wish think_wish_of(const char *word) {
    if (strcmp(word, "on") == 0) return THINK_ON;
    return strcmp(word, "off") == 0 ? THINK_OFF : THINK_AS_IT_DOES;
}

// A smaller model's titles are worse than the question itself.
static bool wants_titles(const struct launch *launch) {
    static const int64_t LEAST_PARAMETERS = 500000000;
    const char *titles = launch->args->titles;
    if (launch->args->no_save) return false;
    if (strcmp(titles, "auto") == 0) return launch->info.parameters >= LEAST_PARAMETERS;
    return strcmp(titles, "on") == 0;
}

// The engine has read the model already: what cannot be read or written is the database.
static int exit_code_for_chat(enum status status) {
    const bool of_store = status == STATUS_IO || status == STATUS_BUSY || status == STATUS_BAD_FILE;
    return of_store ? EXIT_RUN_TIME : exit_code_for_model(status);
}

enum status launch_structure(const struct launch *launch, struct session *session,
                             struct error *err) {
    const struct args *args = launch->args;
    if (args->schema)
        return structure_set(&session->structure, STRUCTURE_SCHEMA, args->schema, err);
    if (!args->grammar) return STATUS_OK;
    return structure_set(&session->structure, STRUCTURE_GRAMMAR, args->grammar, err);
}

static bool show_reading(void *user, size_t done, size_t total) {
    enum { LONG = 2000, SHOWN_EACH = 256 };
    struct launch *launch = user;
    if (total < LONG || done % SHOWN_EACH > 0) return true;
    const struct progress_now now = {.what = "reading",
                                     .unit = "messages",
                                     .done = (int64_t)done,
                                     .total = (int64_t)total,
                                     .now_ms = clock_ms(),
                                     .columns = terminal_width()};
    progress_show(&launch->reading, &now);
    return true;
}

int launch_chat(struct launch *launch) {
    const struct args *args = launch->args;
    struct error err = {0};
    const int code = launch_preamble(launch);
    if (code != EXIT_DONE) return code;
    const struct session_options options = {
        .engine = launch->engine,
        .db = launch->db,
        .digest = launch->digest,
        .preamble = text_string(&launch->preamble),
        .chat_template = launch_chat_template(launch),
        .one_shot = launch->once,
        .settings = {.sampler = launch_sampling(launch),
                     .seed_given = args_source(args, "seed") != ARGS_DEFAULT,
                     .max_tokens = args->tokens,
                     .answers = args->samples,
                     .speculate = args->speculate,
                     .beams = args->beams,
                     .length_penalty = args->length_penalty,
                     .early_stopping = args->early_stopping,
                     .think = think_wish_of(args->think),
                     .titles = wants_titles(launch)},
        .stops = args->stops.items,
    };
    enum status status = session_open(&options, &launch->session, &err);
    if (status == STATUS_OK && !args->quiet) {
        launch->session->reading = show_reading;
        launch->session->reading_user = launch;
    }
    if (status == STATUS_OK) status = chat_open(launch->session, &launch->session->front, &err);
    if (status != STATUS_OK) return complain_failed(exit_code_for_chat(status), status, &err);
    status = launch_structure(launch, launch->session, &err);
    if (status != STATUS_OK) return complain_failed(EXIT_USAGE, status, &err);
    status = place(launch, &err);
    progress_clear(&launch->reading);
    if (status != STATUS_OK) return complain_failed(exit_code_for_store(status), status, &err);
    return EXIT_DONE;
}

void launch_close(struct launch *launch) {
    if (launch->session) chat_close(launch->session->front);
    session_close(launch->session);
    engine_close(launch->engine);
    db_close(launch->db);
    text_deinit(&launch->model);
    text_deinit(&launch->preamble);
    *launch = (struct launch){0};
}
