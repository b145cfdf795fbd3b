#include "engine/model/metadata.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/model/family_keys.h"
#include "engine/model/folder_layout.h"
#include "engine/model/model_config.h"
#include "kernels/base/assert.h"
#include "kernels/base/text.h"

enum { KEY_BYTES = 128, VALUE_BYTES = 48 };

static const char *full_key(const struct metadata *metadata, const char *key, char *text) {
    const int length = snprintf(text, KEY_BYTES, "%s.%s", metadata->family, key);
    ASSERT(length > 0 && length < KEY_BYTES); // both are ours
    return text;
}

static const struct figure *figure_of(const struct metadata *metadata, const char *key) {
    for (int32_t i = 0; i < metadata->folder->figure_count; i++)
        if (!strcmp(metadata->folder->figures[i].name, key)) return &metadata->folder->figures[i];
    return NULL;
}

// The key as the file has it, or would have it.
static const char *shown_key(const struct metadata *metadata, const char *key, char *text) {
    const struct folder_config *folder = metadata->folder;
    const struct figure *figure = folder ? figure_of(metadata, key) : NULL;
    if (figure && figure->stated) return figure->stated;
    for (int32_t i = 0; folder && !figure && i < folder->table_count; i++)
        for (const struct figure_names *names = folder->tables[i]; names->ours; names++)
            if (!strcmp(names->ours, key)) return names->theirs[0];
    return full_key(metadata, key, text);
}

// What is stated, of whatever name; nothing is remembered.
static bool look_up(const struct metadata *metadata, const char *key, double *value) {
    char name[KEY_BYTES];
    if (!metadata->folder)
        return gguf_find_float(metadata->gguf, full_key(metadata, key, name), value);
    const struct figure *figure = figure_of(metadata, key);
    const bool single = figure && !figure->list && !figure->reals;
    if (single) *value = figure->number;
    return single;
}

static bool look_up_flag(const struct metadata *metadata, const char *key, bool *value) {
    char name[KEY_BYTES];
    double number;
    if (!metadata->folder)
        return gguf_find_bool(metadata->gguf, full_key(metadata, key, name), value);
    if (!look_up(metadata, key, &number)) return false;
    *value = number != 0;
    return true;
}

static bool look_up_list(const struct metadata *metadata, const char *key,
                         struct gguf_array *list) {
    char name[KEY_BYTES];
    if (!metadata->folder)
        return gguf_find_array(metadata->gguf, full_key(metadata, key, name), list);
    const struct figure *figure = figure_of(metadata, key);
    if (!figure || !(figure->list || figure->reals)) return false;
    *list = (struct gguf_array){figure->list ? GGUF_I32 : GGUF_F32, (size_t)figure->count,
                                figure->list ? (const unsigned char *)figure->list
                                             : (const unsigned char *)figure->reals};
    return true;
}

static bool look_up_string(const struct metadata *metadata, const char *key,
                           struct gguf_string *string) {
    char name[KEY_BYTES];
    return !metadata->folder &&
           gguf_find_string(metadata->gguf, full_key(metadata, key, name), string);
}

// As messages show it; "" for a list, and where the key is absent.
static const char *show_value(const struct metadata *metadata, const char *key,
                              char text[VALUE_BYTES]) {
    struct gguf_string string;
    double number;
    bool flag;
    text[0] = '\0';
    if (strlen(metadata->family) + strlen(key) + 2 > KEY_BYTES) return text;
    if (look_up(metadata, key, &number))
        snprintf(text, VALUE_BYTES, "%.10g", number);
    else if (look_up_flag(metadata, key, &flag))
        snprintf(text, VALUE_BYTES, "%s", flag ? "true" : "false");
    else if (look_up_string(metadata, key, &string) &&
             utf8_valid(string.bytes, string.length, NULL) &&
             !utf8_has_control(string.bytes, string.length) && string.length < VALUE_BYTES - 2)
        snprintf(text, VALUE_BYTES, "\"%.*s\"", (int)string.length, string.bytes);
    return text;
}

