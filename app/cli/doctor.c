#include "app/cli/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "app/base/descriptor.h"
#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/base/json.h"
#include "app/base/output.h"
#include "app/base/printable.h"
#include "app/chat/model_template.h"
#include "app/cli/fit.h"
#include "app/cli/kv_disk.h"
#include "app/cli/launch.h"
#include "app/cli/pull.h"
#include "app/cli/remote_model.h"
#include "app/screen/complain.h"
#include "engine/model/checkpoint.h"
#include "engine/model/config_read.h"
#include "engine/tokenizer/tokenizer_json.h"
#include "kernels/backend.h"
#include "kernels/base/clock.h"
#include "kernels/base/size.h"
#include "store/disk_cache/disk_cache.h"

enum { MEASURED_BYTES = 32 << 20, CHUNK_BYTES = 1 << 20 };
static const uint64_t LEAST_FREE_BYTES = UINT64_C(256) << 20;

struct patient {
    const struct args *args;
    const struct config *config;
    struct text folder; // of the database
};

struct finding {
    struct text found; // in a line
    struct text mend;  // what to do; empty: no problem
};

static const char CHOOSE[] = "make it a writable folder, or set QUIRE_HOME to another";

// Can the folder be made in the nearest folder above it that exists?
static bool can_be_made(const char *path) {
    char above[PATH_MAX];
    struct stat info;
    snprintf(above, sizeof above, "%s%s", path[0] == '/' ? "" : "./", path);
    while (lstat(above, &info) != 0 && errno == ENOENT) { // a link to nowhere is in the way
        char *end = strrchr(above, '/');
        end[end == above] = '\0'; // "/" stays
    }
    return access(above, W_OK | X_OK) == 0;
}

static enum status find_folder(const struct patient *patient, struct finding *finding) {
    const char *path = text_string(&patient->folder);
    struct stat info;
    TRY(text_append_string(&finding->found, path));
    if (stat(path, &info) != 0) {
        const int reason = errno;
        if (reason == ENOENT && can_be_made(path))
            return text_append_string(&finding->found, ": not created yet");
        TRY(text_format(&finding->found, ": %s",
                        reason == ENOENT ? "cannot be created" : strerror(reason)));
        return text_append_string(&finding->mend, "check the folders above it, or set QUIRE_HOME");
    }
    if (!S_ISDIR(info.st_mode) || access(path, R_OK | W_OK | X_OK) != 0) {
        TRY(text_append_string(&finding->found, ": not writable"));
        return text_append_string(&finding->mend, CHOOSE);
    }
    if (info.st_uid != geteuid()) {
        TRY(text_append_string(&finding->found, ": owned by another user"));
        return text_append_string(&finding->mend, "use a folder of your own: QUIRE_HOME=DIR");
    }
    if ((info.st_mode & 022) && !(info.st_mode & S_ISVTX)) {
        TRY(text_append_string(&finding->found, ": others can write to it"));
        return text_format(&finding->mend, "chmod go-w '%s'", path);
    }
    return STATUS_OK;
}

