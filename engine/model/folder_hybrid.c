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

static void read_delta(struct reader *reader) {
    char kinds[MODEL_MAX_LAYERS];
    int32_t recurs[MODEL_MAX_LAYERS];
    const int32_t layers =
        read_kinds(reader, reader_count(reader, "full_attention_interval", 4), kinds);
    check_kinds(reader, kinds, layers, "M*");
    for (int32_t i = 0; i < layers; i++)
        recurs[i] = kinds[i] == RECURS;
    reader_state_list(reader, "attention.recurrent_layers", recurs, layers);
}

// What a mixture shares is all that a model without experts has.
static void read_granite(struct reader *reader) {
    char kinds[MODEL_MAX_LAYERS];
    const cJSON *json = reader->json;
    const int32_t layers = read_kinds(reader, 0, kinds);
    const bool mixture = reader_count(reader, "num_local_experts", -1) > 0;
    const int64_t shared = reader_count(reader, "shared_intermediate_size", -1);
    reader->config->mixture = mixture;
    check_kinds(reader, kinds, layers, "M*");
    put_kv_heads(reader, kinds, layers);
    reader_state_count(reader, "feed_forward_length",
                       mixture ? reader_count(reader, "intermediate_size", -1) : shared);
    if (mixture) reader_state_count(reader, "expert_shared_feed_forward_length", shared);
    if (strcmp(reader_string(reader, json, "position_embedding_type", ""), "rope") != 0)
        reader_state(reader, "rope.scaling.finetuned", false);
    if (strcmp(reader_string(reader, json, "normalization_function", "rmsnorm"), "rmsnorm") != 0)
        reader_unsupported(reader, "normalization_function", "rmsnorm");
}

static void read_nemotron(struct reader *reader) {
    char kinds[MODEL_MAX_LAYERS];
    int32_t widths[MODEL_MAX_LAYERS];
    const int32_t layers = read_kinds(reader, 0, kinds);
    const bool mixture = reader->family->layer.ffn.kind == FFN_EXPERTS;
    const char feeds = mixture ? MIXTURE : FEEDS;
    const int32_t width =
        (int32_t)reader_count(reader, mixture ? "moe_intermediate_size" : "intermediate_size", 0);
    check_kinds(reader, kinds, layers, mixture ? "M*E" : "M*-");
    for (int32_t i = 0; i < layers; i++)
        widths[i] = kinds[i] == feeds ? width : 0;
    put_kv_heads(reader, kinds, layers);
    reader_state_list(reader, "feed_forward_length", widths, layers);
    if (!reader_get(reader, reader->json, "num_hidden_layers"))
        reader_state(reader, "block_count", layers);
}

// One number of a list, or 1 where there is none.
static double one_of(struct reader *reader, const char *key, int count, int at) {
    const cJSON *list = reader_get(reader, reader->json, key), *item = cJSON_GetArrayItem(list, at);
    if (list && (cJSON_GetArraySize(list) != count || !cJSON_IsNumber(item)))
        reader_fail(reader, STATUS_BAD_FILE, key, "has the wrong number of values");
    return cJSON_IsNumber(item) ? item->valuedouble : 1;
}

static void put_scale(struct reader *reader, const char *part, double by) {
    struct folder_config *config = reader->config;
    ASSERT(config->scale_count < FOLDER_MAX_SCALES);
    if (!isfinite((float)by))
        reader_fail(reader, STATUS_BAD_FILE, "a multiplier", "is out of range");
    config->scales[config->scale_count++] = (struct folder_scale){.part = part, .by = (float)by};
}

// What these multiply is what a matrix reads or makes.
static void read_multipliers(struct reader *reader) {
    const struct recurrence_spec *ssd = &reader->config->recurrence;
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
        put_scale(reader, "mamba.in_proj.", one_of(reader, "ssm_multipliers", 5, i) * ssm_in);
        reader->config->scales[i].rows = rows[i];
    }
    put_scale(reader, "mamba.out_proj.", reader_number(reader, json, "ssm_out_multiplier", 1));
    put_scale(reader, "self_attn.q_proj.", in);
    put_scale(reader, "self_attn.k_proj.", in * reader_number(reader, json, "key_multiplier", 1));
    put_scale(reader, "self_attn.v_proj.", in);
    put_scale(reader, "self_attn.o_proj.",
              reader_number(reader, json, "attention_out_multiplier", 1));
    put_scale(reader, "feed_forward.gate_proj.", one_of(reader, "mlp_multipliers", 2, 0));
    put_scale(reader, "feed_forward.down_proj.", one_of(reader, "mlp_multipliers", 2, 1));
}

void folder_hybrid_read(struct reader *reader) {
    switch (reader->family->hybrid) {
    case HYBRID_CONVOLUTIONS:
        read_convolutions(reader);
        break;
    case HYBRID_DELTA:
        read_delta(reader);
        break;
    case HYBRID_GRANITE:
        read_granite(reader);
        break;
    case HYBRID_NEMOTRON:
        read_nemotron(reader);
        break;
    case HYBRID_FALCON:
        if (reader->status == STATUS_OK) read_multipliers(reader);
        break;
    case HYBRID_NONE:
        break;
    }
}
