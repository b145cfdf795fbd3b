// tests/fuzz/mutate_json.c — another JSON document instead of other bytes: a value replaced,
// removed, repeated, moved, a key renamed. Some document in the input is taken, whatever is around
// it; eight bytes in front that give its length are corrected, as safetensors has them.
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t most, unsigned seed);

enum { NODES_MAX = 4096, STRING_MAX = 256 };

struct nodes {
    cJSON *node[NODES_MAX], *parent[NODES_MAX];
    unsigned count;
};

static unsigned draw_below(unsigned *random, unsigned below) {
    *random = *random * 1664525u + 1013904223u;
    return (*random >> 8) % below;
}

// All that are below the root.
static void collect(struct nodes *nodes, cJSON *root) {
    nodes->count = 0;
    nodes->node[nodes->count++] = root;
    for (unsigned i = 0; i < nodes->count; i++)
        for (cJSON *child = nodes->node[i]->child; child && nodes->count < NODES_MAX;
             child = child->next) {
            nodes->parent[nodes->count] = nodes->node[i];
            nodes->node[nodes->count++] = child;
        }
}

static cJSON *make_value(unsigned *random) {
    static const double numbers[] = {0,          -1,    1,     2,          3,
                                     0.5,        255,   65536, 1e9,        1e18,
                                     4294967296, 1e300, -0.0,  2147483647, -2147483648.0};
    static const char *const texts[] = {"",
                                        "null",
                                        "yarn",
                                        "linear",
                                        "llama3",
                                        "F32",
                                        "BF16",
                                        "user",
                                        "bpe",
                                        "\xF0\x9F\x90\xA6",
                                        "sliding_attention",
                                        "Split",
                                        "Sequence"};
    switch (draw_below(random, 8)) {
    case 0:
        return cJSON_CreateNull();
    case 1:
        return cJSON_CreateBool(draw_below(random, 2) != 0);
    case 2:
        return cJSON_CreateArray();
    case 3:
        return cJSON_CreateObject();
    case 4:
    case 5:
        return cJSON_CreateString(texts[draw_below(random, sizeof texts / sizeof texts[0])]);
    default:
        return cJSON_CreateNumber(numbers[draw_below(random, sizeof numbers / sizeof numbers[0])]);
    }
}

static cJSON *change_text(const cJSON *node) {
    uint8_t text[STRING_MAX + 1] = {0};
    strncpy((char *)text, node->valuestring, STRING_MAX);
    text[LLVMFuzzerMutate(text, strlen((char *)text), STRING_MAX)] = '\0';
    return cJSON_CreateString((const char *)text);
}

static void replace_item(cJSON *parent, cJSON *node, cJSON *value) {
    if (value && node->string) {
        free(value->string);
        value->string = malloc(strlen(node->string) + 1);
        if (value->string) strcpy(value->string, node->string);
    }
    if (value) cJSON_ReplaceItemViaPointer(parent, node, value);
}

static void add_item(cJSON *parent, const char *key, cJSON *value) {
    if (cJSON_IsObject(parent))
        cJSON_AddItemToObject(parent, key ? key : "", value);
    else
        cJSON_AddItemToArray(parent, value);
}

static void mutate(cJSON *root, unsigned *random) {
    static struct nodes nodes;
    collect(&nodes, root);
    if (nodes.count < 2) return;
    const unsigned i = 1 + draw_below(random, nodes.count - 1),
                   j = 1 + draw_below(random, nodes.count - 1);
    cJSON *node = nodes.node[i], *parent = nodes.parent[i], *other = nodes.node[j];
    switch (draw_below(random, 6)) {
    case 0:
        cJSON_Delete(cJSON_DetachItemViaPointer(parent, node));
        break;
    case 1:
        add_item(parent, node->string, cJSON_Duplicate(node, true));
        break;
    case 2:
        replace_item(parent, node, cJSON_Duplicate(other, true));
        break;
    case 3:
        add_item(parent, other->string ? other->string : node->string, make_value(random));
        break;
    case 4:
        if (cJSON_IsString(node)) {
            replace_item(parent, node, change_text(node));
            break;
        } // else as the next
    default:
        replace_item(parent, node, make_value(random));
    }
}

static uint64_t length_at(const uint8_t *bytes) {
    uint64_t length = 0;
    for (int i = 7; i >= 0; i--)
        length = length << 8 | bytes[i];
    return length;
}

// The text takes the place of `old` bytes at `at`.
static size_t splice(uint8_t *bytes, size_t length, size_t most, size_t at, size_t old,
                     const char *text) {
    const size_t new = strlen(text);
    if (length - old + new > most) return 0;
    if (at >= 8 && length_at(bytes + at - 8) == old)
        for (size_t i = 0; i < 8; i++)
            bytes[at - 8 + i] = (uint8_t)((uint64_t) new >> 8 * i);
    memmove(bytes + at + new, bytes + at + old, length - at - old);
    memcpy(bytes + at, text, new);
    return length - old + new;
}

static size_t mutate_at(uint8_t *bytes, size_t length, size_t most, size_t at, unsigned *random) {
    char *copy = malloc(length - at + 1), *text = NULL;
    const char *end = NULL;
    size_t result = 0;
    if (!copy) return 0;
    memcpy(copy, bytes + at, length - at);
    copy[length - at] = '\0';
    cJSON *root = cJSON_ParseWithOpts(copy, &end, false);
    if (root) {
        mutate(root, random);
        text = cJSON_PrintUnformatted(root);
    }
    if (text) result = splice(bytes, length, most, at, (size_t)(end - copy), text);
    free(text);
    cJSON_Delete(root);
    free(copy);
    return result;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t most, unsigned seed) {
    unsigned random = seed;
    size_t begins[64], count = 0;
    for (size_t i = 0; i < length && count < 64; i++)
        if (bytes[i] == '{' && (i == 0 || bytes[i - 1] != ':')) begins[count++] = i;
    if (count > 0 && draw_below(&random, 4) != 0) {
        const size_t at = begins[draw_below(&random, 2) ? 0 : draw_below(&random, (unsigned)count)];
        const size_t result = mutate_at(bytes, length, most, at, &random);
        if (result > 0) return result;
    }
    return LLVMFuzzerMutate(bytes, length, most);
}
