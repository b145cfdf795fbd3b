#include "app/cli/pull.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/base/output.h"
#include "app/base/path.h"
#include "app/base/signals.h"
#include "app/cli/confirm.h"
#include "app/cli/fit.h"
#include "app/cli/remote_model.h"
#include "app/hub/hub.h"
#include "app/hub/hub_cache.h"
#include "app/screen/complain.h"
#include "app/screen/progress.h"
#include "app/screen/terminal.h"
#include "kernels/base/size.h"

enum { KEY_BYTES = 4096 };

struct pull {
    const struct args *args;
    struct hub_name name;
    struct hub *hub;
    struct hub_listing listing;
    struct hub_machine machine;
    struct hub_model model;
    struct text why;
    uint64_t missing_bytes, before_bytes; // to download; of complete files
    const struct hub_file *file;          // being downloaded
    uint64_t kept_bytes;                  // already there, only hashed
    struct progress progress;
    bool waited; // waited for another program, and said so
};

static volatile sig_atomic_t stopped;

static void on_signal(int number) { stopped = number; }

// ---- the environment, as the hub's client reads it

static bool is_on(const char *variable) {
    static const char *const yes[] = {"1", "on", "yes", "true"};
    const char *value = getenv(variable);
    for (size_t i = 0; value && i < sizeof yes / sizeof yes[0]; i++)
        if (strcasecmp(value, yes[i]) == 0) return true;
    return false;
}

enum status pull_check_offline(const struct args *args, const char *name, struct error *err) {
    const bool hub = hub_name_is(name);
    const char *why = args->offline                          ? "--offline"
                      : hub && is_on("HF_HUB_OFFLINE")       ? "HF_HUB_OFFLINE"
                      : hub && is_on("TRANSFORMERS_OFFLINE") ? "TRANSFORMERS_OFFLINE"
                                                             : NULL;
    if (!why) return STATUS_OK;
    return error_set(err, STATUS_UNSUPPORTED, "%.200s: the network is off (%s)", name, why);
}

// The first word of a file whose path is in the environment; none if there is no such file.
static enum status read_token(struct text *token) {
    static const char *const places[][2] = {{"HF_TOKEN_PATH", ""},
                                            {"HF_HOME", "/token"},
                                            {"XDG_CACHE_HOME", "/huggingface/token"},
                                            {"HOME", "/.cache/huggingface/token"}};
    const char *given = getenv("HF_TOKEN");
    struct text path = {0};
    enum status status = STATUS_OK;
    if (!given || !*given) given = getenv("HUGGING_FACE_HUB_TOKEN");
    if (is_on("HF_HUB_DISABLE_IMPLICIT_TOKEN")) return STATUS_OK;
    if (given && *given) status = text_append_string(token, given);
    for (size_t i = 0; i < sizeof places / sizeof places[0] && !(given && *given); i++) {
        const char *root = getenv(places[i][0]);
        if (!root || !*root) continue;
        status = path_expand(root, &path);
        if (status == STATUS_OK) status = text_append_string(&path, places[i][1]);
        if (status == STATUS_OK && file_read(path.bytes, token, NULL) != STATUS_OK)
            text_clear(token);
        break;
    }
    text_deinit(&path);
    if (!token->length) return status;
    const size_t first = strspn(token->bytes, " \t\r\n");
    token->length = strcspn(token->bytes + first, " \t\r\n");
    memmove(token->bytes, token->bytes + first, token->length);
    token->bytes[token->length] = '\0';
    if (token->length > KEY_BYTES || utf8_has_control(token->bytes, token->length))
        text_clear(token);
    return status;
}

static enum status open_hub(struct pull *pull, struct error *err) {
    const char *url = getenv("HF_ENDPOINT");
    struct text token = {0};
    enum status status = read_token(&token);
    const struct hub_options options = {
        .url = url && *url ? url : "https://huggingface.co",
        .token = token.length ? token.bytes : NULL,
        .certificates = remote_model_certificates(),
    };
    if (status == STATUS_OK) status = hub_open(&options, &pull->hub, err);
    if (token.bytes) explicit_bzero(token.bytes, token.capacity);
    text_deinit(&token);
    return status;
}

// ---- which model

