#include "tests/fault/power.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "tests/fault/change.h"

enum { SECTOR_BYTES = 512, FILES_MAX = 256, NONE = -1 };

struct step {
    struct change change;
    char *path; // then the data
    const uint8_t *data;
    int file; // which one is changed; NONE: a folder
    int over; // which one a renamed file replaces, or NONE
};

struct power {
    struct step *steps;
    uint32_t count;
    int files;
    const char *first_name[FILES_MAX]; // before the first change; NULL: it was not there
};

struct names { // of the files, at some time; NULL: none
    const char *of[FILES_MAX];
};

uint32_t power_draw(uint64_t *random, uint32_t below) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*random >> 33) % below);
}

static bool is_of_names(const struct step *step) { return step->change.kind >= CHANGE_CREATE; }

static void apply_name(struct names *names, const struct step *step) {
    if (step->file == NONE || !is_of_names(step)) return;
    if (step->over != NONE) names->of[step->over] = NULL;
    names->of[step->file] = step->change.kind == CHANGE_CREATE   ? step->path
                            : step->change.kind == CHANGE_RENAME ? (const char *)step->data
                                                                 : NULL;
}

static int find_file(const struct power *power, const struct names *names, const char *path) {
    for (int i = 0; i < power->files; i++)
        if (names->of[i] && strcmp(names->of[i], path) == 0) return i;
    return NONE;
}

static int find_or_add(struct power *power, struct names *names, const char *path, bool is_new) {
    const int found = is_new ? NONE : find_file(power, names, path);
    if (found != NONE) return found;
    ASSERT(power->files < FILES_MAX);
    power->first_name[power->files] = is_new ? NULL : path;
    names->of[power->files] = path;
    return power->files++;
}

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool read_step(FILE *file, struct step *step) {
    if (fread(&step->change, sizeof step->change, 1, file) != 1) return false;
    const size_t path = step->change.path_bytes, data = step->change.data_bytes;
    step->path = calloc(1, path + 1 + data + 1);
    ASSERT(step->path && fread(step->path, 1, path, file) == path);
    ASSERT(fread(step->path + path + 1, 1, data, file) == data);
    step->data = (const uint8_t *)step->path + path + 1;
    return true;
}

struct power *power_read(const char *record) {
    struct power *power = calloc(1, sizeof *power);
    struct names names = {0};
    struct step step;
    FILE *file = fopen(record, "rb");
    ASSERT(power && file);
    while (read_step(file, &step)) {
        const enum change_kind kind = step.change.kind;
        step.file = step.over = NONE;
        if (kind == CHANGE_RENAME) step.over = find_file(power, &names, (const char *)step.data);
        if (kind != CHANGE_MKDIR && !(kind == CHANGE_SYNC && is_folder(step.path)))
            step.file = find_or_add(power, &names, step.path, kind == CHANGE_CREATE);
        apply_name(&names, &step);
        power->steps = realloc(power->steps, (power->count + 1) * sizeof step);
        ASSERT(power->steps);
        power->steps[power->count++] = step;
    }
    fclose(file);
    return power;
}

void power_free(struct power *power) {
    if (!power) return;
    for (uint32_t i = 0; i < power->count; i++)
        free(power->steps[i].path);
    free(power->steps);
    free(power);
}

uint32_t power_changes(const struct power *power) { return power->count; }

static bool syncs_name(const struct step *sync, const struct step *step) {
    const size_t length = strlen(sync->path);
    return sync->change.kind == CHANGE_SYNC && sync->file == NONE &&
           strncmp(sync->path, step->path, length) == 0 && step->path[length] == '/' &&
           !strchr(step->path + length + 1, '/');
}

// Names are kept in the order in which they were changed: at least as far as this.
static uint32_t names_synced(const struct power *power, uint32_t changes) {
    for (uint32_t last = changes; last > 0; last--)
        for (uint32_t i = last; is_of_names(&power->steps[last - 1]) && i < changes; i++)
            if (syncs_name(&power->steps[i], &power->steps[last - 1])) return last;
    return 0;
}

