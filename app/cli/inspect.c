#include "app/cli/inspect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/base/json.h"
#include "app/base/output.h"
#include "app/base/printable.h"
#include "app/chat/model_template.h"
#include "app/cli/fit.h"
#include "app/cli/launch.h"
#include "app/screen/complain.h"
#include "engine/engine.h"
#include "engine/model/checkpoint.h"
#include "engine/model/config_read.h"
#include "engine/model/family.h"
#include "engine/model/kv_shape.h"
#include "engine/model/metadata.h"
#include "engine/model/model.h"
#include "engine/tokenizer/tokenizer_json.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "kernels/kv_cache.h"
#include "prompts/template.h"

enum {
    TYPES_MOST = 48, // most types in a file
    VALUE_SHOWN_BYTES = 60,
    KV_ELEMENT_BYTES = 2, // 16-bit keys and values
};

struct type_count {
    uint32_t file_type;
    int64_t tensors;
    size_t bytes; // 0: unknown
};

// Facts about the file; -1 if unknown.
struct facts {
    const struct gguf *gguf;
    struct text name, family, tokenizer, template_name, adapter, verdict; // made printable
    const char *tier;                                                     // of the family; or NULL
    bool runs, shaped;               // could its configuration be read?
    bool told;                       // did options say how to open it?
    struct launch_adapters adapters; // to be opened with it
    struct model_config config;
    enum dtype kv_type;
    int64_t parameters, context, layers, heads, kv_heads, head_size, ffn, dim, vocabulary;
    struct type_count types[TYPES_MOST];
    size_t type_count;
    int64_t experts, experts_used;
    struct fit_need need;
    struct fit fit;
    char placement[PLACEMENT_TEXT_BYTES]; // of weights that would be in two places; else ""
};

enum { CONTEXTS = 3 };
static const int64_t contexts[CONTEXTS] = {4096, 32768, 131072};

static void facts_deinit(struct facts *facts) {
    text_deinit(&facts->name);
    text_deinit(&facts->family);
    text_deinit(&facts->tokenizer);
    text_deinit(&facts->template_name);
    text_deinit(&facts->adapter);
    text_deinit(&facts->verdict);
    launch_adapters_deinit(&facts->adapters);
}

static int64_t find_figure(const struct gguf *gguf, struct gguf_string family, const char *key) {
    struct metadata metadata = {.gguf = gguf, .folder = gguf_config(gguf), .family = ""};
    char name[GGUF_MAX_NAME_BYTES];
    int64_t value;
    if (metadata.folder)
        return metadata_find_int(&metadata, key, &value) && value >= 0 ? value : -1;
    const int length =
        snprintf(name, sizeof name, "%.*s.%s", (int)family.length, family.bytes, key);
    if (length < 0 || (size_t)length >= sizeof name) return -1;
    return gguf_find_int(gguf, name, &value) && value >= 0 ? value : -1;
}

static void count_tensors(struct facts *facts) {
    for (size_t i = 0; i < gguf_tensor_count(facts->gguf); i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(facts->gguf, i);
        int64_t elements = 1; // exact for one tensor; the sum is what the header claims
        for (int32_t d = 0; d < tensor->dims; d++)
            elements *= tensor->shape[d];
        if (__builtin_add_overflow(facts->parameters, elements, &facts->parameters))
            facts->parameters = INT64_MAX;
        size_t t = 0;
        while (t < facts->type_count && facts->types[t].file_type != tensor->file_type)
            t++;
        if (t == TYPES_MOST) continue;
        if (t == facts->type_count)
            facts->types[facts->type_count++] = (struct type_count){tensor->file_type, 0, 0};
        facts->types[t].tensors++;
        facts->types[t].bytes += tensor->bytes;
    }
}