static void print_listing(const struct pull *pull) {
    struct hub_model model;
    char size[SIZE_TEXT_BYTES];
    for (size_t i = 0; hub_listing_model(&pull->listing, i, &model); i++) {
        const bool chosen = model.first == pull->model.first && model.parts == pull->model.parts;
        fprintf(stderr, "%c %-11s %10s  %-9s  %s\n", chosen ? '>' : ' ',
                model.type ? model.type : "", size_format(model.bytes, size),
                hub_model_fits(&model, &pull->machine) ? "fits" : "too large",
                model.parts ? hub_model_path(&pull->listing, &model) : "safetensors");
    }
}

static void count_bytes(struct pull *pull) {
    pull->missing_bytes = pull->before_bytes = 0;
    for (size_t i = 0; i < pull->listing.count; i++) {
        const struct hub_file *file = &pull->listing.files[i];
        if (hub_model_has(&pull->listing, &pull->model, i))
            pull->missing_bytes += file->bytes - hub_cache_bytes(pull->name.repo, file);
    }
}

static enum status choose_files(struct pull *pull, struct error *err) {
    struct fit fit;
    TRY(open_hub(pull, err));
    TRY(hub_list(pull->hub, pull->name.repo, &pull->listing, err));
    const char *backend = pull->args->backend; // of the environment or the config file
    const bool card = strcmp(backend, "auto") == 0 || strcmp(backend, "cuda") == 0;
    if (fit_machine(card, &fit)) pull->machine = (struct hub_machine){fit.memory_free, fit.card};
    TRY(hub_listing_choose(&pull->listing, &pull->name, &pull->machine, &pull->model, &pull->why,
                           err));
    count_bytes(pull);
    return STATUS_OK;
}

static const char *title_of(const struct pull *pull) {
    return pull->model.parts ? hub_model_path(&pull->listing, &pull->model) : pull->name.repo;
}

static enum status check_disk(const struct pull *pull, struct error *err) {
    struct text folder = {0};
    struct statvfs disk;
    char needed[SIZE_TEXT_BYTES], left[SIZE_TEXT_BYTES];
    enum status status = hub_cache_path(pull->name.repo, "blobs/", &folder, err);
    if (status == STATUS_OK) status = hub_cache_make_folders(folder.bytes, err);
    if (status == STATUS_OK && statvfs(folder.bytes, &disk) == 0) {
        const uint64_t available = (uint64_t)disk.f_bavail * disk.f_frsize;
        if (pull->missing_bytes > available)
            status = error_set(err, STATUS_FULL, "%s needs %s, but only %s is free in %.200s",
                               title_of(pull), size_format(pull->missing_bytes, needed),
                               size_format(available, left), folder.bytes);
    }
    text_deinit(&folder);
    return status;
}

// ---- the files

static bool show(void *user, uint64_t done_bytes) {
    enum { FIGURES_COLUMNS = 36 }; // after the name
    struct pull *pull = user;
    struct text name = {0};
    const int columns = terminal_width();
    if (stopped) return false;
    if (pull->args->quiet || pull->model.bytes == 0) return true;
    if (done_bytes <= pull->kept_bytes) pull->progress.begun = false; // hashing has another speed
    if (text_fit(&name, pull->file->path, columns > FIGURES_COLUMNS ? columns - FIGURES_COLUMNS : 8,
                 false) == STATUS_OK)
        progress_show(&pull->progress,
                      &(struct progress_now){.what = name.bytes,
                                             .done = (int64_t)(pull->before_bytes + done_bytes),
                                             .total = (int64_t)pull->model.bytes,
                                             .now_ms = clock_ms(),
                                             .columns = columns});
    text_deinit(&name);
    return true;
}

static bool wait_for_other(void *user) {
    struct pull *pull = user;
    if (!pull->waited && !pull->args->quiet)
        fprintf(stderr, "another program is downloading %s; waiting for it\n", pull->file->path);
    pull->waited = true;
    return !stopped;
}

