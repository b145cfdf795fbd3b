#include "engine/model/adapter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/model/mapped_file.h"
#include "engine/model/peft.h"
#include "kernels/base/assert.h"

bool adapter_is_file(const struct gguf *gguf) { return gguf_says(gguf, "general.type", "adapter"); }

// "/models/poet.gguf" and "/models/poet/" are "poet".
static void set_name(struct adapter *adapter, const char *path) {
    size_t end = strlen(path), begin;
    while (end > 1 && path[end - 1] == '/')
        end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/';)
        begin--;
    if (end - begin > 5 && !memcmp(path + end - 5, ".gguf", 5)) end -= 5;
    size_t length = end - begin;
    if (!utf8_valid(path + begin, length, NULL) || utf8_has_control(path + begin, length)) {
        snprintf(adapter->name, sizeof adapter->name, "unnamed");
        return;
    }
    if (length >= sizeof adapter->name) {
        length = sizeof adapter->name - 1;
        length -= utf8_incomplete_tail(path + begin, length);
    }
    memcpy(adapter->name, path + begin, length);
}

// An adapter's own keys: those of other kinds say what else is to be done.
static enum status check_keys(const struct gguf *gguf, struct error *err) {
    static const char *const known[] = {"adapter.type", "adapter.lora.alpha",
                                        "adapter.lora.task_name"};
    for (size_t i = 0; i < gguf_key_count(gguf); i++) {
        const struct gguf_string name = gguf_key_at(gguf, i).name;
        bool found = !gguf_string_begins(name, "adapter.");
        for (size_t k = 0; k < sizeof known / sizeof known[0] && !found; k++)
            found = gguf_string_is(name, known[k]);
        if (!found)
            return error_set(err, STATUS_UNSUPPORTED, "%s: the key %.*s is not supported",
                             gguf_path(gguf), (int)name.length, name.bytes);
    }
    return STATUS_OK;
}

static enum status read_file(struct adapter *adapter, struct error *err) {
    const struct gguf *gguf = adapter->gguf;
    struct gguf_string family;
    double alpha = 0;
    if (!adapter_is_file(gguf))
        return error_set(err, STATUS_UNSUPPORTED, "%s is not a LoRA adapter", gguf_path(gguf));
    if (!gguf_says(gguf, "adapter.type", "lora"))
        return error_set(err, STATUS_UNSUPPORTED, "%s: unsupported adapter.type (expected lora)",
                         gguf_path(gguf));
    TRY(check_keys(gguf, err));
    gguf_find_float(gguf, "adapter.lora.alpha", &alpha);
    if (!isfinite((float)alpha))
        return error_set(err, STATUS_BAD_FILE, "%s: adapter.lora.alpha is not finite",
                         gguf_path(gguf));
    if (!gguf_find_string(gguf, "general.architecture", &family) ||
        family.length >= sizeof adapter->base)
        return error_set(err, STATUS_BAD_FILE, "%s: general.architecture is missing",
                         gguf_path(gguf));
    memcpy(adapter->base, family.bytes, family.length);
    adapter->alpha = (float)alpha;
    return STATUS_OK;
}

enum status adapter_open(const struct adapter_source *source, struct adapter *result,
                         struct error *err) {
    struct adapter adapter = {.scale = source->scale};
    if (!isfinite(source->scale))
        return error_set(err, STATUS_BAD_INPUT, "%s: the scale must be a finite number",
                         mapped_file_shown(source->path));
    set_name(&adapter, source->path);
    if (peft_is_folder(source->path)) {
        struct peft_config config;
        TRY(peft_open(source->path, &adapter.gguf, &config, err));
        adapter.of_folder = true;
        adapter.alpha = config.alpha;
        adapter.root_of_rank = config.root_of_rank;
        memcpy(adapter.base, config.base, sizeof adapter.base);
    } else {
        TRY(gguf_open(source->path, &adapter.gguf, err));
        const enum status status = read_file(&adapter, err);
        if (status != STATUS_OK) adapter_close(&adapter);
        TRY(status);
    }
    *result = adapter;
    return STATUS_OK;
}

void adapter_close(struct adapter *adapter) {
    gguf_close(adapter->gguf);
    *adapter = (struct adapter){0};
}

int32_t adapter_rank(const struct adapter *adapter) {
    static const char ending[] = ".lora_b";
    int64_t rank = 0;
    for (size_t i = 0; i < gguf_tensor_count(adapter->gguf); i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(adapter->gguf, i);
        const size_t length = tensor->name.length;
        if (length >= sizeof ending && tensor->shape[0] > rank &&
            !memcmp(tensor->name.bytes + length - (sizeof ending - 1), ending, sizeof ending - 1))
            rank = tensor->shape[0];
    }
    return rank < INT32_MAX ? (int32_t)rank : INT32_MAX;
}

enum status adapters_open(const struct adapter_source *sources, int32_t count,
                          struct adapters *adapters, struct error *err) {
    struct adapters opened = {.count = 0};
    enum status status = STATUS_OK;
    if (count > ADAPTER_MAX)
        return error_set(err, STATUS_BAD_INPUT, "too many LoRA adapters (%d, at most %d)",
                         (int)count, ADAPTER_MAX);
    for (int32_t i = 0; i < count && status == STATUS_OK; i++) {
        status = adapter_open(&sources[i], &opened.of[i], err);
        opened.count += status == STATUS_OK;
    }
    if (status == STATUS_OK)
        *adapters = opened;
    else
        adapters_close(&opened);
    return status;
}

void adapters_close(struct adapters *adapters) {
    for (int32_t i = 0; i < adapters->count; i++)
        adapter_close(&adapters->of[i]);
    adapters->count = 0;
}

struct hash128 adapters_identity(const struct adapters *adapters) {
    struct hash128 all = hash_bytes(NULL, 0, 0);
    for (int32_t i = 0; i < adapters->count; i++) {
        const struct adapter *adapter = &adapters->of[i];
        char text[192], before[HASH_HEX_BYTES], digest[HASH_HEX_BYTES];
        const int length =
            snprintf(text, sizeof text, "%s %s %a %a %d %d", hash_hex(all, before),
                     hash_hex(gguf_digest(adapter->gguf), digest), (double)adapter->scale,
                     (double)adapter->alpha, adapter->root_of_rank, adapter->of_folder);
        ASSERT(length > 0 && (size_t)length < sizeof text);
        all = hash_bytes(text, (size_t)length, 0);
    }
    return all;
}

enum status adapters_describe(const struct adapters *adapters, struct text *out) {
    for (int32_t i = 0; i < adapters->count; i++)
        TRY(text_format(out, "%s%s, rank %d, scale %.4g", i ? "; " : "", adapters->of[i].name,
                        (int)adapter_rank(&adapters->of[i]), (double)adapters->of[i].scale));
    return STATUS_OK;
}

void adapters_append_names(const struct adapters *adapters, char *name, size_t size) {
    for (int32_t i = 0; i < adapters->count; i++) {
        const struct adapter *adapter = &adapters->of[i];
        const size_t length = strlen(name);
        char more[ADAPTER_NAME_BYTES + 24];
        snprintf(more, sizeof more, adapter->scale == 1 ? " + %s" : " + %s=%.4g", adapter->name,
                 (double)adapter->scale);
        if (length + strlen(more) < size) memcpy(name + length, more, strlen(more) + 1);
    }
}
