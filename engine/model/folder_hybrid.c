#include "engine/model/folder_hybrid.h"

#include <math.h>
#include <string.h>

#include "kernels/base/assert.h"

// As Nemotron-H's patterns have them.
enum { RECURS = 'M', ATTENDS = '*', FEEDS = '-', MIXTURE = 'E' };

static char letter_of(const cJSON *type) {
    static const struct {
        const char *type;
        char letter;
    } kinds[] = {{"linear_attention", RECURS},
                 {"mamba", RECURS},
                 {"conv", RECURS},
                 {"full_attention", ATTENDS},
                 {"attention", ATTENDS},
                 {"mlp", FEEDS},
                 {"moe", MIXTURE}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (writer_is_word(&kinds[i].type, 1, type)) return kinds[i].letter;
    return '?';
}

bool folder_hybrid_has_mixtures(const cJSON *json) {
    const cJSON *pattern = cJSON_GetObjectItemCaseSensitive(json, "hybrid_override_pattern"), *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "layers_block_type"))
        if (letter_of(item) == MIXTURE) return true;
    return cJSON_IsString(pattern) && strchr(pattern->valuestring, MIXTURE) != NULL;
}

// Reads a letter for each layer from a list of types, a pattern, or the numbers of the layers that
// attend; without any of them every `period`-th layer attends. Returns the number of layers, or 0
// after a failure.
static int32_t read_kinds(struct writer *writer, int64_t period, char *kinds) {
    const cJSON *json = writer->json, *item, *numbers = writer_get(writer, json, "full_attn_idxs");
    const cJSON *types = writer_get(writer, json, "layer_types");
    const char *pattern = writer_string(writer, json, "hybrid_override_pattern", "");
    if (!types) types = writer_get(writer, json, "layers_block_type");
    const int64_t listed = types ? cJSON_GetArraySize(types) : (int64_t)strlen(pattern);
    const int64_t layers = writer_count(writer, "num_hidden_layers", listed > 0 ? listed : -1);
    if (layers < 1 || layers > MODEL_MAX_LAYERS || (listed > 0 && listed != layers))
        writer_fail(writer, STATUS_BAD_FILE, "num_hidden_layers", "is out of range");
    if (writer->status != STATUS_OK) return 0;
    for (int64_t i = 0; i < layers; i++)
        kinds[i] = types                             ? letter_of(cJSON_GetArrayItem(types, (int)i))
                   : pattern[0]                      ? pattern[i]
                   : period && (i + 1) % period == 0 ? ATTENDS
                                                     : RECURS;
    const cJSON *attending = types ? NULL : numbers;
    cJSON_ArrayForEach(item, attending) {
        const double at = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (at >= 0 && at < (double)layers && floor(at) == at)
            kinds[(int32_t)at] = ATTENDS;
        else
            writer_fail(writer, STATUS_BAD_FILE, "full_attn_idxs", "is out of range");
    }
    return writer->status == STATUS_OK ? (int32_t)layers : 0;
}

// Refuses a kind of layer that is not among `known`.
static void check_kinds(struct writer *writer, const char *kinds, int32_t layers,
                        const char *known) {
    for (int32_t i = 0; i < layers; i++)
        if (!memchr(known, kinds[i], strlen(known)))
            writer_fail(writer, STATUS_UNSUPPORTED, "layer_types",
                        "lists a kind of layer that is not supported");
}

static int32_t kv_heads(struct writer *writer) {
    return (int32_t)writer_count(writer, "num_key_value_heads",
                                 writer_count(writer, "num_attention_heads", -1));
}

// Layers without KV heads are those that do not attend.
static void put_kv_heads(struct writer *writer, const char *kinds, int32_t layers) {
    int32_t kv[MODEL_MAX_LAYERS];
    const int32_t heads = kv_heads(writer);
    ASSERT(layers >= 0 && layers <= MODEL_MAX_LAYERS);
    for (int32_t i = 0; i < layers; i++)
        kv[i] = kinds[i] == ATTENDS ? heads : 0;
    writer->lists_layers = true;
    writer_put_list(writer, "attention.head_count_kv", kv, layers);
}