void metadata_fail(struct metadata *metadata, enum status status, const char *key,
                   const char *what) {
    if (metadata->status != STATUS_OK) return;
    char value[VALUE_BYTES], name[KEY_BYTES];
    const char *found = show_value(metadata, key, value);
    metadata->status = error_set(metadata->err, status, "%s: %s %s%s%s%s",
                                 gguf_path(metadata->gguf), shown_key(metadata, key, name), what,
                                 found[0] ? " (found " : "", found, found[0] ? ")" : "");
}

void metadata_unsupported(struct metadata *metadata, const char *key, const char *expected) {
    if (metadata->status != STATUS_OK) return;
    char value[VALUE_BYTES], name[KEY_BYTES];
    const char *found = show_value(metadata, key, value);
    metadata->status =
        error_set(metadata->err, STATUS_UNSUPPORTED, "%s: unsupported %s%s%s (expected %s)",
                  gguf_path(metadata->gguf), shown_key(metadata, key, name), found[0] ? " " : "",
                  found, expected);
}

static const char other_type[] = "has an unsupported type";

// Is the key there, of whatever type?
static bool is_stated(const struct metadata *metadata, const char *key) {
    char name[KEY_BYTES];
    if (!family_keys_have(metadata->keys, key)) return false;
    if (metadata->folder) return figure_of(metadata, key) != NULL;
    return gguf_has_key(metadata->gguf, full_key(metadata, key, name));
}

static void fail_unfound(struct metadata *metadata, const char *key) {
    if (is_stated(metadata, key))
        metadata_fail(metadata, STATUS_UNSUPPORTED, key, other_type);
    else
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is missing");
}

// Its place among the keys that were asked for; their number if it is none of them.
static int32_t place_of(const struct metadata *metadata, struct gguf_string key) {
    int32_t i = 0;
    while (i < metadata->asked_count && !gguf_string_is(key, metadata->asked[i]))
        i++;
    return i;
}

// Remembers a key that was asked for, and returns whether it was found.
static bool note(struct metadata *metadata, const char *key, bool found) {
    const int32_t i = place_of(metadata, (struct gguf_string){key, strlen(key)});
    ASSERT(i < METADATA_ASKED_MOST);
    if (i == metadata->asked_count) metadata->asked[metadata->asked_count++] = key;
    metadata->found[i] |= found;
    return found;
}

static bool find_array(struct metadata *metadata, const char *key, struct gguf_array *array) {
    return family_keys_have(metadata->keys, key) &&
           note(metadata, key, look_up_list(metadata, key, array));
}

bool metadata_find_float(struct metadata *metadata, const char *key, double *value) {
    return family_keys_have(metadata->keys, key) &&
           note(metadata, key, look_up(metadata, key, value));
}

bool metadata_find_int(struct metadata *metadata, const char *key, int64_t *value) {
    char name[KEY_BYTES];
    double number;
    if (!family_keys_have(metadata->keys, key)) return false;
    const bool real = look_up(metadata, key, &number);
    bool found = real && metadata->folder && floor(number) == number && fabs(number) < 0x1p31;
    if (found) *value = (int64_t)number;
    if (!metadata->folder)
        found = gguf_find_int(metadata->gguf, full_key(metadata, key, name), value);
    if (real && !found) metadata_fail(metadata, STATUS_UNSUPPORTED, key, other_type);
    return note(metadata, key, found);
}

bool metadata_has(struct metadata *metadata, const char *key) {
    double value;
    struct gguf_array array;
    return metadata_find_float(metadata, key, &value) || find_array(metadata, key, &array);
}

void metadata_require(struct metadata *metadata, const char *key) {
    if (!metadata_has(metadata, key)) fail_unfound(metadata, key);
}

bool metadata_is_set(struct metadata *metadata, const char *key) {
    double value;
    return metadata_find_float(metadata, key, &value) && value != 0;
}

