#include "app/cli/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/base/path.h"
#include "app/chat/chat_move.h"
#include "app/chat/front.h"
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
#include "prompts/template.h"
#include "store/disk_cache/disk_cache.h"

static enum status open_store(struct launch *launch, struct error *err) {
    const char *path = text_string(&launch->config->db_path);
    TRY(config_make_folder(path, err));
    return db_open(path, &launch->db, err);
}

static bool picks_later(const struct args *args) {
    return args->resume && !*args->resume && !args->go_on;
}

// Which conversation do -C and -r mean, and which model does it use?
static enum status find_place(struct launch *launch, struct error *err) {
    const struct args *args = launch->args;
    struct conversation *found = &launch->found;
    if (args->go_on) {
        const bool one_shot = launch->once || args->all;
        const enum status status = conversation_latest(launch->db, one_shot, found, err);
        if (status == STATUS_NOT_FOUND)
            return error_set(
                err, status,
                one_shot ? "no conversation to continue"
                         : "no chat to continue; --all includes conversations started with -p");
        TRY(status);
    } else {
        TRY(conversation_find_begun(launch->db, args->resume, found, err));
    }
    memcpy(launch->conversation, found->id, CONVERSATION_ID_BYTES);
    if (!found->source) return STATUS_OK;
    TRY(model_source_get(launch->db, found->source, &launch->held, err));
    const bool other = launch->named || launch->wanted.kind != MODEL_NONE;
    return other ? STATUS_OK : model_source_copy(&launch->held, &launch->wanted);
}

// -r alone: the chat asks which one, so there must be a chat.
static enum status let_pick(struct launch *launch, struct error *err) {
    const struct args *args = launch->args;
    char shown[ARGS_SHOWN_BYTES];
    if (launch->once || args->fork)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s needs an id or name here; quire list shows them",
                         args_shown(args, "resume", shown));
    launch->resumed = false;
    launch->picks = true;
    return STATUS_OK;
}

int launch_store(struct launch *launch) {
    struct error err = {0};
    const bool chats = launch->args->command == COMMAND_CHAT;
    if (chats && launch->args->no_save) return EXIT_DONE;
    enum status status = open_store(launch, &err);
    if (status != STATUS_OK) return complain_failed(EXIT_RUN_TIME, status, &err);
    if (!chats) return EXIT_DONE;
    launch->resumed = launch->args->go_on || launch->args->resume;
    if (picks_later(launch->args))
        status = let_pick(launch, &err);
    else if (launch->resumed)
        status = find_place(launch, &err);
    if (status != STATUS_OK) return complain_failed(exit_code_for_store(status), status, &err);
    return EXIT_DONE;
}