// The width that a feed-forward was asked for is that of a plain one with as many weights.
static double adjusted_width(struct writer *writer) {
    const cJSON *json = writer->json;
    const double asked = writer_number(writer, json, "intermediate_size", 0);
    double width = writer_number(writer, json, "block_ff_dim", asked);
    const double times = writer_number(writer, json, "block_ffn_dim_multiplier", 1);
    const double unit = writer_number(writer, json, "block_multiple_of", 256);
    if (cJSON_IsFalse(writer_get(writer, json, "block_auto_adjust_ff_dim"))) return width;
    if (writer->family->layer.ffn.kind == FFN_EXPERTS) return width; // is what it is
    width = floor(floor(2 * width / 3) * times);
    return unit >= 1 ? unit * ceil(width / unit) : -1;
}

static void translate_convolutions(struct writer *writer) {
    char kinds[MODEL_MAX_LAYERS];
    const int32_t layers = read_kinds(writer, 0, kinds);
    const double width = adjusted_width(writer);
    check_kinds(writer, kinds, layers, "M*");
    if (!(width >= 1 && width < 0x1p31))
        writer_fail(writer, STATUS_BAD_FILE, "block_ff_dim", "is out of range");
    if (writer->status != STATUS_OK) return;
    put_kv_heads(writer, kinds, layers);
    writer_put_int(writer, "feed_forward_length", (int64_t)width);
}

static void put_recurrence(struct writer *writer, const struct recurrence_spec *spec,
                           struct folder_config *config) {
    if (writer->status != STATUS_OK) return;
    if (spec->key_heads < 1 || spec->key_heads > spec->value_heads ||
        spec->value_heads % spec->key_heads || spec->value_heads > MODEL_MAX_HEADS ||
        spec->key_size < 1 || spec->key_size > RECURRENCE_SIZE_MAX || spec->value_size < 1 ||
        spec->value_size > RECURRENCE_SIZE_MAX) {
        writer_fail(writer, STATUS_BAD_FILE, "the number or size of the recurrent heads",
                    "is out of range");
        return;
    }
    writer_put_int(writer, "ssm.conv_kernel", spec->width);
    writer_put_int(writer, "ssm.state_size", spec->key_size);
    writer_put_int(writer, "ssm.group_count", spec->key_heads);
    writer_put_int(writer, "ssm.time_step_rank", spec->value_heads);
    writer_put_int(writer, "ssm.inner_size", spec->value_heads * spec->value_size);
    config->recurrence = *spec;
}

// A file of GGUF has the values' heads in another order than a folder, whose order is that of keys.
static void translate_delta(struct writer *writer, struct folder_config *config) {
    static const char *const gates[] = {"swish", "silu"};
    char kinds[MODEL_MAX_LAYERS];
    int32_t recurs[MODEL_MAX_LAYERS];
    const cJSON *json = writer->json;
    const int32_t layers =
        read_kinds(writer, writer_count(writer, "full_attention_interval", 4), kinds);
    check_kinds(writer, kinds, layers, "M*");
    for (int32_t i = 0; i < layers; i++)
        recurs[i] = kinds[i] == RECURS;
    writer_put_list(writer, "attention.recurrent_layers", recurs, layers);
    writer_put_flag(writer, ".quire.grouped_heads", true);
    put_recurrence(writer,
                   &(struct recurrence_spec){
                       .rule = RECURRENCE_DELTA,
                       .width = (int32_t)writer_count(writer, "linear_conv_kernel_dim", -1),
                       .key_size = (int32_t)writer_count(writer, "linear_key_head_dim", -1),
                       .value_size = (int32_t)writer_count(writer, "linear_value_head_dim", -1),
                       .key_heads = (int32_t)writer_count(writer, "linear_num_key_heads", -1),
                       .value_heads = (int32_t)writer_count(writer, "linear_num_value_heads", -1)},
                   config);

    if (cJSON_IsFalse(writer_get(writer, json, "attn_output_gate")))
        writer_unsupported(writer, "attn_output_gate", "true");
    if (!writer_is_word(gates, 2, writer_get(writer, json, "output_gate_type")))
        writer_unsupported(writer, "output_gate_type", "swish or silu");
}

// Steps have no bounds; an infinite one is a number, or since transformers 5 an object that says
// so.
static void check_steps(struct writer *writer) {
    const cJSON *limits = writer_get(writer, writer->json, "time_step_limit");
    const cJSON *least = cJSON_GetArrayItem(limits, 0), *most = cJSON_GetArrayItem(limits, 1);
    const char *stated = writer_string(writer, most, "__float__", "");
    if (limits &&
        !(cJSON_IsNumber(least) && least->valuedouble == 0 &&
          (!strcmp(stated, "Infinity") || (cJSON_IsNumber(most) && isinf(most->valuedouble)))))
        writer_unsupported(writer, "time_step_limit", "[0, Infinity]");
}

