#include "engine/tokenizer/tokenizer_json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/model/mapped_file.h"
#include "engine/tokenizer/internal.h"
#include "engine/tokenizer/json_steps.h"
#include "engine/tokenizer/json_vocabulary.h"
#include "kernels/base/assert.h"

struct opening {
    const char *name;
    struct tokenizer *tokenizer;
    struct json_model model;
    struct json_view added, normalizer, pre_tokenizer, decoder, post_processor;
    struct json_view config, generation, shape; // may be JSON_ABSENT
    struct error *err;
};

static enum status refuse_tokenizer(const struct opening *opening, const char *what) {
    return error_set(opening->err, STATUS_UNSUPPORTED, "%s: tokenizer.json: %s is not supported",
                     opening->name, what);
}

static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }

// Is it there, and neither null nor an empty text?
static bool is_said(struct json_view view) {
    const enum json_kind kind = json_view_kind(view);
    return kind == JSON_STRING ? json_view_string_bound(view) > 0
                               : kind != JSON_ABSENT && kind != JSON_NULL;
}

// The file is read once; its members may come in any order.
static enum status read_members(struct opening *opening, struct json_view file) {
    struct json_view key, value, model = {0};
    const struct {
        const char *name;
        struct json_view *view;
    } members[] = {
        {"model", &model},
        {"added_tokens", &opening->added},
        {"normalizer", &opening->normalizer},
        {"pre_tokenizer", &opening->pre_tokenizer},
        {"decoder", &opening->decoder},
        {"post_processor", &opening->post_processor},
    };
    for (size_t cursor = 0; json_view_next(file, &cursor, &key, &value);)
        for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
            if (json_view_is(key, members[i].name)) *members[i].view = value;
    json_model_read(model, &opening->model);
    if (is_said(opening->added) && json_view_kind(opening->added) != JSON_ARRAY)
        return error_set(opening->err, STATUS_BAD_FILE,
                         "%s: tokenizer.json: added_tokens must be a list", opening->name);
    return json_check_flags(model, opening->name, opening->err);
}

static enum status check_model(const struct opening *opening, bool *unigram) {
    const struct json_model *model = &opening->model;
    const enum json_kind vocab = json_view_kind(model->vocab);
    const enum json_kind type = json_view_kind(model->type);
    *unigram = json_view_is(model->type, "Unigram") ||
               (vocab == JSON_ARRAY && (type == JSON_ABSENT || type == JSON_NULL));
    if (is_said(model->type) && type != JSON_STRING)
        return refuse_tokenizer(opening, "this model type");
    const size_t shown =
        type == JSON_STRING ? min_size(json_view_string_bound(model->type), 40) : 0;
    if (type == JSON_STRING && !*unigram && !json_view_is(model->type, "BPE"))
        return error_set(opening->err, STATUS_UNSUPPORTED,
                         "%s: tokenizer.json: model \"%.*s\" is not supported", opening->name,
                         (int)shown, model->type.bytes + 1);
    if (vocab != (*unigram ? JSON_ARRAY : JSON_OBJECT))
        return error_set(opening->err, STATUS_BAD_FILE,
                         "%s: tokenizer.json: model.vocab is missing", opening->name);
    double dropout = 0;
    if (is_said(model->dropout) && (!json_view_double(model->dropout, &dropout) || dropout != 0))
        return refuse_tokenizer(opening, "dropout");
    if (is_said(model->continuing_subword_prefix))
        return refuse_tokenizer(opening, "continuing_subword_prefix");
    return is_said(model->end_of_word_suffix) ? refuse_tokenizer(opening, "end_of_word_suffix")
                                              : STATUS_OK;
}

// "<s>" or {"content": "<s>"}
static int32_t named_token(const struct opening *opening, const char *role) {
    struct json_view value = json_view_find(opening->config, role);
    if (json_view_kind(value) == JSON_OBJECT) value = json_view_find(value, "content");
    return json_vocabulary_find(&opening->tokenizer->vocabulary, value);
}

static void name_end(struct vocabulary *vocabulary, struct json_view id) {
    int64_t number;
    if (json_view_int(id, &number) && number >= 0 && number < vocabulary->count)
        vocabulary_name_end(vocabulary, (int32_t)number);
}