static enum status read_shape(struct facts *facts) {
    const struct gguf *gguf = facts->gguf;
    struct gguf_string name = {"", 0}, family = {"", 0};
    struct gguf_array tokens;
    gguf_find_string(gguf, "general.name", &name);
    gguf_find_string(gguf, "general.architecture", &family);
    if (family.length > GGUF_MAX_NAME_BYTES) family.length = GGUF_MAX_NAME_BYTES;
    const struct family *known = family_find(family.bytes, family.length);
    if (known) facts->tier = family_tier(known);
    TRY(printable_append(&facts->name, name.bytes, name.length));
    TRY(printable_append(&facts->family, family.bytes, family.length));
    facts->context = find_figure(gguf, family, "context_length");
    facts->layers = find_figure(gguf, family, "block_count");
    facts->heads = find_figure(gguf, family, "attention.head_count");
    facts->kv_heads = find_figure(gguf, family, "attention.head_count_kv");
    facts->head_size = find_figure(gguf, family, "attention.key_length");
    facts->ffn = find_figure(gguf, family, "feed_forward_length");
    facts->dim = find_figure(gguf, family, "embedding_length");
    facts->experts = find_figure(gguf, family, "expert_count");
    facts->experts_used = find_figure(gguf, family, "expert_used_count");
    if (facts->kv_heads < 0) facts->kv_heads = facts->heads;
    if (facts->head_size < 0 && facts->heads > 0 && facts->dim > 0)
        facts->head_size = facts->dim / facts->heads;
    const bool listed = gguf_find_array(gguf, "tokenizer.ggml.tokens", &tokens);
    facts->vocabulary = listed ? (int64_t)tokens.count : find_figure(gguf, family, "vocab_size");
    return STATUS_OK;
}

static enum status append_error(struct text *out, const struct error *err) {
    return printable_append(out, err->text, strlen(err->text));
}

// Sets *chats: can the model be asked as its template wants it?
static enum status append_template(struct facts *facts, const struct tokenizer *tokenizer,
                                   bool *chats, struct error *err) {
    struct chat_template *chat_template = NULL;
    *chats = model_template_create(facts->gguf, tokenizer, NULL, &chat_template, err) == STATUS_OK;
    if (!*chats) return append_error(&facts->template_name, err);
    const char *guess = chat_template_guessed(chat_template) ? " (a guess: the file has none)" : "";
    const enum status status =
        text_format(&facts->template_name, "%s%s", chat_template_name(chat_template), guess);
    chat_template_destroy(chat_template);
    return status;
}

static enum status read_tokenizer(struct facts *facts, struct tokenizer **tokenizer,
                                  struct error *err) {
    if (tokenizer_open_model(facts->gguf, tokenizer, err) == STATUS_OK) {
        const char *description = tokenizer_description(*tokenizer);
        return printable_append(&facts->tokenizer, description, strlen(description));
    }
    TRY(text_append_string(&facts->tokenizer, "not supported: "));
    return append_error(&facts->tokenizer, err);
}

// Checks the types and shapes of all weights and adapters, as opening the model does. The reference
// backend is used, because it reads matrices where they lie in the file.
static enum status check_weights(const struct facts *facts, const struct tokenizer *tokenizer,
                                 struct error *err) {
    const struct backend *backend = backend_reference();
    struct model model = {0};
    struct device *device = NULL;
    struct adapters adapters = {.count = 0};
    TRY(backend->open(&(struct device_options){0}, &device, err));
    enum status status =
        adapters_open(facts->adapters.sources, facts->adapters.count, &adapters, err);
    const struct model_options how = {.backend = backend, .device = device, .adapters = &adapters};
    if (status == STATUS_OK) status = model_open(&model, facts->gguf, &how, err);
    if (status == STATUS_OK && tokenizer_vocabulary(tokenizer) > model.config.vocabulary)
        status =
            error_set(err, STATUS_BAD_FILE, "the tokenizer has more tokens than the embedding");
    if (model.layers) model_close(&model);
    adapters_close(&adapters);
    backend->close(device);
    return status;
}