// As Granite and Falcon name it. `values`: the rows of all heads.
static struct recurrence_spec mamba_of(struct writer *writer, int64_t values) {
    const int64_t heads = writer_count(writer, "mamba_n_heads", -1);
    check_steps(writer);
    writer_get(writer, writer->json, "mamba_d_head"); // which follows from these two
    if (heads > 0 && values % heads)
        writer_fail(writer, STATUS_BAD_FILE, "mamba_n_heads", "must divide the inner size");
    return (struct recurrence_spec){
        .rule = RECURRENCE_SSD,
        .width = (int32_t)writer_count(writer, "mamba_d_conv", -1),
        .key_size = (int32_t)writer_count(writer, "mamba_d_state", -1),
        .key_heads = (int32_t)writer_count(writer, "mamba_n_groups", -1),
        .value_heads = (int32_t)heads,
        .value_size = heads > 0 && values / heads <= INT32_MAX ? (int32_t)(values / heads) : 0};
}

static int64_t expanded(struct writer *writer) {
    return writer_count(writer, "mamba_expand", 2) * writer_count(writer, "hidden_size", -1);
}

// What a mixture shares is all that a model without experts has.
static void translate_granite(struct writer *writer, struct folder_config *config) {
    char kinds[MODEL_MAX_LAYERS];
    const cJSON *json = writer->json;
    const int32_t layers = read_kinds(writer, 0, kinds);
    const struct recurrence_spec ssd = mamba_of(writer, expanded(writer));
    const int64_t shared = writer_count(writer, "shared_intermediate_size", -1);
    config->mixture = writer_count(writer, "num_local_experts", -1) > 0;
    check_kinds(writer, kinds, layers, "M*");
    put_kv_heads(writer, kinds, layers);
    put_recurrence(writer, &ssd, config);
    writer_put_int(writer, "feed_forward_length",
                   config->mixture ? writer_count(writer, "intermediate_size", -1) : shared);
    if (config->mixture) writer_put_int(writer, "expert_shared_feed_forward_length", shared);
    if (ssd.key_heads != 1) writer_unsupported(writer, "mamba_n_groups", "1");
    if (strcmp(writer_string(writer, json, "position_embedding_type", ""), "rope") != 0)
        writer_put_flag(writer, "rope.scaling.finetuned", false);
    if (strcmp(writer_string(writer, json, "normalization_function", "rmsnorm"), "rmsnorm") != 0)
        writer_unsupported(writer, "normalization_function", "rmsnorm");
}

static void translate_nemotron(struct writer *writer, struct folder_config *config) {
    static const char *const silu[] = {"silu", "swish"};
    char kinds[MODEL_MAX_LAYERS];
    int32_t widths[MODEL_MAX_LAYERS];
    const int32_t layers = read_kinds(writer, 0, kinds);
    const bool mixture = writer->family->layer.ffn.kind == FFN_EXPERTS;
    const char feeds = mixture ? MIXTURE : FEEDS;
    const int32_t width =
        (int32_t)writer_count(writer, mixture ? "moe_intermediate_size" : "intermediate_size", 0);
    const struct recurrence_spec ssd = {
        .rule = RECURRENCE_SSD,
        .width = (int32_t)writer_count(writer, "conv_kernel", -1),
        .key_size = (int32_t)writer_count(writer, "ssm_state_size", -1),
        .key_heads = (int32_t)writer_count(writer, "n_groups", -1),
        .value_heads = (int32_t)writer_count(writer, "mamba_num_heads", -1),
        .value_size = (int32_t)writer_count(writer, "mamba_head_dim", -1)};
    check_kinds(writer, kinds, layers, mixture ? "M*E" : "M*-");
    check_steps(writer);
    for (int32_t i = 0; i < layers; i++)
        widths[i] = kinds[i] == feeds ? width : 0;
    put_kv_heads(writer, kinds, layers);
    writer_put_list(writer, "feed_forward_length", widths, layers);
    put_recurrence(writer, &ssd, config);
    if (!writer_get(writer, writer->json, "num_hidden_layers"))
        writer_put_int(writer, "block_count", layers);
    if (!writer_is_word(silu, 2, writer_get(writer, writer->json, "mamba_hidden_act")))
        writer_unsupported(writer, "mamba_hidden_act", "silu");
}