bool metadata_flag(struct metadata *metadata, const char *key, bool otherwise) {
    bool value = otherwise;
    if (family_keys_have(metadata->keys, key))
        note(metadata, key, look_up_flag(metadata, key, &value));
    return value;
}

void metadata_accept(struct metadata *metadata, const char *key, double value) {
    double found = (double)NAN;
    bool flag;
    if (family_keys_have(metadata->keys, key)) return;
    if (look_up_flag(metadata, key, &flag)) found = flag;
    look_up(metadata, key, &found);
    if (fabs(found - value) <= 1e-5 * fabs(value)) note(metadata, key, true);
}

int metadata_choice(struct metadata *metadata, const char *key, const char *const names[],
                    int count, const char *expected) {
    struct gguf_string found;
    if (!note(metadata, key, look_up_string(metadata, key, &found))) return -1;
    for (int i = 0; i < count; i++)
        if (gguf_string_is(found, names[i])) return i;
    metadata_unsupported(metadata, key, expected);
    return -1;
}

// Whole numbers, `count` of them.
static bool is_list(const struct gguf_array *list, size_t count) {
    return list->count == count && list->type != GGUF_STRING && list->type != GGUF_F32 &&
           list->type != GGUF_F64;
}

// One for each of `count` layers, or also for the blocks behind them that only draft.
static bool lists_layers(const struct metadata *metadata, const struct gguf_array *list,
                         int32_t count) {
    return is_list(list, (size_t)count) ||
           (count <= metadata->blocks && is_list(list, (size_t)metadata->blocks));
}

// A list of one number for all layers is that number.
static bool find_same(struct metadata *metadata, const char *key, int64_t *value) {
    struct gguf_array list;
    if (!find_array(metadata, key, &list) || list.count == 0 || !is_list(&list, list.count))
        return false;
    const int64_t first = gguf_array_int(&list, 0);
    for (size_t i = 1; i < list.count; i++)
        if (gguf_array_int(&list, i) != first) return false;
    *value = first;
    return true;
}

int32_t metadata_int(struct metadata *metadata, const char *key, int32_t otherwise, int32_t most) {
    int64_t value = otherwise;
    ASSERT(otherwise >= 0);
    const bool found = metadata_find_int(metadata, key, &value) || find_same(metadata, key, &value);
    struct gguf_array array;
    if (value == 0 && otherwise > 0) value = otherwise;
    if (!found && find_array(metadata, key, &array))
        metadata_fail(metadata, STATUS_UNSUPPORTED, key,
                      "differs from layer to layer, which is not supported");
    else if (!found && (otherwise == 0 || is_stated(metadata, key)))
        fail_unfound(metadata, key);
    else if (value < 1 || value > most)
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
    return metadata->status == STATUS_OK ? (int32_t)value : 1;
}

void metadata_reals(struct metadata *metadata, const char *key, int32_t count, float *values) {
    struct gguf_array list;
    double all = 0;
    const bool listed = find_array(metadata, key, &list);
    const bool fits = listed && list.count >= (size_t)count && list.type != GGUF_STRING &&
                      list.count <= (size_t)metadata->blocks;
    metadata_find_float(metadata, key, &all);
    if (listed && !fits)
        metadata_fail(metadata, STATUS_BAD_FILE, key, "must have one number per layer");
    for (int32_t i = 0; i < count; i++) {
        const bool real = fits && (list.type == GGUF_F32 || list.type == GGUF_F64);
        const double value = real   ? gguf_array_float(&list, (size_t)i)
                             : fits ? (double)gguf_array_int(&list, (size_t)i)
                                    : all;
        values[i] = (float)value;
        if (!(value >= 0 && value <= 1e6))
            metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
    }
}

int32_t metadata_context(struct metadata *metadata, const char *key, int32_t otherwise) {
    const int32_t context = metadata_int(metadata, key, otherwise, INT32_MAX);
    return context < MODEL_MAX_CONTEXT ? context : MODEL_MAX_CONTEXT;
}