// Would it run, and if not, why? Begins with what kind of file it is, because the rest may follow
// from that.
static enum status read_verdict(struct facts *facts) {
    struct error shape = {0}, of_tokenizer = {0}, of_template = {0}, weights = {0};
    struct tokenizer *tokenizer = NULL;
    facts->shaped = model_config_read(facts->gguf, &facts->config, &shape) == STATUS_OK;
    enum status status = read_tokenizer(facts, &tokenizer, &of_tokenizer);
    const bool empty = gguf_tensor_count(facts->gguf) == 0, tokenizes = tokenizer != NULL;
    bool chats = true;
    if (status == STATUS_OK) status = append_template(facts, tokenizer, &chats, &of_template);
    facts->runs = facts->shaped && tokenizes && chats && !empty &&
                  check_weights(facts, tokenizer, &weights) == STATUS_OK;
    tokenizer_close(tokenizer);
    TRY(status);
    if (facts->runs) return text_append_string(&facts->verdict, "yes");
    TRY(text_append_string(&facts->verdict, "no: "));
    if (empty) return text_append_string(&facts->verdict, "the file has no weights");
    if (!facts->shaped) return append_error(&facts->verdict, &shape);
    if (!tokenizes) return text_append_string(&facts->verdict, "its tokenizer is not supported");
    return append_error(&facts->verdict, chats ? &weights : &of_template);
}

// Reads what kind of adapter it is, and for which model.
static enum status read_adapter(struct facts *facts, const struct adapter *adapter,
                                const char *path) {
    char alpha[64] = "";
    if (adapter->alpha != 0)
        snprintf(alpha, sizeof alpha, ", alpha %.9g%s", (double)adapter->alpha,
                 adapter->root_of_rank ? ", scaled by the square root of the rank" : "");
    if (facts->name.length == 0) TRY(text_append_string(&facts->name, adapter->name));
    TRY(text_format(&facts->adapter, "LoRA, rank %" PRId32 "%s, for %s", adapter_rank(adapter),
                    alpha, adapter->of_folder ? "" : "models of family "));
    TRY(printable_append(&facts->adapter, adapter->base[0] ? adapter->base : "a model",
                         strlen(adapter->base[0] ? adapter->base : "a model")));
    TRY(text_append_string(&facts->verdict, "with its model: quire -m MODEL --lora "));
    return printable_append(&facts->verdict, path, strlen(path));
}

// The first attention layer with (or without) a window; else the first of all.
static const struct layer_spec *example_of(const struct model_config *config, bool window) {
    const struct layer_spec *first = NULL;
    for (int32_t i = 0; i < config->layers; i++) {
        const struct layer_spec *spec = &config->specs[i];
        if (spec->mixer != MIXER_ATTENTION) continue;
        if ((spec->attention.window > 0) == window) return spec;
        if (!first) first = spec;
    }
    return first;
}

static bool has_two_shapes(const struct model_config *config) {
    const struct attention_spec *one = &example_of(config, false)->attention;
    const struct attention_spec *other = &example_of(config, true)->attention;
    return one->kv_heads != other->kv_heads || one->head_size != other->head_size;
}

// If layers have two shapes, the file contains lists. Shows the values of layers without a window,
// and the widest feed-forward.
static void read_mixed(struct facts *facts) {
    if (facts->shaped) facts->context = facts->config.context; // quire may use less of it
    if (facts->shaped) facts->layers = model_config_blocks(&facts->config); // drafters excluded
    if (!facts->shaped) return;
    const struct attention_spec *global = &example_of(&facts->config, false)->attention;
    facts->kv_heads = global->kv_heads; // a hybrid's list contains zeros
    facts->head_size = global->head_size;
    if (has_two_shapes(&facts->config)) facts->ffn = model_config_maxima(&facts->config).ffn;
}

// Bytes per token of layers with full attention, if the shape is known.
static int64_t kv_bytes(const struct facts *facts) {
    if (facts->shaped) return (int64_t)fit_kv_of(&facts->config, facts->kv_type).kv_token_bytes;
    size_t bytes = (size_t)2 * KV_ELEMENT_BYTES;
    const int64_t factors[] = {facts->layers, facts->kv_heads, facts->head_size};
    for (size_t i = 0; i < 3; i++)
        if (factors[i] < 0 || !size_mul(bytes, (size_t)factors[i], &bytes)) return -1;
    return bytes <= INT64_MAX ? (int64_t)bytes : -1;
}