// One number of a list, or 1 where there is none.
static double one_of(struct writer *writer, const char *key, int count, int at) {
    const cJSON *list = writer_get(writer, writer->json, key), *item = cJSON_GetArrayItem(list, at);
    if (list && (cJSON_GetArraySize(list) != count || !cJSON_IsNumber(item)))
        writer_fail(writer, STATUS_BAD_FILE, key, "has the wrong number of values");
    return cJSON_IsNumber(item) ? item->valuedouble : 1;
}

static void put_scale(struct writer *writer, struct folder_config *config, const char *part,
                      double by) {
    ASSERT(config->scale_count < FOLDER_MAX_SCALES);
    if (!isfinite((float)by))
        writer_fail(writer, STATUS_BAD_FILE, "a multiplier", "is out of range");
    config->scales[config->scale_count++] = (struct folder_scale){.part = part, .by = (float)by};
}

// What these multiply is what a matrix reads or makes.
static void put_multipliers(struct writer *writer, struct folder_config *config) {
    const struct recurrence_spec *ssd = &config->recurrence;
    const cJSON *json = writer->json;
    const int64_t values = ssd->value_heads * ssd->value_size,
                  keys = ssd->key_heads * ssd->key_size;
    const int64_t rows[] = {values, values, keys, keys, ssd->value_heads};
    const double in = writer_number(writer, json, "attention_in_multiplier", 1);
    const double ssm_in = writer_number(writer, json, "ssm_in_multiplier", 1);
    if (in != 1 && cJSON_IsTrue(writer_get(writer, json, "attention_bias")))
        writer_fail(writer, STATUS_UNSUPPORTED, "attention_in_multiplier",
                    "is not supported together with attention_bias");
    for (int i = 0; i < 5; i++) {
        put_scale(writer, config, "mamba.in_proj.",
                  one_of(writer, "ssm_multipliers", 5, i) * ssm_in);
        config->scales[i].rows = rows[i];
    }
    put_scale(writer, config, "mamba.out_proj.",
              writer_number(writer, json, "ssm_out_multiplier", 1));
    put_scale(writer, config, "self_attn.q_proj.", in);
    put_scale(writer, config, "self_attn.k_proj.",
              in * writer_number(writer, json, "key_multiplier", 1));
    put_scale(writer, config, "self_attn.v_proj.", in);
    put_scale(writer, config, "self_attn.o_proj.",
              writer_number(writer, json, "attention_out_multiplier", 1));
    put_scale(writer, config, "feed_forward.gate_proj.", one_of(writer, "mlp_multipliers", 2, 0));
    put_scale(writer, config, "feed_forward.down_proj.", one_of(writer, "mlp_multipliers", 2, 1));
}

static void translate_falcon(struct writer *writer, struct folder_config *config) {
    const cJSON *json = writer->json;
    const bool stated = writer_get(writer, json, "mamba_d_ssm") != NULL;
    const struct recurrence_spec ssd =
        mamba_of(writer, stated ? writer_count(writer, "mamba_d_ssm", -1) : expanded(writer));
    put_recurrence(writer, &ssd, config);
    if (writer->status == STATUS_OK) put_multipliers(writer, config);
    if (cJSON_IsTrue(writer_get(writer, json, "mamba_rms_norm")) &&
        !cJSON_IsFalse(writer_get(writer, json, "mamba_norm_before_gate")))
        writer_unsupported(writer, "mamba_norm_before_gate", "false");
}

void folder_hybrid_translate(struct writer *writer, struct folder_config *config) {
    switch (writer->family->hybrid) {
    case HYBRID_CONVOLUTIONS:
        translate_convolutions(writer);
        break;
    case HYBRID_DELTA:
        translate_delta(writer, config);
        break;
    case HYBRID_GRANITE:
        translate_granite(writer, config);
        break;
    case HYBRID_NEMOTRON:
        translate_nemotron(writer, config);
        break;
    case HYBRID_FALCON:
        translate_falcon(writer, config);
        break;
    case HYBRID_NONE:
        break;
    }
}
