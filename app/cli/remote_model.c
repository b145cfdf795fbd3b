#include "app/cli/remote_model.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/base/attachment.h"
#include "app/base/path.h"
#include "app/cli/finder.h"
#include "app/cli/key_command.h"
#include "app/cli/options.h"

static const char SECTION[] = "remote.";

static bool is_of(const struct args_section *line, const char *name) {
    return strncmp(line->section, SECTION, sizeof SECTION - 1) == 0 &&
           strcmp(line->section + sizeof SECTION - 1, name) == 0;
}

bool remote_model_is(const struct args *args, const char *name) {
    if (!name) return false;
    for (size_t i = 0; i < args->section_count; i++)
        if (is_of(&args->sections[i], name)) return true;
    return path_is_url(name);
}

// Length of scheme, host and port.
static size_t host_length(const char *url) {
    const char *scheme = strstr(url, "://");
    const size_t prefix = scheme ? (size_t)(scheme - url) + 3 : 0;
    return prefix + strcspn(url + prefix, "/?#");
}

bool remote_model_same_host(const char *url, const char *other) {
    const size_t length = host_length(url);
    return length == host_length(other) && strncasecmp(url, other, length) == 0;
}

enum status remote_model_host(const char *url, struct text *host) {
    return text_append(host, url, host_length(url));
}

void remote_model_deinit(struct remote_model *model) {
    if (model->key.bytes) explicit_bzero(model->key.bytes, model->key.length);
    text_deinit(&model->url);
    text_deinit(&model->model);
    text_deinit(&model->key);
    text_deinit(&model->vocabulary);
}

// The option on the command line whose row has this bit, or NULL. Those of other sources are for
// other models.
static const char *find_word(const struct args *args, unsigned bit) {
    for (size_t i = 0; i < option_count(); i++)
        if (option_at(i)->commands & bit && args_source(args, option_at(i)->name) == ARGS_WORDS)
            return option_at(i)->name;
    return NULL;
}

enum status remote_model_check(const struct args *args, struct error *err) {
    const char *local = find_word(args, ONLY_HERE);
    if (!local) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "--%s is not supported for a model on a server", local);
}

enum status remote_model_check_local(const struct args *args, struct error *err) {
    const char *server = find_word(args, ONLY_ON_SERVER);
    if (!server) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "--%s is only for a model on a server", server);
}

// A key is one line of text, without the blanks around it.
static enum status trim_key(struct text *key, const char *where, const char *from,
                            struct error *err) {
    const char *bytes = text_string(key);
    const size_t first = strspn(bytes, " \t\r\n"), length = strcspn(bytes + first, " \t\r\n");
    const bool more = bytes[first + length + strspn(bytes + first + length, " \t\r\n")] != '\0';
    if (length == 0 || more || utf8_has_control(bytes + first, length))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s %.200s: no key found (expected one line of text)", where, from);
    memmove(key->bytes, key->bytes + first, length);
    key->bytes[length] = '\0';
    key->length = length;
    return STATUS_OK;
}

// `where` is what said where the key is, for errors.
static enum status read_key(const char *where, const char *from, struct text *key,
                            struct error *err) {
    const char *colon = strchr(from, ':'), *value = colon ? colon + 1 : "";
    const size_t kind = colon ? (size_t)(colon - from) : 0;
    struct text path = {0};
    struct error why = {0};
    enum status status;
    if (kind == 3 && strncmp(from, "env", kind) == 0) {
        const char *set = getenv(value);
        status = set ? text_append_string(key, set)
                     : error_set(err, STATUS_BAD_INPUT, "%s %.200s: %.200s is not set", where, from,
                                 value);
    } else if (kind == 4 && strncmp(from, "file", kind) == 0) {
        status = path_expand(value, &path);
        if (status == STATUS_OK) status = file_read(text_string(&path), key, err);
    } else if (kind == 7 && strncmp(from, "command", kind) == 0) {
        status = key_command_read(value, key, &why);
        if (why.text[0]) error_set(err, status, "%s: %s", where, why.text);
    } else {
        status =
            error_set(err, STATUS_BAD_INPUT,
                      "%s: expected env:NAME, file:PATH or command:…, never the key itself", where);
    }
    text_deinit(&path);
    return status == STATUS_OK ? trim_key(key, where, from, err) : status;
}

// Applies the section's lines, unless a higher source sets the same option. The last of a key
// counts.
static enum status read_section(const char *name, struct args *args, struct remote_model *model,
                                struct error *err) {
    for (size_t i = 0; i < args->section_count; i++) {
        const struct args_section *line = &args->sections[i];
        struct text *text = strcmp(line->key, "url") == 0 ? &model->url : &model->model;
        const bool places = text == &model->url || strcmp(line->key, "model") == 0;
        if (!is_of(line, name)) continue;
        if (places) text_clear(text);
        TRY(places ? text_append_string(text, line->value)
                   : args_set(args, line->key, line->value, ARGS_CONFIG, line->key, err));
    }
    if (model->url.length) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "[remote.%s]: expected url = http://HOST:PORT/v1",
                     name);
}

static enum status split_url(const char *name, struct remote_model *model) {
    const char *hash = strchr(name, '#');
    TRY(text_append(&model->url, name, hash ? (size_t)(hash - name) : strlen(name)));
    return hash ? text_append_string(&model->model, hash + 1) : STATUS_OK;
}

static enum remote_wish wish_of(const char *word) {
    if (strcmp(word, "tokens") == 0) return REMOTE_TOKENS;
    return strcmp(word, "messages") == 0 ? REMOTE_MESSAGES : REMOTE_AUTO;
}

const char *remote_model_certificates(void) {
    const char *file = getenv("CURL_CA_BUNDLE");
    return file && *file ? file : getenv("SSL_CERT_FILE");
}

enum status remote_model_read(const struct args *given, const char *name,
                              struct remote_model *model, struct error *err) {
    enum { MS = 1000 };
    struct args args = *given; // with what its section says
    const char *inherited = getenv("QUIRE_API_KEY");
    char shown[ARGS_SHOWN_BYTES];
    TRY(remote_model_check(given, err));
    TRY(path_is_url(name) ? split_url(name, model) : read_section(name, &args, model, err));
    if (args.key_from)
        TRY(read_key(args_shown(&args, "key-from", shown), args.key_from, &model->key, err));
    else if (inherited && *inherited)
        TRY(read_key("QUIRE_API_KEY", "env:QUIRE_API_KEY", &model->key, err));
    if (args.vocabulary) TRY(finder_find(args.vocabulary, &model->vocabulary, err));
    model->options = (struct remote_options){
        .url = text_string(&model->url),
        .model = model->model.length ? text_string(&model->model) : NULL,
        .key = model->key.length ? text_string(&model->key) : NULL,
        .salt = args.cache_salt,
        .vocabulary = model->vocabulary.length ? text_string(&model->vocabulary) : NULL,
        .certificates = remote_model_certificates(),
        .wish = wish_of(args.remote),
        .first_byte_ms = args.first_byte * MS,
        .silence_ms = args.silence * MS,
    };
    return STATUS_OK;
}