static enum status read_fit(struct facts *facts, const struct args *args) {
    const int64_t token = facts->shaped ? 0 : kv_bytes(facts);
    struct fit_need shape = {.kv_token_bytes = token > 0 ? (size_t)token : 0};
    const bool measured = strcmp(args->backend, "reference") != 0;
    if (facts->shaped) shape = fit_kv_of(&facts->config, facts->kv_type);
    shape.context = facts->context;
    facts->need = fit_need_of(facts->gguf, &shape, facts->experts, facts->experts_used);
    fit_measure(&facts->need, true, args->threads, &facts->fit);
    if (!facts->runs || facts->fit.machine[0] || !measured) return STATUS_OK;
    facts->runs = false; // nothing here could compute it
    text_clear(&facts->verdict);
    return text_format(&facts->verdict, "no: %s", facts->fit.refused);
}

static bool has_options(const struct args *args) {
    static const char *const NAMES[] = {"backend",   "ctx",           "device-memory", "ngl",
                                        "n-cpu-moe", "deterministic", "block-size",    "kv-type",
                                        "kv-device", "attention",     "draft",         "speculate",
                                        "lora"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (args_source(args, NAMES[i]) != ARGS_DEFAULT) return true;
    return false;
}

// What opening with these options would say, if there are any or a card has a part in it: the model
// fits, or runs with weights in two places, or on the processor, or not at all.
static enum status read_placement(struct facts *facts, const struct args *args, const char *path,
                                  const struct config *config) {
    struct engine_options options = launch_engine_options(args, config);
    struct engine_forecast forecast;
    struct error err = {0};
    struct text drafter = {0};
    facts->told = has_options(args);
    if (!facts->runs || (!facts->fit.card && !facts->told)) return STATUS_OK;
    enum status status = launch_find_drafter(args, &drafter, &err);
    options.model_path = path;
    options.draft_path = drafter.length ? text_string(&drafter) : NULL;
    options.adapters = facts->adapters.sources;
    options.adapter_count = facts->adapters.count;
    if (status == STATUS_OK) status = engine_predict(&options, &forecast, &err);
    text_deinit(&drafter);
    if (status != STATUS_OK) {
        const size_t length = strlen(path);
        const bool named =
            strncmp(err.text, path, length) == 0 && strncmp(err.text + length, ": ", 2) == 0;
        facts->runs = false;
        if (status == STATUS_NO_MEMORY) facts->fit.holds = false;
        if (status == STATUS_NO_MEMORY && args->device_bytes &&
            args->device_bytes < facts->fit.memory_free)
            facts->fit.memory_free = args->device_bytes;
        text_clear(&facts->verdict);
        TRY(text_append_string(&facts->verdict, "no: "));
        const char *why = named ? err.text + length + 2 : err.text;
        return printable_append(&facts->verdict, why, strlen(why));
    }
    if (facts->fit.card && !forecast.on_card)
        fit_measure(&facts->need, false, args->threads, &facts->fit);
    const bool placed = forecast.placement[0] || forecast.on_card || args->device_bytes ||
                        placement_is_overridden(&options.placement);
    if (placed) facts->fit.holds = true; // else it is as a processor's fit says
    if (placed || facts->told) facts->fit.context = forecast.context;
    if (!forecast.placement[0]) return STATUS_OK;
    snprintf(facts->placement, sizeof facts->placement, "%s", forecast.placement);
    facts->fit.tokens_s = forecast.tokens_s;
    return STATUS_OK;
}

static enum status put_text(struct text *out, const char *label, const char *value) {
    return *value ? text_format(out, "%-16s %s\n", label, value) : STATUS_OK;
}

static enum status put_figure(struct text *out, const char *label, int64_t value) {
    char digits[COUNT_TEXT_BYTES];
    return value < 0 ? STATUS_OK : put_text(out, label, count_format(value, digits));
}

static enum status put_bytes(struct text *out, const char *label, int64_t bytes) {
    char size[SIZE_TEXT_BYTES];
    return bytes < 0 ? STATUS_OK : put_text(out, label, size_format((size_t)bytes, size));
}

// "4; 16 in layers with a window"
static enum status put_of_both(struct text *out, const char *label, int64_t value, int64_t window) {
    char digits[COUNT_TEXT_BYTES], others[COUNT_TEXT_BYTES];
    if (value == window) return put_figure(out, label, value);
    return text_format(out, "%-16s %s; %s in layers with a window\n", label,
                       count_format(value, digits), count_format(window, others));
}

static enum status put_heads(struct text *out, const struct facts *facts) {
    const bool mixed = facts->shaped && has_two_shapes(&facts->config);
    const struct attention_spec *window =
        mixed ? &example_of(&facts->config, true)->attention : NULL;
    TRY(put_of_both(out, "KV heads", facts->kv_heads, mixed ? window->kv_heads : facts->kv_heads));
    return put_of_both(out, "head size", facts->head_size,
                       mixed ? window->head_size : facts->head_size);
}

// "20 KiB, plus 100 KiB for the last 1,024 tokens, plus a state of 64 KiB"
static enum status put_kv(struct text *out, const struct facts *facts) {
    if (!facts->shaped) return put_bytes(out, "KV per token", kv_bytes(facts));
    const struct kv_shape shape = kv_shape_of(&facts->config);
    TRY(text_format(out, "%-16s ", "KV per token"));
    for (int group = 0; group < shape.group_count; group++) {
        char bytes[SIZE_TEXT_BYTES], digits[COUNT_TEXT_BYTES];
        const char *tokens = count_format(shape.groups[group].reach, digits);
        size_format(kv_shape_token_bytes(&shape, group, facts->kv_type), bytes);
        if (group > 0) TRY(text_append_string(out, ", plus "));
        switch (shape.groups[group].kind) {
        case CACHE_FULL:
            TRY(text_append_string(out, bytes));
            break;
        case CACHE_WINDOW:
            TRY(text_format(out, "%s%s for the last %s tokens%s", bytes, group ? "" : ",", tokens,
                            group ? "" : " only"));
            break;
        case CACHE_STATE:
            TRY(text_format(out, "a state of %s", bytes));
            break;
        }
    }
    return text_append_string(out, "\n");
}

static enum status put_types(struct text *out, const struct facts *facts) {
    for (size_t i = 0; i < facts->type_count; i++) {
        const struct type_count *type = &facts->types[i];
        char size[SIZE_TEXT_BYTES];
        TRY(text_format(out, "%-16s %-8s %5" PRId64 " tensors  %s\n", i ? "" : "types",
                        gguf_type_name(type->file_type), type->tensors,
                        type->bytes ? size_format(type->bytes, size) : "unknown size"));
    }
    return STATUS_OK;
}

// "1.2 GiB; 1.6 GiB with 4,096 tokens, …"
static enum status put_memory(struct text *out, const struct facts *facts) {
    char size[SIZE_TEXT_BYTES], digits[COUNT_TEXT_BYTES];
    if (facts->need.weight_bytes == 0) return STATUS_OK;
    TRY(text_format(out, "%-16s %s", "memory", size_format(facts->need.weight_bytes, size)));
    for (int i = 0; i < CONTEXTS && facts->need.kv_token_bytes; i++) {
        const bool last = facts->context > 0 && contexts[i] >= facts->context;
        const int64_t context = last ? facts->context : contexts[i];
        TRY(text_format(out, "%s %s with %s tokens", i ? "," : ";",
                        size_format(fit_bytes(&facts->need, context), size),
                        count_format(context, digits)));
        if (last) break;
    }
    return text_append_string(out, "\n");
}

// "; at most about 34 tokens/s"
static enum status put_speed(struct text *out, double tokens_s) {
    char digits[COUNT_TEXT_BYTES];
    if (tokens_s <= 0) return STATUS_OK; // unknown
    if (tokens_s < 10) return text_format(out, "; at most about %.1f tokens/s", tokens_s);
    return text_format(out, "; at most about %s tokens/s",
                       count_format((int64_t)(tokens_s + 0.5), digits));
}

// "fits, with 40,960 tokens of context; at most about 34 tokens/s (AMD EPYC, 2 threads, avx2)"
static enum status put_fit(struct text *out, const struct facts *facts) {
    const struct fit *fit = &facts->fit;
    char free_text[SIZE_TEXT_BYTES], digits[COUNT_TEXT_BYTES];
    if (!fit->machine[0] || facts->need.weight_bytes == 0) return STATUS_OK;
    TRY(text_format(out, "%-16s ", "here"));
    if (facts->placement[0])
        TRY(text_append_string(out, facts->placement));
    else if (fit->holds)
        TRY(text_format(out, "fits, with %s tokens of context",
                        count_format(fit->context, digits)));
    else
        TRY(text_format(out, "does not fit%s: %s of memory is free%s",
                        facts->told && !facts->runs ? " with these options" : "",
                        size_format(fit->memory_free, free_text),
                        facts->runs ? ", so it would be slow" : ""));
    if (!facts->placement[0] && fit->holds) TRY(put_speed(out, fit->tokens_s));
    return text_format(out, " (%s)\n", fit->machine);
}

// -1: a folder, which is no GGUF file.
static int64_t version_of(const struct gguf *gguf) {
    struct stat info;
    const bool folder = stat(gguf_path(gguf), &info) == 0 && S_ISDIR(info.st_mode);
    return folder ? -1 : (int64_t)gguf_version(gguf);
}

static enum status put_facts(struct text *out, const struct facts *facts) {
    TRY(put_text(out, "name", text_string(&facts->name)));
    TRY(put_text(out, "family", text_string(&facts->family)));
    if (facts->tier)
        TRY(text_format(out, "%-16s %s, %s\n", "tier", facts->tier,
                        strcmp(facts->tier, "measured") == 0
                            ? "answers and speed on a card and a processor"
                            : "answers against another implementation"));
    TRY(put_text(out, "adapter", text_string(&facts->adapter)));
    TRY(put_figure(out, "parameters", facts->parameters));
    TRY(put_bytes(out, "file size", (int64_t)gguf_file_bytes(facts->gguf)));
    TRY(put_figure(out, "GGUF version", version_of(facts->gguf)));
    TRY(put_figure(out, "context", facts->context));
    TRY(put_figure(out, "layers", facts->layers));
    TRY(put_figure(out, "width", facts->dim));
    TRY(put_figure(out, "heads", facts->heads));
    TRY(put_heads(out, facts));
    TRY(put_figure(out, "feed-forward", facts->ffn));
    TRY(put_figure(out, "vocabulary", facts->vocabulary));
    TRY(put_text(out, "tokenizer", text_string(&facts->tokenizer)));
    TRY(put_text(out, "chat template", text_string(&facts->template_name)));
    TRY(put_kv(out, facts));
    TRY(put_figure(out, "experts", facts->experts));
    TRY(put_types(out, facts));
    TRY(put_memory(out, facts));
    TRY(put_fit(out, facts));
    if (facts->fit.trial[0]) TRY(text_format(out, "%-16s %s\n", "card", facts->fit.trial));
    return put_text(out, "runs here", text_string(&facts->verdict));
}

static enum status put_value(struct text *out, const struct gguf *gguf, const char *name,
                             enum gguf_type type) {
    int64_t whole;
    double number;
    bool fact;
    struct gguf_string string;
    struct gguf_array array;
    if (gguf_find_bool(gguf, name, &fact)) return text_append_string(out, fact ? "true" : "false");
    if (gguf_find_int(gguf, name, &whole)) return text_format(out, "%" PRId64, whole);
    if (gguf_find_float(gguf, name, &number)) return text_format(out, "%.9g", number);
    if (gguf_find_string(gguf, name, &string)) {
        const bool cut = string.length > VALUE_SHOWN_BYTES;
        TRY(printable_append(out, string.bytes, cut ? VALUE_SHOWN_BYTES : string.length));
        return cut ? text_format(out, "… (%zu bytes)", string.length) : STATUS_OK;
    }
    if (gguf_find_array(gguf, name, &array)) return text_format(out, "%zu values", array.count);
    return text_format(out, "type %d", (int)type);
}

static enum status put_keys(struct text *out, const struct gguf *gguf) {
    TRY(text_append_string(out, "\nkeys\n"));
    for (size_t i = 0; i < gguf_key_count(gguf); i++) {
        const struct gguf_key key = gguf_key_at(gguf, i);
        char name[GGUF_MAX_NAME_BYTES + 1];
        snprintf(name, sizeof name, "%.*s", (int)key.name.length, key.name.bytes);
        TRY(text_append_string(out, "  "));
        TRY(printable_append(out, key.name.bytes, key.name.length));
        TRY(text_append_string(out, " = "));
        TRY(put_value(out, gguf, name, key.type));
        TRY(text_append_string(out, "\n"));
    }
    return STATUS_OK;
}

static enum status put_tensors(struct text *out, const struct gguf *gguf) {
    TRY(text_append_string(out, "\ntensors\n"));
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(gguf, i);
        TRY(text_append_string(out, "  "));
        TRY(printable_append(out, tensor->name.bytes, tensor->name.length));
        TRY(text_format(out, "  %s [", gguf_type_name(tensor->file_type)));
        for (int32_t d = 0; d < tensor->dims; d++)
            TRY(text_format(out, "%s%" PRId64, d ? ", " : "", tensor->shape[d]));
        TRY(text_append_string(out, "]\n"));
    }
    return STATUS_OK;
}