// One id, or several, where generate() takes them from.
static void name_ends(const struct opening *opening) {
    struct vocabulary *vocabulary = &opening->tokenizer->vocabulary;
    struct json_view ends = json_view_find(opening->generation, "eos_token_id"), end;
    if (!is_said(ends)) ends = json_view_find(opening->shape, "eos_token_id");
    if (!is_said(ends))
        ends = json_view_find(json_view_find(opening->shape, "text_config"), "eos_token_id");
    name_end(vocabulary, ends);
    for (size_t cursor = 0; json_view_next(ends, &cursor, NULL, &end);)
        name_end(vocabulary, end);
}

// Llama's and Gemma's tokenizer configurations have a switch that overrides the template.
static bool has_switch(struct json_view config) {
    static const char *const classes[] = {"LlamaTokenizer",     "LlamaTokenizerFast",
                                          "GemmaTokenizer",     "GemmaTokenizerFast",
                                          "CodeLlamaTokenizer", "CodeLlamaTokenizerFast"};
    const struct json_view class = json_view_find(config, "tokenizer_class");
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (json_view_is(class, classes[i])) return true;
    return false;
}

static enum status read_roles(struct opening *opening) {
    struct vocabulary *vocabulary = &opening->tokenizer->vocabulary;
    struct json_beginning beginning = {0};
    TRY(json_steps_post_processor(opening->post_processor, opening->name, &beginning,
                                  opening->err));
    const int32_t first_id = json_vocabulary_find(vocabulary, beginning.token);
    const enum json_kind adds = json_view_kind(json_view_find(opening->config, "add_bos_token"));
    vocabulary->bos = named_token(opening, "bos_token");
    vocabulary->eos = named_token(opening, "eos_token");
    if (vocabulary->bos == TOKEN_NONE) vocabulary->bos = first_id;
    vocabulary_name_role(vocabulary, vocabulary->bos);
    vocabulary_name_end(vocabulary, vocabulary->eos);
    name_ends(opening);
    bool adds_bos = adds == JSON_TRUE;
    if (beginning.templates &&
        (adds == JSON_ABSENT || adds == JSON_NULL || !has_switch(opening->config)))
        adds_bos = first_id != TOKEN_NONE && first_id == vocabulary->bos;
    opening->tokenizer->adds_bos = adds_bos && vocabulary->bos != TOKEN_NONE;
    return STATUS_OK;
}

static enum status read_vocabulary(struct opening *opening) {
    struct tokenizer *tokenizer = opening->tokenizer;
    struct vocabulary *vocabulary = &tokenizer->vocabulary;
    TRY(json_vocabulary_read(&opening->model, opening->added, opening->name, vocabulary,
                             opening->err));
    TRY(read_roles(opening));
    if (tokenizer->normalizer.count == 0) // normalised text is the text
        for (int32_t id = 0; id < vocabulary->count; id++)
            vocabulary->tokens[id].match &= (unsigned char)~TOKEN_NORMALIZED;
    return vocabulary_index(vocabulary);
}

// The normalised texts of user-defined tokens that are searched for in normalised text.
static enum status index_normalized(struct tokenizer *tokenizer) {
    const struct vocabulary *vocabulary = &tokenizer->vocabulary;
    size_t count = 0, bytes = 0;
    for (int32_t id = 0; id < vocabulary->count; id++)
        count += (vocabulary->tokens[id].match & TOKEN_NORMALIZED) != 0;
    if (count == 0) return STATUS_OK;
    struct prefix_entry *entries = calloc(count, sizeof entries[0]);
    struct text normal = {0};
    enum status status = entries ? STATUS_OK : STATUS_NO_MEMORY;
    count = 0;
    for (int32_t id = 0; id < vocabulary->count && status == STATUS_OK; id++) {
        const struct vocabulary_token *token = &vocabulary->tokens[id];
        if (!(token->match & TOKEN_NORMALIZED)) continue;
        status = normalizer_apply(&tokenizer->normalizer, token->text.bytes, token->text.length,
                                  true, 64 * VOCABULARY_MAX_TEXT_BYTES, &normal);
        if (status == STATUS_OK)
            status = text_append(&tokenizer->normalized_texts, text_string(&normal), normal.length);
        if (status == STATUS_OK && normal.length > 0)
            entries[count++] = (struct prefix_entry){NULL, normal.length, id};
    }
    for (size_t i = 0; i < count; bytes += entries[i++].length) // the texts lie still now
        entries[i].bytes = tokenizer->normalized_texts.bytes + bytes;
    text_deinit(&normal);
    if (status != STATUS_OK)
        free(entries);
    else
        prefix_index_build(&tokenizer->normalized, entries, count);
    return status;
}