int32_t metadata_count(struct metadata *metadata, const char *key, int32_t most) {
    int64_t value;
    if (metadata_find_int(metadata, key, &value) && value == 0) return 0;
    return metadata_has(metadata, key) ? metadata_int(metadata, key, 0, most) : 0;
}

void metadata_list(struct metadata *metadata, const char *key, int32_t count, int32_t least,
                   int32_t otherwise, int32_t most, int32_t *values) {
    struct gguf_array list;
    ASSERT(count > 0 && most > 0);
    const bool listed = find_array(metadata, key, &list);
    const int32_t all = listed ? 1 : metadata_int(metadata, key, otherwise, most);
    if (listed && !lists_layers(metadata, &list, count))
        metadata_fail(metadata, STATUS_BAD_FILE, key, "must have one whole number per layer");
    for (int32_t i = 0; i < count; i++) {
        const bool readable = listed && metadata->status == STATUS_OK;
        const int64_t value = readable ? gguf_array_int(&list, (size_t)i) : all;
        if (value < least || value > most)
            metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
        values[i] = metadata->status == STATUS_OK ? (int32_t)value : 1;
    }
}

float metadata_float(struct metadata *metadata, const char *key, float otherwise) {
    double value = (double)otherwise;
    struct gguf_array array;
    const bool found = metadata_find_float(metadata, key, &value);
    if (!found && find_array(metadata, key, &array))
        metadata_fail(metadata, STATUS_UNSUPPORTED, key, "is a list, which is not supported");
    if (!found && (isnan(otherwise) || is_stated(metadata, key))) fail_unfound(metadata, key);
    if (!isfinite(value) || value < 0 || value > 1e12)
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
    return metadata->status == STATUS_OK ? (float)value : 1.0f;
}

float metadata_factor(struct metadata *metadata, const char *key, float otherwise) {
    const float stated = metadata_float(metadata, key, otherwise);
    const float value = stated == 0 ? otherwise : stated;
    if (!(value > 1e-9f && value < 1e12f))
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
    return metadata->status == STATUS_OK ? value : 1.0f;
}

void metadata_pattern(struct metadata *metadata, const char *key, int32_t count, int32_t period,
                      bool *values) {
    struct gguf_array list;
    int64_t stated = period < 0 ? -(int64_t)period : period;
    const int32_t first = period < 0 ? 0 : 1;
    ASSERT(count > 0);
    const bool listed = find_array(metadata, key, &list);
    metadata_find_int(metadata, key, &stated);
    if (listed && !lists_layers(metadata, &list, count))
        metadata_fail(metadata, STATUS_BAD_FILE, key, "must have one whole number per layer");
    if (stated < 0) metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
    for (int32_t i = 0; i < count; i++) {
        values[i] = stated == 0 || (i + first) % stated != 0;
        if (listed && metadata->status == STATUS_OK)
            values[i] = gguf_array_int(&list, (size_t)i) != 0;
    }
}

// Keys that change no answer, whatever their value: those about training, images or names, what the
// tensors say, and details of what may not be there at all (a stretched rotation, a window,
// experts). A name that ends in a dot or a stroke stands for all that begin with it.
static const char any_value[] =
    "vocab_size, tensor_data_layout, rope.dimension_sections, n_deepstack_layers, "
    "deepstack_mapping, rope.scaling.finetuned, rope.scaling.original_context_length, "
    "rope.scaling.yarn_beta_fast, rope.scaling.yarn_beta_slow, "
    "rope.scaling.yarn_log_multiplier, rope.scaling.yarn_attn_factor, "
    "rope.scaling.yarn_ext_factor, attention.layer_norm_epsilon, "
    "attention.layer_norm_rms_epsilon, attention.sliding_window_pattern, "
    "attention.temperature_length, leading_dense_block_count, interleave_moe_layer_step, "
    "expert_used_count, expert_feed_forward_length, kda.gate_lower_bound";