static enum status print_text(const struct facts *facts, bool everything) {
    struct text out = {0};
    enum status status = put_facts(&out, facts);
    if (status == STATUS_OK && everything) status = put_keys(&out, facts->gguf);
    if (status == STATUS_OK && everything) status = put_tensors(&out, facts->gguf);
    if (status == STATUS_OK) output_write(text_string(&out), out.length);
    text_deinit(&out);
    return status;
}

static bool add_figure(cJSON *object, const char *name, int64_t value) {
    if (value < 0) return cJSON_AddNullToObject(object, name) != NULL;
    return cJSON_AddNumberToObject(object, name, (double)value) != NULL;
}

static bool add_speed(cJSON *object, const char *name, double tokens_s) {
    if (tokens_s <= 0) return cJSON_AddNullToObject(object, name) != NULL; // unknown
    return cJSON_AddNumberToObject(object, name, tokens_s) != NULL;
}

static bool add_text(cJSON *object, const char *name, const struct text *text) {
    return cJSON_AddStringToObject(object, name, text_string(text)) != NULL;
}

static bool add_types(cJSON *object, const struct facts *facts) {
    cJSON *types = cJSON_AddObjectToObject(object, "types");
    bool whole = types != NULL;
    for (size_t i = 0; i < facts->type_count && whole; i++) {
        cJSON *type = cJSON_AddObjectToObject(types, gguf_type_name(facts->types[i].file_type));
        whole = type && add_figure(type, "tensors", facts->types[i].tensors) &&
                add_figure(type, "bytes", (int64_t)facts->types[i].bytes);
    }
    return whole;
}