static enum status make_bytes(struct opening *opening) {
    ASSERT(opening->tokenizer->vocabulary.count > 0);
    struct tokenizer *tokenizer = opening->tokenizer;
    struct merge_table merges = {0};
    enum status status = json_vocabulary_merges(opening->model.merges, &tokenizer->vocabulary,
                                                opening->name, &merges, opening->err);
    if (status == STATUS_OK)
        status = byte_bpe_create(&tokenizer->vocabulary, &merges, opening->name,
                                 &tokenizer->byte_bpe, opening->err);
    merge_table_deinit(&merges);
    tokenizer->model = MODEL_BYTES;
    tokenizer->whole_first = json_view_kind(opening->model.ignore_merges) == JSON_TRUE;
    return status;
}

static enum status make_characters(struct opening *opening, bool unigram, bool marks_space) {
    ASSERT(opening->tokenizer->vocabulary.count > 0);
    struct tokenizer *tokenizer = opening->tokenizer;
    struct sentencepiece *sentencepiece = &tokenizer->sentencepiece;
    if (json_view_kind(opening->model.ignore_merges) == JSON_TRUE)
        return refuse_tokenizer(opening, "ignore_merges without ByteLevel");
    TRY(sentencepiece_init(sentencepiece, &tokenizer->vocabulary, opening->name, opening->err));
    sentencepiece->keeps_spaces = true;
    sentencepiece->keeps_marks = !marks_space;
    sentencepiece->fuses_unknown = json_view_kind(opening->model.fuse_unk) == JSON_TRUE;
    tokenizer->model = unigram ? MODEL_UNIGRAM : MODEL_CHARACTERS;
    if (unigram) return unigram_init(&tokenizer->unigram, sentencepiece);
    return json_vocabulary_merges(opening->model.merges, &tokenizer->vocabulary, opening->name,
                                  &sentencepiece->merges, opening->err);
}

static enum status make_tokenizer(struct opening *opening) {
    struct tokenizer *tokenizer = opening->tokenizer;
    const char *name = opening->name;
    bool unigram;
    TRY(check_model(opening, &unigram));
    TRY(json_steps_normalizer(opening->normalizer, name, &tokenizer->normalizer, opening->err));
    TRY(pretokenizer_create(&tokenizer->pretokenizer));
    struct json_cuts cuts = {.pretokenizer = tokenizer->pretokenizer,
                             .spacing = &tokenizer->spacing};
    TRY(json_steps_pretokenizer(opening->pre_tokenizer, name, &cuts, opening->err));
    struct json_decoding decoding = {0};
    TRY(json_steps_decoder(opening->decoder, name, &decoding, opening->err));
    if (cuts.byte_level && unigram) return refuse_tokenizer(opening, "Unigram over bytes");
    TRY(read_vocabulary(opening));
    TRY(index_normalized(tokenizer));
    tokenizer->drops_space = decoding.drops_space;
    snprintf(tokenizer->description, sizeof tokenizer->description, "tokenizer.json (%s)",
             unigram           ? "Unigram"
             : cuts.byte_level ? "byte-level BPE"
                               : "BPE");
    return cuts.byte_level ? make_bytes(opening)
                           : make_characters(opening, unigram, decoding.marks_space);
}

static enum status view_file(const struct tokenizer_json *files, const char *file,
                             struct gguf_string bytes, struct json_view *view, struct error *err) {
    char name[PATH_MAX];
    if (bytes.length == 0) return STATUS_OK;
    snprintf(name, sizeof name, "%.300s: %s", files->name, file);
    struct error found; // an error cannot be written from its own text
    const enum status status = json_view_open(bytes.bytes, bytes.length, name, view, &found);
    return status == STATUS_OK ? status : error_set(err, STATUS_BAD_FILE, "%s", found.text);
}

