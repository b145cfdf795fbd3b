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
        if (reader_is_word(&kinds[i].type, 1, type)) return kinds[i].letter;
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
static int32_t read_kinds(struct reader *reader, int64_t period, char *kinds) {
    const cJSON *json = reader->json, *item, *numbers = reader_get(reader, json, "full_attn_idxs");
    const cJSON *types = reader_get(reader, json, "layer_types");
    const char *pattern = reader_string(reader, json, "hybrid_override_pattern", "");
    if (!types) types = reader_get(reader, json, "layers_block_type");
    const int64_t listed = types ? cJSON_GetArraySize(types) : (int64_t)strlen(pattern);
    const int64_t layers = reader_count(reader, "num_hidden_layers", listed > 0 ? listed : -1);
    if (layers < 1 || layers > MODEL_MAX_LAYERS || (listed > 0 && listed != layers))
        reader_fail(reader, STATUS_BAD_FILE, "num_hidden_layers", "is out of range");
    if (reader->status != STATUS_OK) return 0;
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
            reader_fail(reader, STATUS_BAD_FILE, "full_attn_idxs", "is out of range");
    }
    return reader->status == STATUS_OK ? (int32_t)layers : 0;
}

// Refuses a kind of layer that is not among `known`.
static void check_kinds(struct reader *reader, const char *kinds, int32_t layers,
                        const char *known) {
    for (int32_t i = 0; i < layers; i++)
        if (!memchr(known, kinds[i], strlen(known)))
            reader_fail(reader, STATUS_UNSUPPORTED, "layer_types",
                        "lists a kind of layer that is not supported");
}

static int32_t kv_heads(struct reader *reader) {
    return (int32_t)reader_count(reader, "num_key_value_heads",
                                 reader_count(reader, "num_attention_heads", -1));
}

// Layers without KV heads are those that do not attend.
static void put_kv_heads(struct reader *reader, const char *kinds, int32_t layers) {
    int32_t kv[MODEL_MAX_LAYERS];
    const int32_t heads = kv_heads(reader);
    ASSERT(layers >= 0 && layers <= MODEL_MAX_LAYERS);
    for (int32_t i = 0; i < layers; i++)
        kv[i] = kinds[i] == ATTENDS ? heads : 0;
    reader->lists_layers = true;
    reader_state_list(reader, "attention.head_count_kv", kv, layers);
}

// The width that a feed-forward was asked for is that of a plain one with as many weights.
static double adjusted_width(struct reader *reader) {
    const cJSON *json = reader->json;
    const double asked = reader_number(reader, json, "intermediate_size", 0);
    double width = reader_number(reader, json, "block_ff_dim", asked);
    const double times = reader_number(reader, json, "block_ffn_dim_multiplier", 1);
    const double unit = reader_number(reader, json, "block_multiple_of", 256);
    if (cJSON_IsFalse(reader_get(reader, json, "block_auto_adjust_ff_dim"))) return width;
    if (reader->family->layer.ffn.kind == FFN_EXPERTS) return width; // is what it is
    width = floor(floor(2 * width / 3) * times);
    return unit >= 1 ? unit * ceil(width / unit) : -1;
}

static void read_convolutions(struct reader *reader) {
    char kinds[MODEL_MAX_LAYERS];
    const int32_t layers = read_kinds(reader, 0, kinds);
    const double width = adjusted_width(reader);
    check_kinds(reader, kinds, layers, "M*");
    if (!(width >= 1 && width < 0x1p31))
        reader_fail(reader, STATUS_BAD_FILE, "block_ff_dim", "is out of range");
    if (reader->status != STATUS_OK) return;
    put_kv_heads(reader, kinds, layers);
    reader_state_count(reader, "feed_forward_length", (int64_t)width);
}

static void put_recurrence(struct reader *reader, const struct recurrence_spec *spec,
                           struct folder_config *config) {
    if (reader->status != STATUS_OK) return;
    if (spec->key_heads < 1 || spec->key_heads > spec->value_heads ||
        spec->value_heads % spec->key_heads || spec->value_heads > MODEL_MAX_HEADS ||
        spec->key_size < 1 || spec->key_size > RECURRENCE_SIZE_MAX || spec->value_size < 1 ||
        spec->value_size > RECURRENCE_SIZE_MAX || spec->width < 1 || spec->width > SHORT_CONV_MAX) {
        reader_fail(reader, STATUS_BAD_FILE, "the number, size or width of the recurrent heads",
                    "is out of range");
        return;
    }
    config->recurrence = *spec;
}