// Those of other families, which change none while they are 0, or a list of nothing else.
static const char off[] =
    "attention.group_norm_, attention.sliding_window, attention.clamp_kqv, "
    "attention.max_alibi_bias, attention.shared_kv_layers, attention.temperature_scale, "
    "attention.scale, attention.output_scale, attention.value_scale, "
    "attention.relative_buckets_count, attention.recurrent_layers, "
    "attention.q_lora_rank, attention.kv_lora_rank, attention.key_length_mla, "
    "attention.value_length_mla, attention.decay_lora_rank, attention.iclr_lora_rank, "
    "attention.value_residual_mix_lora_rank, attention.gate_lora_rank, "
    "attention.output_group_count, attention.output_lora_rank, "
    "attention.compress_rope_freq_base, attention.compress_ratios, attention.indexer., "
    "embedding_length_per_layer_input, embedding_scale, residual_scale, logit_scale, "
    "attn_logit_softcapping, final_logit_softcapping, router_logit_softcapping, "
    "pooling_type, use_parallel_residual, swiglu_clamp_exp, swiglu_clamp_shexp, "
    "expert_weights_scale, expert_shared_count, expert_shared_feed_forward_length, "
    "expert_chunk_feed_forward_length, expert_latent_length, moe_latent_size, "
    "experts_per_group, expert_group_scale, activation.situ_beta, "
    "activation.situ_linear_beta, token_shift_count, rescale_every_n_layers, "
    "time_mix_extra_dim, time_decay_extra_dim, wkv.head_size, kda., ssm., "
    "shortconv.l_cache, decoder_block_count, swin_norm, hash_layer_count, "
    "attn_res.block_size, hrm., hyper_connection., posnet., convnext., "
    "classifier.output_labels, dense_2_feat_, dense_3_feat_";

// And those that change none in a range, or in any of several.
static const struct range {
    const char *key;
    double least, most;
} harmless[] = {
    {"rope.scaling.alpha", 0, 1},
    {"attention.causal", 1, 1},
    {"attention.rope_pattern", 1, 1},         // rotated, but where the family says otherwise
    {"pooling_type", UINT32_MAX, UINT32_MAX}, // not stated
    {"moe_every_n_layers", 0, 1},
    {"expert_weights_scale", 1, 1},
    {"expert_group_count", 0, 1},
    {"expert_group_used_count", 0, 1},
    {"expert_group_scale", 0.0499, 0.0501},
    {"expert_group_scale", 1, 1},
    {"activation.situ_beta", 1, 1},
    {"token_shift_count", 2, 2},
    {"decoder_start_token_id", -1, -1},
};

// llama.cpp's own writer states every key that it knows, whether the family has it or not: one that
// the family lacks has the value with which llama.cpp begins, and nothing applies it there either.
static const struct range of_writer[] = {
    {"attn_logit_softcapping", 50, 50},   {"final_logit_softcapping", 30, 30},
    {"router_logit_softcapping", 30, 30}, {"rope.freq_base_swa", 10000, 10000},
    {"expert_weights_norm", 0, 0},        {"expert_gating_func", 0, 0},
};

bool metadata_is_of_writer(const struct metadata *metadata) {
    static const char *const keys[] = {"token_shift_count", "expert_group_scale",
                                       "router_logit_softcapping"};
    double value;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!look_up(metadata, keys[i], &value)) return false;
    return true;
}

// Of the encoders of images and sound.
static bool is_of_encoder(struct gguf_string key) {
    static const char *const begins[] = {"vision.", "audio.", "mm."};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (gguf_string_begins(key, begins[i])) return true;
    return false;
}

static bool is_named(const char *row, size_t length, const char *key) {
    const bool begins = length > 0 && (row[length - 1] == '.' || row[length - 1] == '_');
    return !strncmp(row, key, length) && (begins || !key[length]);
}