static enum status open_files(const struct tokenizer_json *files, struct opening *opening) {
    struct json_view file = {0}, shape;
    TRY(view_file(files, "tokenizer.json", files->tokenizer, &file, opening->err));
    TRY(view_file(files, "tokenizer_config.json", files->config, &opening->config, opening->err));
    TRY(view_file(files, "generation_config.json", files->generation, &opening->generation,
                  opening->err));
    // Its faults are the model's to report; it may also say Infinity, which is no JSON.
    if (files->shape.length > 0 &&
        json_view_open(files->shape.bytes, files->shape.length, "", &shape, NULL) == STATUS_OK)
        opening->shape = shape;
    if (json_view_kind(file) != JSON_OBJECT)
        return error_set(opening->err, STATUS_BAD_FILE, "%s: tokenizer.json is not an object",
                         files->name);
    TRY(read_members(opening, file));
    return make_tokenizer(opening);
}

enum status tokenizer_open_json(const struct tokenizer_json *files, struct tokenizer **tokenizer,
                                struct error *err) {
    struct opening opening = {.name = files->name, .err = err};
    opening.tokenizer = calloc(1, sizeof *opening.tokenizer);
    if (!opening.tokenizer) return STATUS_NO_MEMORY;
    const enum status status = open_files(files, &opening);
    if (status != STATUS_OK)
        tokenizer_close(opening.tokenizer);
    else
        *tokenizer = opening.tokenizer;
    return status;
}

// A file's bytes, or none if there is no such file.
static enum status map_file(const char *folder, const char *name, struct mapped_file *file,
                            struct error *err) {
    char path[PATH_MAX];
    struct stat info;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return error_set(err, STATUS_IO, "%s: the path is too long", mapped_file_shown(folder));
    if (stat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) return STATUS_OK;
    TRY(mapped_file_open(path, "a JSON file", file, err));
    if (file->length <= TOKENIZER_JSON_MAX_BYTES) return STATUS_OK;
    return error_set(err, STATUS_BAD_FILE, "%s is larger than %d MiB", mapped_file_shown(path),
                     TOKENIZER_JSON_MAX_BYTES >> 20);
}

static struct gguf_string text_of(const struct mapped_file *file) {
    return (struct gguf_string){(const char *)file->bytes, file->length};
}

void tokenizer_folder(const char *path, char folder[PATH_MAX]) {
    static const char file[] = "tokenizer.json";
    snprintf(folder, PATH_MAX, "%s", path);
    const size_t length = strlen(folder), ending = sizeof file - 1;
    if (length < ending || strcmp(folder + length - ending, file) != 0) return;
    if (length == ending)
        snprintf(folder, PATH_MAX, ".");
    else if (folder[length - ending - 1] == '/')
        folder[length - ending - 1] = '\0';
}

enum status tokenizer_open_folder(const char *path, struct tokenizer **tokenizer,
                                  struct error *err) {
    static const char *const names[] = {"tokenizer.json", "tokenizer_config.json",
                                        "generation_config.json", "config.json"};
    enum { FILES = sizeof names / sizeof names[0] };
    struct mapped_file mapped[FILES] = {{0}};
    enum status status = STATUS_OK;
    char folder[PATH_MAX];
    tokenizer_folder(path, folder);
    for (int i = 0; i < FILES && status == STATUS_OK; i++)
        status = map_file(folder, names[i], &mapped[i], err);
    const struct tokenizer_json files = {.name = mapped_file_shown(folder),
                                         .tokenizer = text_of(&mapped[0]),
                                         .config = text_of(&mapped[1]),
                                         .generation = text_of(&mapped[2]),
                                         .shape = text_of(&mapped[3])};
    if (status == STATUS_OK && files.tokenizer.length == 0)
        status = error_set(err, STATUS_NOT_FOUND, "%s has no tokenizer.json", files.name);
    if (status == STATUS_OK) status = tokenizer_open_json(&files, tokenizer, err);
    for (int i = 0; i < FILES; i++)
        mapped_file_close(&mapped[i]);
    return status;
}

bool tokenizer_is_in_folder(const char *path) {
    static const char ending[] = ".json";
    struct stat info;
    const size_t length = strlen(path), bytes = sizeof ending - 1;
    return (length > bytes && strcmp(path + length - bytes, ending) == 0) ||
           (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

enum status tokenizer_open_model(const struct gguf *gguf, struct tokenizer **tokenizer,
                                 struct error *err) {
    const char *path = gguf_path(gguf);
    return tokenizer_is_in_folder(path) ? tokenizer_open_folder(path, tokenizer, err)
                                        : tokenizer_open(gguf, tokenizer, err);
}