// A file of GGUF has the values' heads in another order than a folder, whose order is that of keys.
static void read_delta(struct reader *reader, struct folder_config *config) {
    static const char *const gates[] = {"swish", "silu"};
    char kinds[MODEL_MAX_LAYERS];
    int32_t recurs[MODEL_MAX_LAYERS];
    const cJSON *json = reader->json;
    const int32_t layers =
        read_kinds(reader, reader_count(reader, "full_attention_interval", 4), kinds);
    check_kinds(reader, kinds, layers, "M*");
    for (int32_t i = 0; i < layers; i++)
        recurs[i] = kinds[i] == RECURS;
    reader_state_list(reader, "attention.recurrent_layers", recurs, layers);
    put_recurrence(reader,
                   &(struct recurrence_spec){
                       .rule = RECURRENCE_DELTA,
                       .width = (int32_t)reader_count(reader, "linear_conv_kernel_dim", -1),
                       .key_size = (int32_t)reader_count(reader, "linear_key_head_dim", -1),
                       .value_size = (int32_t)reader_count(reader, "linear_value_head_dim", -1),
                       .key_heads = (int32_t)reader_count(reader, "linear_num_key_heads", -1),
                       .value_heads = (int32_t)reader_count(reader, "linear_num_value_heads", -1)},
                   config);

    if (cJSON_IsFalse(reader_get(reader, json, "attn_output_gate")))
        reader_unsupported(reader, "attn_output_gate", "true");
    if (!reader_is_word(gates, 2, reader_get(reader, json, "output_gate_type")))
        reader_unsupported(reader, "output_gate_type", "swish or silu");
}

// Steps have no bounds; an infinite one is a number, or since transformers 5 an object that says
// so.
static void check_steps(struct reader *reader) {
    const cJSON *limits = reader_get(reader, reader->json, "time_step_limit");
    const cJSON *least = cJSON_GetArrayItem(limits, 0), *most = cJSON_GetArrayItem(limits, 1);
    const char *stated = reader_string(reader, most, "__float__", "");
    if (limits &&
        !(cJSON_IsNumber(least) && least->valuedouble == 0 &&
          (!strcmp(stated, "Infinity") || (cJSON_IsNumber(most) && isinf(most->valuedouble)))))
        reader_unsupported(reader, "time_step_limit", "[0, Infinity]");
}

// As Granite and Falcon name it. `values`: the rows of all heads.
static struct recurrence_spec mamba_of(struct reader *reader, int64_t values) {
    const int64_t heads = reader_count(reader, "mamba_n_heads", -1);
    check_steps(reader);
    reader_get(reader, reader->json, "mamba_d_head"); // which follows from these two
    if (heads > 0 && values % heads)
        reader_fail(reader, STATUS_BAD_FILE, "mamba_n_heads", "must divide the inner size");
    return (struct recurrence_spec){
        .rule = RECURRENCE_SSD,
        .width = (int32_t)reader_count(reader, "mamba_d_conv", -1),
        .key_size = (int32_t)reader_count(reader, "mamba_d_state", -1),
        .key_heads = (int32_t)reader_count(reader, "mamba_n_groups", -1),
        .value_heads = (int32_t)heads,
        .value_size = heads > 0 && values / heads <= INT32_MAX ? (int32_t)(values / heads) : 0};
}

static int64_t expanded(struct reader *reader) {
    return reader_count(reader, "mamba_expand", 2) * reader_count(reader, "hidden_size", -1);
}

// What a mixture shares is all that a model without experts has.
static void read_granite(struct reader *reader, struct folder_config *config) {
    char kinds[MODEL_MAX_LAYERS];
    const cJSON *json = reader->json;
    const int32_t layers = read_kinds(reader, 0, kinds);
    const struct recurrence_spec ssd = mamba_of(reader, expanded(reader));
    const int64_t shared = reader_count(reader, "shared_intermediate_size", -1);
    config->mixture = reader_count(reader, "num_local_experts", -1) > 0;
    check_kinds(reader, kinds, layers, "M*");
    put_kv_heads(reader, kinds, layers);
    put_recurrence(reader, &ssd, config);
    reader_state_count(reader, "feed_forward_length",
                       config->mixture ? reader_count(reader, "intermediate_size", -1) : shared);
    if (config->mixture) reader_state_count(reader, "expert_shared_feed_forward_length", shared);
    if (ssd.key_heads != 1) reader_unsupported(reader, "mamba_n_groups", "1");
    if (strcmp(reader_string(reader, json, "position_embedding_type", ""), "rope") != 0)
        reader_state(reader, "rope.scaling.finetuned", false);
    if (strcmp(reader_string(reader, json, "normalization_function", "rmsnorm"), "rmsnorm") != 0)
        reader_unsupported(reader, "normalization_function", "rmsnorm");
}

