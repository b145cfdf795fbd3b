#include "app/cli/fit.h"

#include <stdio.h>
#include <string.h>

#include "engine/model/kv_shape.h"
#include "kernels/backend.h"
#include "kernels/read_speed.h"

enum { READ_LEAST = 1 << 20, LEAST_CONTEXT = 512 };

static bool is_expert(struct gguf_string name) {
    static const char part[] = ".ffn_";
    for (size_t i = 0; i + sizeof part <= name.length; i++) {
        if (memcmp(name.bytes + i, part, sizeof part - 1) != 0) continue;
        for (size_t j = i; j + 5 <= name.length; j++) // "_exps", or "up.7."
            if (!memcmp(name.bytes + j, "_exps", 5)) return true;
        const char *dot = memchr(name.bytes + i + 1, '.', name.length - i - 1);
        return dot && dot + 1 < name.bytes + name.length && dot[1] >= '0' && dot[1] <= '9';
    }
    return false;
}

struct fit_need fit_need_of(const struct gguf *gguf, const struct fit_need *shape, int64_t experts,
                            int64_t used) {
    struct fit_need need = *shape;
    const bool tied = !gguf_find_tensor(gguf, "output.weight");
    const struct gguf_tensor *embedding = gguf_find_tensor(gguf, "token_embd.weight");
    const struct gguf_tensor *of_layers = gguf_find_tensor(gguf, "per_layer_token_embd.weight");
    need.weight_bytes = need.active_bytes = 0;
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(gguf, i);
        const bool mixed = experts > 0 && used > 0 && used <= experts && is_expert(tensor->name);
        need.weight_bytes += tensor->bytes;
        if ((tensor == embedding && !tied) || tensor == of_layers) continue; // a row of it
        need.active_bytes += mixed ? tensor->bytes / (size_t)experts * (size_t)used : tensor->bytes;
    }
    return need;
}

struct fit_need fit_kv_of(const struct model_config *config, enum dtype kv_type) {
    struct fit_need need = {.context = config->context};
    const struct kv_shape shape = kv_shape_of(config);
    for (int group = 0; group < shape.group_count; group++) {
        const int32_t reach = shape.groups[group].reach;
        const size_t bytes = kv_shape_token_bytes(&shape, group, kv_type);
        if (reach > 0)
            need.windows[need.window_count++] = (struct fit_window){bytes, reach};
        else
            need.kv_token_bytes = bytes;
    }
    return need;
}

struct fit_window fit_windows(const struct fit_need *need) {
    struct fit_window all = {0};
    for (int i = 0; i < need->window_count; i++) {
        all.token_bytes += need->windows[i].token_bytes;
        if (need->windows[i].tokens > all.tokens) all.tokens = need->windows[i].tokens;
    }
    return all;
}

size_t fit_bytes(const struct fit_need *need, int64_t context) {
    size_t bytes = need->weight_bytes + need->kv_token_bytes * (size_t)context;
    for (int i = 0; i < need->window_count; i++) {
        const struct fit_window *window = &need->windows[i];
        bytes +=
            window->token_bytes * (size_t)(context < window->tokens ? context : window->tokens);
    }
    return bytes;
}

// Of the bytes that a token reads, as often as one token follows another; a buffer that no cache
// holds stands for all larger ones.
static double read_speed(const struct backend *backend, struct device *device,
                         const struct device_info *info, size_t token_bytes) {
    const size_t most = read_speed_bytes(info->cache_bytes);
    const size_t bytes = token_bytes > READ_LEAST ? token_bytes : READ_LEAST;
    return read_speed_of(backend, device, bytes < most ? bytes : most);
}

// token_bytes: 0, if the speed does not matter.
static bool measure_on(const struct backend *backend, int32_t threads, size_t token_bytes,
                       struct fit *fit) {
    struct device *device;
    struct device_info info;
    const struct device_options options = {.threads = threads};
    struct error err = {0};
    if (!backend) return false;
    if (backend->open(&options, &device, &err) != STATUS_OK) {
        snprintf(fit->refused, sizeof fit->refused, "%.159s", err.text);
        return false;
    }
    backend->info(device, &info);
    snprintf(fit->machine, sizeof fit->machine, "%s", info.name);
    snprintf(fit->trial, sizeof fit->trial, "%s", info.trial);
    fit->memory_free = info.memory_free;
    fit->card = backend == backend_cuda();
    if (token_bytes > 0)
        fit->tokens_s = read_speed(backend, device, &info, token_bytes) / (double)token_bytes;
    backend->close(device);
    return true;
}

static bool measure_machine(bool card, int32_t threads, size_t token_bytes, struct fit *fit) {
    *fit = (struct fit){0};
    return (card && measure_on(backend_cuda(), threads, token_bytes, fit)) ||
           measure_on(backend_cpu(), threads, token_bytes, fit);
}

bool fit_machine(bool card, struct fit *fit) { return measure_machine(card, 0, 0, fit); }

void fit_measure(const struct fit_need *need, bool card, int32_t threads, struct fit *fit) {
    if (!measure_machine(card, threads, need->active_bytes, fit)) return;
    const struct fit_window windows = fit_windows(need);
    const size_t full = fit_bytes(need, windows.tokens); // windows
    size_t available =
        fit->memory_free > need->weight_bytes ? fit->memory_free - need->weight_bytes : 0;
    size_t each = need->kv_token_bytes + windows.token_bytes;
    if (windows.tokens > 0 && fit->memory_free > full) {
        available = fit->memory_free - full + need->kv_token_bytes * (size_t)windows.tokens;
        each = need->kv_token_bytes;
    }
    const size_t unlimited = need->context > 0 ? (size_t)need->context : 0;
    const size_t tokens = each ? available / each : windows.token_bytes ? unlimited : 0;
    const size_t most = need->context > 0 ? (size_t)need->context : tokens;
    fit->context = (int64_t)(tokens < most ? tokens : most);
    fit->holds =
        fit->context >= LEAST_CONTEXT || (fit->context > 0 && fit->context == need->context);
}
