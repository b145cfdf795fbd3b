#include "app/cli/model_role.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/model/adapter.h"
#include "engine/model/checkpoint.h"

struct role {
    const char *word, *role;
};

static const char *find_role(const struct role *roles, const struct gguf_string *word) {
    for (; roles->word; roles++)
        if (strlen(roles->word) == word->length &&
            strncasecmp(roles->word, word->bytes, word->length) == 0)
            return roles->role;
    return NULL;
}

static int64_t number_of(const struct gguf *gguf, const struct gguf_string *family, const char *key,
                         int64_t otherwise) {
    char whole[128];
    int64_t number = otherwise;
    const int length =
        snprintf(whole, sizeof whole, "%.*s.%s", (int)family->length, family->bytes, key);
    if (length > 0 && (size_t)length < sizeof whole) gguf_find_int(gguf, whole, &number);
    return number;
}

// Are all layers drafting layers?
static bool only_drafts(const struct gguf *gguf, const struct gguf_string *family) {
    const int64_t layers = number_of(gguf, family, "block_count", 0);
    return layers > 0 && number_of(gguf, family, "nextn_predict_layers", 0) >= layers;
}

const char *model_role(const struct gguf *gguf) {
    static const struct role types[] = {
        {"mmproj", "a projector"},
        {"projector", "a projector"},
        {"vocab", "a vocabulary"},
        {"imatrix", "a matrix"},
        {"controlvector", "a vector"},
        {"draft", "a drafter"},
        {NULL, NULL},
    };
    static const struct role families[] = {
        {"clip", "a projector"}, {"eagle", "a drafter"},        {"eagle3", "a drafter"},
        {"medusa", "a drafter"}, {"dflash", "a drafter"},       {"gemma4-assistant", "a drafter"},
        {"imatrix", "a matrix"}, {"controlvector", "a vector"}, {NULL, NULL},
    };
    struct gguf_string type = {"", 0}, family = {"", 0};
    if (adapter_is_file(gguf)) return "for --lora";
    gguf_find_string(gguf, "general.type", &type);
    gguf_find_string(gguf, "general.architecture", &family);
    const char *role = find_role(types, &type);
    if (!role) role = find_role(families, &family);
    if (!role && gguf_tensor_count(gguf) == 0) role = "a vocabulary";
    return role || !only_drafts(gguf, &family) ? role : "a drafter";
}

const char *model_role_of_file(const char *path) {
    struct gguf *gguf = NULL;
    if (checkpoint_open(path, &gguf, NULL) != STATUS_OK) return NULL;
    const char *role = model_role(gguf);
    gguf_close(gguf);
    return role;
}