static void make_name(const struct step *step) {
    int result = 0;
    if (step->change.kind == CHANGE_CREATE)
        result = close(open(step->path, O_WRONLY | O_CREAT, 0600));
    if (step->change.kind == CHANGE_MKDIR) result = mkdir(step->path, 0700);
    if (step->change.kind == CHANGE_UNLINK) result = unlink(step->path);
    if (step->change.kind == CHANGE_RENAME) result = rename(step->path, (const char *)step->data);
    ASSERT(result == 0);
}

static void write_at(int file, const uint8_t *bytes, size_t length, uint64_t offset) {
    ASSERT(pwrite(file, bytes, length, (off_t)offset) == (ssize_t)length);
}

static void punch(int file, uint64_t offset, uint64_t length) {
    static const uint8_t zeros[1 << 16];
    struct stat info;
    ASSERT(fstat(file, &info) == 0);
    const uint64_t size = (uint64_t)info.st_size;
    const uint64_t end = offset + length < size ? offset + length : size;
    while (offset < end) {
        const uint64_t part = end - offset < sizeof zeros ? end - offset : sizeof zeros;
        write_at(file, zeros, part, offset);
        offset += part;
    }
}

static void resize(int file, const struct change *change) {
    struct stat info;
    ASSERT(fstat(file, &info) == 0);
    if (change->kind == CHANGE_EXTEND && (uint64_t)info.st_size >= change->offset) return;
    ASSERT(ftruncate(file, (off_t)change->offset) == 0);
}

// Of a write that was not synced. `kept` of 8 sectors are, on the average, and some of the rest are
// torn.
static void write_torn(int file, const struct step *step, uint32_t kept, uint64_t *random) {
    const uint64_t begin = step->change.offset, end = begin + step->change.data_bytes;
    for (uint64_t at = begin; at < end;) {
        uint64_t next = (at / SECTOR_BYTES + 1) * SECTOR_BYTES;
        if (next > end) next = end;
        const uint32_t length = (uint32_t)(next - at);
        if (power_draw(random, 8) < kept)
            write_at(file, step->data + (at - begin), length, at);
        else if (kept > 0 && power_draw(random, 4) == 0)
            write_at(file, step->data + (at - begin), power_draw(random, length + 1), at);
        at = next;
    }
}

static void make_step(const struct step *step, const char *path, bool synced, uint32_t kept,
                      uint64_t *random) {
    const int file = open(path, O_RDWR);
    if (file < 0) return; // it has no name any more
    if (step->change.kind == CHANGE_WRITE && !synced)
        write_torn(file, step, kept, random);
    else if (!synced && power_draw(random, 8) >= kept)
        ;
    else if (step->change.kind == CHANGE_WRITE)
        write_at(file, step->data, step->change.data_bytes, step->change.offset);
    else if (step->change.kind == CHANGE_PUNCH)
        punch(file, step->change.offset, step->change.length);
    else if (step->change.kind != CHANGE_SYNC)
        resize(file, &step->change);
    close(file);
}

void power_cut(const struct power *power, uint32_t changes, uint64_t *random) {
    struct names names;
    uint32_t synced[FILES_MAX] = {0}; // of each file, the changes before its last sync
    ASSERT(changes <= power->count);
    const uint32_t least = names_synced(power, changes);
    const uint32_t most = least + power_draw(random, changes - least + 1);
    const uint32_t kept = power_draw(random, 9);
    memcpy(names.of, power->first_name, sizeof names.of);
    for (uint32_t i = 0; i < most; i++) {
        if (is_of_names(&power->steps[i])) make_name(&power->steps[i]);
        apply_name(&names, &power->steps[i]);
    }
    for (uint32_t i = 0; i < changes; i++)
        if (power->steps[i].change.kind == CHANGE_SYNC && power->steps[i].file != NONE)
            synced[power->steps[i].file] = i;
    for (uint32_t i = 0; i < changes; i++) {
        const struct step *step = &power->steps[i];
        const char *path = step->file == NONE || is_of_names(step) ? NULL : names.of[step->file];
        if (path) make_step(step, path, i < synced[step->file], kept, random);
    }
}