static enum status download(struct pull *pull, const char *blob, struct error *err) {
    struct text incomplete = {0};
    enum status status = text_format(&incomplete, "%s.incomplete", blob);
    const struct hub_download order = {.repo = pull->name.repo,
                                       .commit = pull->listing.commit,
                                       .file = pull->file,
                                       .path = text_string(&incomplete),
                                       .progress = show,
                                       .user = pull};
    pull->kept_bytes = hub_cache_bytes(pull->name.repo, pull->file);
    if (status == STATUS_OK) status = hub_download(pull->hub, &order, err);
    if (status == STATUS_OK && rename(incomplete.bytes, blob) != 0)
        status = error_set(err, STATUS_IO, "cannot create %.300s", blob);
    text_deinit(&incomplete);
    return status;
}

// With the blob's lock: another program may have completed it meanwhile.
static enum status get_file(struct pull *pull, struct error *err) {
    const struct hub_file *file = pull->file;
    const char *repo = pull->name.repo;
    struct text blob = {0};
    int lock = -1;
    if (hub_cache_is_whole(repo, file)) return STATUS_OK;
    TRY(hub_cache_lock(repo, file->digest, wait_for_other, pull, &lock, err));
    enum status status = hub_cache_path(repo, "blobs/", &blob, err);
    if (status == STATUS_OK) status = text_append_string(&blob, file->digest);
    if (status == STATUS_OK && !hub_cache_is_whole(repo, file))
        status = download(pull, blob.bytes, err);
    text_deinit(&blob);
    close(lock);
    return status;
}

static enum status get_files(struct pull *pull, struct error *err) {
    enum status status = check_disk(pull, err);
    signals_catch(on_signal); // writes what has arrived first
    for (size_t i = 0; i < pull->listing.count && status == STATUS_OK; i++) {
        pull->file = &pull->listing.files[i];
        if (!hub_model_has(&pull->listing, &pull->model, i)) continue;
        status = get_file(pull, err);
        pull->before_bytes += pull->file->bytes;
    }
    signals_catch(SIG_DFL);
    progress_clear(&pull->progress);
    if (status == STATUS_CANCELLED)
        return error_set(err, status, "stopped; run the same command again to continue");
    TRY(status);
    return hub_cache_publish(pull->name.repo, &pull->listing, &pull->model, err);
}

static void close_pull(struct pull *pull) {
    hub_close(pull->hub);
    hub_listing_deinit(&pull->listing);
    text_deinit(&pull->why);
}

static enum status begin(struct pull *pull, const char *name, struct error *err) {
    TRY(hub_name_parse(name, &pull->name, err));
    TRY(pull_check_offline(pull->args, name, err));
    return choose_files(pull, err);
}

static void say_choice(const struct pull *pull) {
    char size[SIZE_TEXT_BYTES];
    fprintf(stderr, "%s, %s%s%s\n", title_of(pull), size_format(pull->model.bytes, size),
            pull->why.length ? ": " : "", text_string(&pull->why));
}

int pull_run(const struct args *args) {
    const char *name = args->operands[0];
    struct pull pull = {.args = args};
    struct text path = {0};
    struct error err = {0};
    enum status status = begin(&pull, name, &err);
    if (status == STATUS_OK && !args->quiet) {
        if (!pull.name.which[0]) print_listing(&pull);
        say_choice(&pull);
    }
    if (status == STATUS_OK) status = get_files(&pull, &err);
    if (status == STATUS_OK)
        status = hub_cache_model(pull.name.repo, &pull.listing, &pull.model, &path, &err);
    if (status == STATUS_OK) status = text_append(&path, "\n", 1);
    if (status == STATUS_OK) output_write(path.bytes, path.length);
    close_pull(&pull);
    text_deinit(&path);
    const int code = status == STATUS_NOT_FOUND ? EXIT_MODEL : exit_code_for(status);
    if (status != STATUS_OK)
        return complain_failed(stopped ? 128 + (int)stopped : code, status, &err);
    return output_exit_code(EXIT_DONE);
}

enum status pull_wanted(const struct args *args, const char *name, struct error *err) {
    struct pull pull = {.args = args};
    char size[SIZE_TEXT_BYTES], question[32];
    enum status status = begin(&pull, name, err);
    if (status == STATUS_OK) {
        say_choice(&pull);
        snprintf(question, sizeof question, "download %s", size_format(pull.missing_bytes, size));
        status = confirm(question) ? get_files(&pull, err)
                                   : error_set(err, STATUS_CANCELLED, "nothing was downloaded");
    }
    close_pull(&pull);
    return status;
}