static void read_nemotron(struct reader *reader, struct folder_config *config) {
    static const char *const silu[] = {"silu", "swish"};
    char kinds[MODEL_MAX_LAYERS];
    int32_t widths[MODEL_MAX_LAYERS];
    const int32_t layers = read_kinds(reader, 0, kinds);
    const bool mixture = reader->family->layer.ffn.kind == FFN_EXPERTS;
    const char feeds = mixture ? MIXTURE : FEEDS;
    const int32_t width =
        (int32_t)reader_count(reader, mixture ? "moe_intermediate_size" : "intermediate_size", 0);
    const struct recurrence_spec ssd = {
        .rule = RECURRENCE_SSD,
        .width = (int32_t)reader_count(reader, "conv_kernel", -1),
        .key_size = (int32_t)reader_count(reader, "ssm_state_size", -1),
        .key_heads = (int32_t)reader_count(reader, "n_groups", -1),
        .value_heads = (int32_t)reader_count(reader, "mamba_num_heads", -1),
        .value_size = (int32_t)reader_count(reader, "mamba_head_dim", -1)};
    check_kinds(reader, kinds, layers, mixture ? "M*E" : "M*-");
    check_steps(reader);
    for (int32_t i = 0; i < layers; i++)
        widths[i] = kinds[i] == feeds ? width : 0;
    put_kv_heads(reader, kinds, layers);
    reader_state_list(reader, "feed_forward_length", widths, layers);
    put_recurrence(reader, &ssd, config);
    if (!reader_get(reader, reader->json, "num_hidden_layers"))
        reader_state(reader, "block_count", layers);
    if (!reader_is_word(silu, 2, reader_get(reader, reader->json, "mamba_hidden_act")))
        reader_unsupported(reader, "mamba_hidden_act", "silu");
}

// One number of a list, or 1 where there is none.
static double one_of(struct reader *reader, const char *key, int count, int at) {
    const cJSON *list = reader_get(reader, reader->json, key), *item = cJSON_GetArrayItem(list, at);
    if (list && (cJSON_GetArraySize(list) != count || !cJSON_IsNumber(item)))
        reader_fail(reader, STATUS_BAD_FILE, key, "has the wrong number of values");
    return cJSON_IsNumber(item) ? item->valuedouble : 1;
}

static void put_scale(struct reader *reader, struct folder_config *config, const char *part,
                      double by) {
    ASSERT(config->scale_count < FOLDER_MAX_SCALES);
    if (!isfinite((float)by))
        reader_fail(reader, STATUS_BAD_FILE, "a multiplier", "is out of range");
    config->scales[config->scale_count++] = (struct folder_scale){.part = part, .by = (float)by};
}

// What these multiply is what a matrix reads or makes.
static void put_multipliers(struct reader *reader, struct folder_config *config) {
    const struct recurrence_spec *ssd = &config->recurrence;
    const cJSON *json = reader->json;
    const int64_t values = ssd->value_heads * ssd->value_size,
                  keys = ssd->key_heads * ssd->key_size;
    const int64_t rows[] = {values, values, keys, keys, ssd->value_heads};
    const double in = reader_number(reader, json, "attention_in_multiplier", 1);
    const double ssm_in = reader_number(reader, json, "ssm_in_multiplier", 1);
    if (in != 1 && cJSON_IsTrue(reader_get(reader, json, "attention_bias")))
        reader_fail(reader, STATUS_UNSUPPORTED, "attention_in_multiplier",
                    "is not supported together with attention_bias");
    for (int i = 0; i < 5; i++) {
        put_scale(reader, config, "mamba.in_proj.",
                  one_of(reader, "ssm_multipliers", 5, i) * ssm_in);
        config->scales[i].rows = rows[i];
    }
    put_scale(reader, config, "mamba.out_proj.",
              reader_number(reader, json, "ssm_out_multiplier", 1));
    put_scale(reader, config, "self_attn.q_proj.", in);
    put_scale(reader, config, "self_attn.k_proj.",
              in * reader_number(reader, json, "key_multiplier", 1));
    put_scale(reader, config, "self_attn.v_proj.", in);
    put_scale(reader, config, "self_attn.o_proj.",
              reader_number(reader, json, "attention_out_multiplier", 1));
    put_scale(reader, config, "feed_forward.gate_proj.", one_of(reader, "mlp_multipliers", 2, 0));
    put_scale(reader, config, "feed_forward.down_proj.", one_of(reader, "mlp_multipliers", 2, 1));
}

static void read_falcon(struct reader *reader, struct folder_config *config) {
    const cJSON *json = reader->json;
    const bool stated = reader_get(reader, json, "mamba_d_ssm") != NULL;
    const struct recurrence_spec ssd =
        mamba_of(reader, stated ? reader_count(reader, "mamba_d_ssm", -1) : expanded(reader));
    put_recurrence(reader, &ssd, config);
    if (reader->status == STATUS_OK) put_multipliers(reader, config);
    if (cJSON_IsTrue(reader_get(reader, json, "mamba_rms_norm")) &&
        !cJSON_IsFalse(reader_get(reader, json, "mamba_norm_before_gate")))
        reader_unsupported(reader, "mamba_norm_before_gate", "false");
}

void folder_hybrid_read(struct reader *reader, struct folder_config *config) {
    switch (reader->family->hybrid) {
    case HYBRID_CONVOLUTIONS:
        read_convolutions(reader);
        break;
    case HYBRID_DELTA:
        read_delta(reader, config);
        break;
    case HYBRID_GRANITE:
        read_granite(reader, config);
        break;
    case HYBRID_NEMOTRON:
        read_nemotron(reader, config);
        break;
    case HYBRID_FALCON:
        read_falcon(reader, config);
        break;
    case HYBRID_NONE:
        break;
    }
}