static bool is_listed(const char *list, const char *key) {
    for (; list; list = strchr(list, ',')) {
        list += strspn(list, ", ");
        if (is_named(list, strcspn(list, ","), key)) return true;
    }
    return false;
}

// What is no number, nor a list of them, lies in no range.
static bool lies_within(const struct metadata *metadata, const char *key, const struct range *row) {
    double value = (double)NAN;
    struct gguf_array list;
    bool flag;
    if (look_up_flag(metadata, key, &flag)) value = flag;
    if (look_up(metadata, key, &value) || !look_up_list(metadata, key, &list))
        return value >= row->least && value <= row->most;
    bool within = list.type != GGUF_STRING || list.count == 0;
    for (size_t i = 0; i < list.count && within; i++) {
        const bool real = list.type == GGUF_F32 || list.type == GGUF_F64;
        value = real ? gguf_array_float(&list, i) : (double)gguf_array_int(&list, i);
        within = value >= row->least && value <= row->most;
    }
    return within;
}

static bool is_in(const struct range *rows, size_t count, const struct metadata *metadata,
                  const char *key) {
    for (size_t i = 0; i < count; i++)
        if (is_named(rows[i].key, strlen(rows[i].key), key) && lies_within(metadata, key, &rows[i]))
            return true;
    return false;
}

// Of layers with a window: there are none, or the key says what it says of the others.
static bool is_same_in_windows(const struct metadata *metadata, const char *key) {
    static const char end[] = "_swa";
    const size_t length = strlen(key);
    char other[KEY_BYTES];
    double value, others, window = 0;
    if (length < sizeof end || strcmp(key + length - strlen(end), end) != 0) return false;
    if (!look_up(metadata, key, &value)) return false;
    look_up(metadata, "attention.sliding_window", &window);
    snprintf(other, sizeof other, "%.*s", (int)(length - strlen(end)), key);
    return value == 0 || window == 0 || (look_up(metadata, other, &others) && value == others);
}

static bool is_harmless(const struct metadata *metadata, struct gguf_string key) {
    char rest[KEY_BYTES];
    if (is_of_encoder(key)) return true;
    if (strlen(metadata->family) + 1 + key.length >= KEY_BYTES) return false;
    snprintf(rest, sizeof rest, "%.*s", (int)key.length, key.bytes);
    static const struct range zero = {"", 0, 0};
    return is_listed(any_value, rest) ||
           (is_listed(off, rest) && lies_within(metadata, rest, &zero)) ||
           is_in(harmless, sizeof harmless / sizeof harmless[0], metadata, rest) ||
           (metadata_is_of_writer(metadata) &&
            is_in(of_writer, sizeof of_writer / sizeof of_writer[0], metadata, rest)) ||
           is_same_in_windows(metadata, rest);
}

static void check_read(struct metadata *metadata, struct gguf_string key) {
    const int32_t place = place_of(metadata, key);
    const bool asked = place < metadata->asked_count;
    char shown[KEY_BYTES];
    if (asked ? metadata->found[place] : is_harmless(metadata, key)) return;
    snprintf(shown, sizeof shown, "%.*s", (int)key.length, key.bytes);
    metadata_fail(metadata, STATUS_UNSUPPORTED, shown,
                  asked ? other_type : "is not supported and may change the answers");
}

void metadata_check_unread(struct metadata *metadata) {
    const size_t begin = strlen(metadata->family);
    for (int32_t i = 0; metadata->folder && i < metadata->folder->figure_count; i++) {
        const char *name = metadata->folder->figures[i].name;
        check_read(metadata, (struct gguf_string){name, strlen(name)});
    }
    for (size_t i = 0; !metadata->folder && i < gguf_key_count(metadata->gguf); i++) {
        const struct gguf_string full = gguf_key_at(metadata->gguf, i).name;
        if (!gguf_string_begins(full, metadata->family) || full.length == begin ||
            full.bytes[begin] != '.')
            continue;
        check_read(metadata, (struct gguf_string){full.bytes + begin + 1, full.length - begin - 1});
    }
}