static enum status print_json(const struct facts *facts, bool compact) {
    const struct fit_window windows = fit_windows(&facts->need);
    cJSON *object = cJSON_CreateObject();
    const bool whole =
        object && add_text(object, "name", &facts->name) &&
        add_text(object, "family", &facts->family) &&
        (!facts->tier || cJSON_AddStringToObject(object, "tier", facts->tier)) &&
        (facts->adapter.length == 0 || add_text(object, "adapter", &facts->adapter)) &&
        add_figure(object, "parameters", facts->parameters) &&
        add_figure(object, "file_bytes", (int64_t)gguf_file_bytes(facts->gguf)) &&
        add_figure(object, "gguf_version", version_of(facts->gguf)) &&
        add_figure(object, "context", facts->context) &&
        add_figure(object, "layers", facts->layers) && add_figure(object, "dim", facts->dim) &&
        add_figure(object, "heads", facts->heads) &&
        add_figure(object, "kv_heads", facts->kv_heads) &&
        add_figure(object, "head_size", facts->head_size) &&
        add_figure(object, "ffn", facts->ffn) &&
        add_figure(object, "vocabulary", facts->vocabulary) &&
        add_text(object, "tokenizer", &facts->tokenizer) &&
        add_text(object, "template", &facts->template_name) &&
        add_figure(object, "kv_token_bytes", kv_bytes(facts)) &&
        add_figure(object, "kv_window_token_bytes", (int64_t)windows.token_bytes) &&
        add_figure(object, "window", windows.tokens) && add_types(object, facts) &&
        add_figure(object, "weight_bytes", (int64_t)facts->need.weight_bytes) &&
        add_figure(object, "active_bytes", (int64_t)facts->need.active_bytes) &&
        cJSON_AddStringToObject(object, "machine", facts->fit.machine) != NULL &&
        (!facts->fit.trial[0] ||
         cJSON_AddStringToObject(object, "card", facts->fit.trial) != NULL) &&
        add_figure(object, "memory_free", (int64_t)facts->fit.memory_free) &&
        cJSON_AddBoolToObject(object, "fits", facts->fit.holds) != NULL &&
        add_figure(object, "context_fits", facts->fit.context) &&
        add_speed(object, "tokens_s_most", facts->fit.tokens_s) &&
        (!facts->placement[0] ||
         cJSON_AddStringToObject(object, "placement", facts->placement) != NULL) &&
        cJSON_AddBoolToObject(object, "runs", facts->runs) &&
        add_text(object, "verdict", &facts->verdict);
    if (whole) return json_put(object, compact) ? STATUS_OK : STATUS_NO_MEMORY;
    cJSON_Delete(object);
    return STATUS_NO_MEMORY;
}