static bool is_link(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

static enum status find_database(const struct patient *patient, struct finding *finding) {
    const char *path = text_string(&patient->config->db_path);
    struct db *db = NULL;
    struct error err = {0};
    struct conversation_row *rows = NULL;
    size_t count = 0;
    const struct conversation_query all = {.words = "", .limit = INT32_MAX, .one_shot = true};
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return text_append_string(&finding->found, "no conversations yet");
    enum status status = db_open(path, &db, &err);
    if (status == STATUS_OK) status = db_check(db, &err);
    if (status == STATUS_OK) status = conversation_list(db, &all, &rows, &count, &err);
    db_close(db);
    free(rows);
    if (status == STATUS_OK)
        return text_format(&finding->found, "%zu conversation%s, no damage%s", count,
                           count == 1 ? "" : "s",
                           is_link(path) ? "; it is a link, so protect its real folder too" : "");
    if (status == STATUS_BAD_FILE)
        TRY(text_format(&finding->mend,
                        "sqlite3 '%s' .recover | sqlite3 '%s.saved', then put that in its place; "
                        "if that fails: mv '%s' '%s.old'",
                        path, path, path, path));
    else
        TRY(text_append_string(&finding->mend, "fix that, then run quire doctor again"));
    return text_append_string(&finding->found, err.text[0] ? err.text : status_text(status));
}

static enum status find_cache(const struct patient *patient, struct finding *finding) {
    struct text folder = {0};
    struct disk_cache_report report = {0};
    struct error err = {0};
    char size[SIZE_TEXT_BYTES];
    enum status status = kv_disk_folder(patient->args, patient->config, &folder);
    if (status == STATUS_OK) kv_disk_forget_gone(patient->config, text_string(&folder));
    if (status == STATUS_OK)
        status = disk_cache_check(text_string(&folder), NULL, NULL, &report, &err);
    text_deinit(&folder);
    if (status == STATUS_NOT_FOUND) return text_append_string(&finding->found, "empty");
    if (status != STATUS_OK) {
        TRY(text_append_string(
            &finding->mend, status == STATUS_BAD_FILE
                                ? "quire kv drop; the cache is rebuilt, and no conversation is lost"
                                : "check that folder, or choose another: --kv-dir DIR"));
        return text_append_string(&finding->found, err.text[0] ? err.text : status_text(status));
    }
    if (report.lost > 0 && report.damaged + report.missing == 0) {
        TRY(text_append_string(&finding->mend,
                               "nothing to do: they were dropped and will be recomputed"));
        return text_format(&finding->found,
                           "%" PRIu64 " of %" PRIu64
                           " blocks were unusable because earlier blocks are missing",
                           report.lost, report.lost + report.blocks);
    }
    if (report.damaged + report.missing > 0) {
        TRY(text_append_string(&finding->mend,
                               "they were dropped and will be recomputed; check the disk"));
        return text_format(&finding->found, "%" PRIu64 " of %" PRIu64 " blocks %s damaged",
                           report.damaged + report.missing,
                           report.damaged + report.missing + report.lost + report.blocks,
                           report.damaged + report.missing == 1 ? "was" : "were");
    }
    return text_format(&finding->found, "%" PRIu64 " block%s, %s, all good", report.blocks,
                       report.blocks == 1 ? "" : "s", size_format(report.bytes, size));
}

// Write speed in bytes per second, or 0 with errno set.
static double measure_writing(const char *folder) {
    struct text path = {0};
    char *chunk = calloc(1, CHUNK_BYTES);
    double speed = 0;
    if (chunk && text_format(&path, "%s/.doctor-XXXXXX", folder) == STATUS_OK) {
        const int64_t before_us = clock_now_us();
        const int file = mkostemp(path.bytes, O_CLOEXEC);
        bool whole = file >= 0 && unlink(path.bytes) == 0;
        for (size_t at = 0; whole && at < MEASURED_BYTES; at += CHUNK_BYTES)
            whole = descriptor_write(file, chunk, CHUNK_BYTES);
        whole = whole && fdatasync(file) == 0;
        const int64_t took_us = clock_now_us() - before_us;
        if (whole) speed = MEASURED_BYTES * 1e6 / (double)(took_us > 0 ? took_us : 1);
        if (file >= 0) close(file);
    }
    text_deinit(&path);
    free(chunk);
    return speed;
}

static enum status find_disk(const struct patient *patient, struct finding *finding) {
    const char *folder = text_string(&patient->folder);
    struct statvfs info;
    char size[SIZE_TEXT_BYTES], speed_text[SIZE_TEXT_BYTES];
    if (statvfs(folder, &info) != 0) return text_append_string(&finding->found, "not used yet");
    const uint64_t free_bytes = (uint64_t)info.f_bavail * info.f_frsize;
    const double speed = measure_writing(folder);
    const int cause = errno;
    const bool unwritable = speed <= 0 && cause != ENOSPC && cause != EDQUOT;
    if (free_bytes < LEAST_FREE_BYTES || speed <= 0)
        TRY(text_append_string(&finding->mend,
                               unwritable ? CHOOSE
                                          : "free some space; quire kv drop empties the cache"));
    TRY(text_format(&finding->found, "%s free", size_format(free_bytes, size)));
    if (speed <= 0) return text_format(&finding->found, ", cannot write: %s", strerror(cause));
    return text_format(&finding->found, ", writes %s/s", size_format((uint64_t)speed, speed_text));
}

static enum status find_device(const struct patient *patient, struct finding *finding) {
    const struct device_options options = {.threads = patient->args->threads};
    const struct backend *backend = backend_cuda();
    struct device *device = NULL;
    struct device_info info;
    struct error err = {0};
    char size[SIZE_TEXT_BYTES];
    const char *no_card = backend ? NULL : "no GPU: built without CUDA";
    if (backend && backend->open(&options, &device, &err) != STATUS_OK) {
        no_card = err.text;
        // A machine with a GPU has its device files even if the driver does not work.
        if (access("/dev/nvidiactl", F_OK) == 0)
            TRY(text_append_string(&finding->mend,
                                   "install a newer driver; nvidia-smi shows the installed one"));
    }
    if (!device) {
        struct error why = {0};
        backend = backend_cpu();
        const enum status status = backend->open(&options, &device, &why);
        if (status != STATUS_OK) {
            TRY(text_append_string(&finding->mend, "fix that, then run quire doctor again"));
            return text_append_string(&finding->found,
                                      why.text[0] ? why.text : status_text(status));
        }
    }
    backend->info(device, &info);
    backend->close(device);
    return text_format(&finding->found, "%s, %s free%s%s", info.name,
                       size_format(info.memory_free, size), no_card || info.trial[0] ? "; " : "",
                       no_card ? no_card : info.trial);
}

// Asks the server, with its key, which models it has.
static enum status find_server(const struct patient *patient, const char *name,
                               struct finding *finding) {
    struct remote_model model = {0};
    struct engine *engine = NULL;
    struct engine_info info;
    struct error err = {0};
    enum status status = pull_check_offline(patient->args, name, &err);
    if (status == STATUS_OK) status = remote_model_read(patient->args, name, &model, &err);
    if (status == STATUS_OK)
        status = engine_open(&(struct engine_options){.remote = &model.options}, &engine, &err);
    if (status == STATUS_OK) {
        engine_info(engine, &info);
        status = text_format(&finding->found, "%s, accepts %s%s", info.model_name, info.remote,
                             info.unlisted ? "; the server does not list it" : "");
    } else {
        status = text_append_string(&finding->found, err.text[0] ? err.text : status_text(status));
        if (status == STATUS_OK)
            status = text_append_string(&finding->mend,
                                        "check its URL and key, and that the server is running");
    }
    engine_close(engine);
    remote_model_deinit(&model);
    return status;
}

static enum status find_model(const struct patient *patient, struct finding *finding) {
    const char *name = launch_model_name(patient->args);
    if (remote_model_is(patient->args, name)) return find_server(patient, name, finding);
    struct text path = {0};
    struct gguf *gguf = NULL;
    struct model_config config;
    struct tokenizer *tokenizer = NULL;
    struct chat_template *chat_template = NULL;
    struct error err = {0};
    bool demo = false;
    enum status status = launch_find_model(patient->args, &path, &demo, &err);
    if (status == STATUS_OK) status = checkpoint_open(text_string(&path), &gguf, &err);
    if (status == STATUS_OK) status = model_config_read(gguf, &config, &err);
    if (status == STATUS_OK) status = tokenizer_open_model(gguf, &tokenizer, &err);
    if (status == STATUS_OK && patient->args->chat_templates.count == 0) // else another may count
        status = model_template_create(gguf, tokenizer, NULL, &chat_template, &err);
    chat_template_destroy(chat_template);
    tokenizer_close(tokenizer);
    if (status != STATUS_OK) {
        status = text_append_string(&finding->found, err.text[0] ? err.text : status_text(status));
        if (status == STATUS_OK)
            status = text_append_string(
                &finding->mend,
                "quire models lists what is here; quire inspect FILE shows details");
    } else {
        status = text_format(&finding->found, "%s: %s%s", text_string(&path), config.family,
                             demo ? ", the demo model; for a real one: quire -m FILE.gguf" : "");
    }
    gguf_close(gguf);
    text_deinit(&path);
    return status;
}

static const struct {
    const char *name;
    enum status (*find)(const struct patient *patient, struct finding *finding);
} EXAMINATIONS[] = {
    {"folder", find_folder}, {"database", find_database}, {"cache", find_cache},
    {"disk", find_disk},     {"device", find_device},     {"model", find_model},
};

// "good  database  3 conversations, every page is sound"
static enum status put_finding(const char *name, const struct finding *finding, struct text *out) {
    TRY(text_format(out, "%-5s %-9s ", finding->mend.length ? "WRONG" : "good", name));
    TRY(printable_append(out, text_string(&finding->found), finding->found.length));
    TRY(text_append_string(out, "\n"));
    if (finding->mend.length == 0) return STATUS_OK;
    TRY(text_append_string(out, "      → "));
    TRY(printable_append(out, text_string(&finding->mend), finding->mend.length));
    return text_append_string(out, "\n");
}

// {"name": "database", "good": true, "found": …, "mend": null}
static bool add_json(cJSON *array, const char *name, const struct finding *finding) {
    cJSON *object = cJSON_CreateObject();
    const bool mends = finding->mend.length > 0;
    const bool whole = object && json_add_text(object, "name", name) &&
                       cJSON_AddBoolToObject(object, "good", !mends) &&
                       json_add_text(object, "found", text_string(&finding->found)) &&
                       json_add_text(object, "mend", mends ? finding->mend.bytes : NULL) &&
                       cJSON_AddItemToArray(array, object);
    if (!whole) cJSON_Delete(object);
    return whole;
}

// Prints what was found as an array, or as lines.
static enum status put_json(cJSON *array, bool lines) {
    bool whole = true;
    if (!lines) return json_put(array, false) ? STATUS_OK : STATUS_NO_MEMORY;
    while (cJSON_GetArraySize(array) > 0 && whole)
        whole = json_put(cJSON_DetachItemFromArray(array, 0), true);
    cJSON_Delete(array);
    return whole ? STATUS_OK : STATUS_NO_MEMORY;
}

int doctor_run(const struct args *args, const struct config *config) {
    struct patient patient = {.args = args, .config = config};
    const char *path = text_string(&config->db_path), *slash = strrchr(path, '/');
    enum status status = text_append(&patient.folder, path, slash ? (size_t)(slash - path) : 0);
    const bool text = strcmp(args->format, "text") == 0;
    cJSON *array = text ? NULL : cJSON_CreateArray();
    if (!text && !array) status = STATUS_NO_MEMORY;
    int code = EXIT_DONE;
    for (size_t i = 0; i < sizeof EXAMINATIONS / sizeof EXAMINATIONS[0] && status == STATUS_OK;
         i++) {
        const char *name = EXAMINATIONS[i].name;
        struct finding finding = {0};
        struct text line = {0};
        status = EXAMINATIONS[i].find(&patient, &finding);
        if (status == STATUS_OK && array && !add_json(array, name, &finding))
            status = STATUS_NO_MEMORY;
        if (status == STATUS_OK && text) status = put_finding(name, &finding, &line);
        if (status == STATUS_OK && text) output_write(text_string(&line), line.length);
        if (finding.mend.length) code = EXIT_RUN_TIME;
        text_deinit(&finding.found);
        text_deinit(&finding.mend);
        text_deinit(&line);
    }
    if (status == STATUS_OK && array)
        status = put_json(array, strcmp(args->format, "jsonl") == 0);
    else
        cJSON_Delete(array);
    text_deinit(&patient.folder);
    if (status != STATUS_OK) return complain_failed(EXIT_RUN_TIME, status, NULL);
    return output_exit_code(code);
}