// "MODEL=FILE" applies to models with MODEL in their path. The file itself may contain an equals
// sign.
const char *launch_chat_template(const struct launch *launch) {
    const struct args_list *list = &launch->args->chat_templates;
    const char *path = text_string(&launch->model);
    for (size_t i = list->count; i-- > 0;) {
        const char *equals = strchr(list->items[i], '=');
        if (!equals || access(list->items[i], F_OK) == 0) return list->items[i];
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

// The system prompt of --system or --system-file; *given is false without either.
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

// The preset's preamble, with a prompt and few-shot turns that are given separately.
static enum status join_preamble(const struct launch *launch, const struct text *prompt, bool given,
                                 struct text *preamble, struct error *err) {
    const struct args *args = launch->args;
    struct text preset = {0}, shots = {0};
    enum status status = STATUS_OK;
    if (args->command != COMMAND_CHAT) // each line of a batch is its own conversation
        return text_append(preamble, text_string(prompt), prompt->length);
    if (args->preset)
        status = preset_read(text_string(&launch->config->config_path), args->preset, &preset, err);
    if (status == STATUS_OK && args->shots) status = preset_read_file(args->shots, &shots, err);
    if (status == STATUS_OK && args->shots && preamble_shots(text_string(&shots)) == 0)
        status = error_set(err, STATUS_BAD_INPUT, "%.200s has no USER: and ASSISTANT: pair",
                           args->shots);
    const bool whole = shots.length > 0 && shots.bytes[0] != PREAMBLE_SEPARATOR; // has a prompt
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
    if (!args->fork) TRY(chat_resume(chat, launch->conversation, err));
    if (!args->fork)
        return chat->reads_only && !launch->reads_only ? chat_take_over(chat, err) : STATUS_OK;
    return chat_fork_from(chat, launch->conversation, strtol(args->fork, NULL, 10), name, err);
}

// A file that is read only once the model is open. It is not opened here, as a pipe can be read but
// once.
static enum status check_readable(const char *path, struct error *err) {
    if (access(path, R_OK) == 0) return STATUS_OK;
    return error_set(err, errno == ENOENT || errno == ENOTDIR ? STATUS_NOT_FOUND : STATUS_IO,
                     "cannot read %s: %s", path, strerror(errno));
}

static enum status check_structure(const struct args *args, struct error *err) {
    if (args->grammar) return check_readable(args->grammar, err);
    return args->schema && !structure_is_inline(args->schema) ? check_readable(args->schema, err)
                                                              : STATUS_OK;
}

enum status launch_check_parts(const struct args *args, struct error *err) {
    const struct args_list *templates = &args->chat_templates;
    for (size_t i = 0; i < args->loras.count; i++) {
        struct text path = {0};
        float scale;
        enum status status = args_read_lora(args, i, &path, &scale, err);
        if (status == STATUS_OK) status = check_readable(text_string(&path), err);
        text_deinit(&path);
        TRY(status);
    }
    for (size_t i = 0; i < templates->count; i++) { // but those of one MODEL, MODEL=FILE
        const char *name = templates->items[i];
        if (!strchr(name, '=') && !chat_template_find(name)) TRY(check_readable(name, err));
    }
    return STATUS_OK;
}

int launch_files(struct launch *launch) {
    struct error err = {0};
    enum status status = read_system(launch, &err);
    if (status == STATUS_OK) status = check_structure(launch->args, &err);
    return status == STATUS_OK ? EXIT_DONE
                               : complain_failed(exit_code_for_file(status), status, &err);
}

static enum think_wish think_wish_of(const char *word) {
    if (strcmp(word, "on") == 0) return THINK_ON;
    return strcmp(word, "off") == 0 ? THINK_OFF : THINK_AS_IT_DOES;
}

enum draft_wish launch_draft_wish(const struct args *args) {
    const char *word = args->draft;
    if (strcmp(word, "off") == 0) return DRAFT_OFF;
    if (strcmp(word, "head") == 0) return DRAFT_BY_HEAD;
    return strcmp(word, "history") == 0 ? DRAFT_FROM_HISTORY : DRAFT_AUTO;
}

// What is no model may be a word that is misspelt.
enum status launch_find_drafter(const struct args *args, struct text *path, struct error *err) {
    const char *name = args->draft;
    char shown[ARGS_SHOWN_BYTES];
    struct error why = {.text = "found \"\""};
    if (launch_draft_wish(args) != DRAFT_AUTO || strcmp(name, "auto") == 0) return STATUS_OK;
    if (path_is_url(name))
        return error_set(err, STATUS_UNSUPPORTED, "%s: a model on a server cannot draft",
                         args_shown(args, "draft", shown));
    enum status status = name[0] ? finder_find(name, path, &why) : STATUS_BAD_INPUT;
    if (status == STATUS_OK) status = check_readable(text_string(path), &why);
    if (status == STATUS_OK) return STATUS_OK;
    return error_set(err, status, "%s: expected auto, off, history, head or a model; %s",
                     args_shown(args, "draft", shown), why.text);
}

// A smaller model's titles are worse than the question itself.
static bool wants_titles(const struct launch *launch) {
    static const int64_t LEAST_PARAMETERS = 500000000;
    const char *titles = launch->args->titles;
    if (launch->args->no_save) return false;
    if (strcmp(titles, "auto") == 0) return launch->info.parameters >= LEAST_PARAMETERS;
    return strcmp(titles, "on") == 0;
}

// The engine has read the model already, so failures to read or write concern the database.
static int exit_code_for_chat(enum status status) {
    const bool of_store = status == STATUS_IO || status == STATUS_BUSY || status == STATUS_BAD_FILE;
    return of_store ? EXIT_RUN_TIME : exit_code_for_model(status);
}

enum status launch_structure(const struct args *args, struct structure *structure,
                             struct error *err) {
    if (args->schema) return structure_set(structure, STRUCTURE_SCHEMA, args->schema, err);
    if (!args->grammar) return STATUS_OK;
    return structure_set(structure, STRUCTURE_GRAMMAR, args->grammar, err);
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
    const struct session_options options = {
        .engine = launch->engine,
        .db = launch->db,
        .digest = launch->digest,
        .preamble = text_string(&launch->preamble),
        .source = launch->source.kind == MODEL_NONE ? NULL : &launch->source,
        .chat_template = launch_chat_template(launch),
        .one_shot = launch->once,
        .settings = {.sampler = launch_sampling(launch),
                     .seed_given = args_source(args, "seed") != ARGS_DEFAULT,
                     .max_tokens = args->tokens,
                     .answers = args->samples,
                     .draft = launch_draft_wish(args),
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
    status = launch_structure(args, &launch->session->structure, &err);
    if (status != STATUS_OK) return complain_failed(exit_code_for_file(status), status, &err);
    status = place(launch, &err);
    progress_clear(&launch->reading);
    if (status != STATUS_OK) return complain_failed(exit_code_for_store(status), status, &err);
    launch_say_first_model(launch);
    return EXIT_DONE;
}

void launch_close(struct launch *launch) {
    if (launch->session) front_close(launch->session);
    session_close(launch->session);
    engine_close(launch->engine);
    db_close(launch->db);
    text_deinit(&launch->model);
    text_deinit(&launch->preamble);
    model_source_deinit(&launch->held);
    model_source_deinit(&launch->wanted);
    model_source_deinit(&launch->source);
    held_files_deinit(&launch->files);
    for (size_t i = 0; i < MODEL_PARTS_MAX; i++)
        text_deinit(&launch->texts[i]);
    *launch = (struct launch){0};
}