// Collects all facts about the file; describes an unsupported kind of adapter as a model.
static enum status gather(struct facts *facts, const struct args *args, const char *path,
                          const struct config *config) {
    struct adapter adapter = {0};
    const bool is_adapter = peft_is_folder(path) || adapter_is_file(facts->gguf);
    count_tensors(facts);
    TRY(read_shape(facts));
    if (is_adapter &&
        adapter_open(&(struct adapter_source){path, 1}, &adapter, NULL) == STATUS_OK) {
        const enum status status = read_adapter(facts, &adapter, path);
        adapter_close(&adapter);
        return status;
    }
    TRY(read_verdict(facts));
    read_mixed(facts);
    TRY(read_fit(facts, args));
    return read_placement(facts, args, path, config);
}

int inspect_run(const struct args *args, const struct config *config) {
    struct error err = {0};
    struct text path = {0};
    struct adapter adapter = {0};
    struct gguf *gguf = NULL;
    struct facts facts = {.kv_type = DTYPE_F16};
    bool demo;
    enum status status = launch_read_adapters(args, &facts.adapters, &err);
    int code = status == STATUS_OK ? EXIT_MODEL : EXIT_USAGE;
    if (status == STATUS_OK) status = launch_find_model(args, &path, &demo, &err);
    const char *found = text_string(&path);
    if (status == STATUS_OK && peft_is_folder(found)) {
        status = adapter_open(&(struct adapter_source){found, 1}, &adapter, &err);
        gguf = adapter.gguf;
    } else if (status == STATUS_OK) {
        status = checkpoint_open(found, &gguf, &err);
    }
    facts.gguf = gguf;
    if (strcmp(args->kv_type, "auto") != 0) MUST(kv_type_find(args->kv_type, &facts.kv_type));
    if (status == STATUS_OK) {
        status = gather(&facts, args, found, config);
        if (status == STATUS_OK)
            status = strcmp(args->format, "text") == 0
                         ? print_text(&facts, args->verbose)
                         : print_json(&facts, strcmp(args->format, "jsonl") == 0);
        if (status != STATUS_OK) code = EXIT_RUN_TIME;
    }
    facts_deinit(&facts);
    gguf_close(gguf);
    text_deinit(&path);
    if (status != STATUS_OK) return complain_failed(code, status, &err);
    return output_exit_code(EXIT_DONE);
}
