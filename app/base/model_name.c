#include "app/base/model_name.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "app/base/path.h"

static bool is_joined(char c) { return isalnum((unsigned char)c) || c == '_'; }

bool model_name_has(const char *text, const char *part) {
    const size_t length = strlen(part);
    for (const char *at = text; *at && length; at++)
        if (strncasecmp(at, part, length) == 0 && (at == text || !isalnum((unsigned char)at[-1])) &&
            !is_joined(at[length]))
            return true;
    return false;
}

// Does the word begin like a weight type: "Q4_K_M", "IQ2_M", "BF16", "NVFP4"?
static bool begins_type(const char *word) {
    static const char *const begins[] = {"Q", "IQ", "TQ", "F", "BF", "FP", "MXFP", "NVFP"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        const size_t length = strlen(begins[i]);
        if (strncasecmp(word, begins[i], length) == 0 && isdigit((unsigned char)word[length]))
            return true;
    }
    return false;
}

// "gemma-Q8_0-MTP.gguf" is just gemma's drafter; "gemma-MTP-Q8_0.gguf" is gemma with its drafter.
static bool is_draft_of_type(const char *name) {
    static const char end[] = "-mtp.gguf";
    if (!path_ends_with(name, end)) return false;
    const char *word = name + strlen(name) - strlen(end);
    while (word > name && is_joined(word[-1]))
        word--;
    return begins_type(word);
}

static bool has_any(const char *text, const char *const *words) {
    for (; *words; words++)
        if (model_name_has(text, *words)) return true;
    return false;
}

// Is `folder` the whole name of one of the folders above the file?
static bool is_in_folder(const char *path, const char *folder) {
    const size_t length = strlen(folder);
    for (const char *slash; (slash = strchr(path, '/')); path = slash + 1)
        if ((size_t)(slash - path) == length && strncasecmp(path, folder, length) == 0) return true;
    return false;
}

const char *model_name_role(const char *path) {
    static const char *const adapters[] = {"lora", "qlora", "adapter", NULL};
    static const char *const vocabularies[] = {"vocab", "vocabulary", NULL};
    static const char *const drafters[] = {"draft",  "drafter",    "eagle3",
                                           "dflash", "speculator", NULL};
    static const char *const vectors[] = {"cvector", "control-vector", "control_vector", NULL};
    const char *name = basename(path);
    if (strcasestr(name, "mmproj") || model_name_has(name, "projector")) return "a projector";
    if (strcasestr(name, "imatrix")) return "an importance matrix";
    if (has_any(name, vocabularies)) return "a vocabulary";
    if (has_any(name, adapters) || is_in_folder(path, "lora")) return MODEL_NAME_ADAPTER;
    if (has_any(name, vectors)) return "a control vector";
    const bool begins = strncasecmp(name, "mtp", 3) == 0 && !isalnum((unsigned char)name[3]);
    if (begins || is_draft_of_type(name) || has_any(name, drafters) || is_in_folder(path, "mtp") ||
        is_in_folder(path, "draft"))
        return "a drafter";
    return NULL;
}

bool model_name_may_draft(const char *path) {
    static const char *const words[] = {"mtp", "eagle", "eagle2", "medusa", "assistant", NULL};
    return has_any(basename(path), words);
}
