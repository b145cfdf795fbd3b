// engine/grammar/schema.c — how one schema becomes one rule.
//
// A grammar can say "this or that", but not "this and that". So whatever must hold at the same time
// is first put into one schema, and only then written as a rule:
//
//   {"$ref": R, "allOf": [A, B], …}    R, A, B and the rest become one schema      (unite)
//   {"anyOf": [A, B], …}               the rest is added to each: {A, …} | {B, …}  (choose_schema)
//
// compile_object() does one such step and compiles its result, which may need the next one: first
// $ref and allOf, then anyOf, then oneOf. When none of them is left, the value is one of a few
// constants (choose_value), or its types become alternatives, each with its own keywords
// (choose_type).
//
// The grammar fixes the order in which a model writes properties, and the author of a schema means
// the order of the document. So parts are combined in the order in which their keywords stand, and
// a schema's own keywords count as standing where its "properties" are:
//
//   {"allOf": [{"properties": {"why": …}}], "properties": {"answer": …}}    why, answer
//   {"properties": {"answer": …}, "allOf": [{"properties": {"why": …}}]}    answer, why
//
// A schema gets its number before its rule is written, and `known` keeps it: when a $ref leads back
// to a schema that is still being compiled, its number is all that is needed. Combined schemas are
// copies and have no number yet; hence a $ref that stands alone is followed and not copied
// (only_part).
#include "engine/grammar/schema.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/grammar/gbnf.h"
#include "engine/grammar/schema_parts.h"
#include "kernels/base/assert.h"

const char SCHEMA_COMMON_RULES[] =
    "value ::= object | array | string | number | \"true\" | \"false\" | \"null\"\n"
    "object ::= \"{\" (string \": \" value (\", \" string \": \" value)*)? \"}\"\n"
    "array ::= \"[\" (value (\", \" value)*)? \"]\"\n"
    "string ::= \"\\\"\" char* \"\\\"\"\n"
    "plain ::= [^\"\\\\\\x01-\\x1F]\n"
    "char ::= plain | \"\\\\\" ([\"\\\\/bfnrt] | \"u\" unicode)\n"
    "hex ::= [0-9a-fA-F]\n"
    "unicode ::= \"000\" [1-9a-fA-F] | \"00\" [1-9a-fA-F] hex | \"0\" [1-9a-fA-F] hex hex |\n"
    "  [1-9a-cA-CefEF] hex hex hex | [dD] [0-7] hex hex\n"
    "integer ::= \"-\"? (\"0\" | [1-9] [0-9]{0,15})\n"
    "number ::= integer (\".\" [0-9]{1,16})? ([eE] [-+]? [1-9] [0-9]?)?\n"
    "never ::= []\n";

// Keywords that constrain a value, and the type of value; 0: any.
static const struct keyword {
    const char *name;
    unsigned type;
} KEYWORDS[] = {
    {"type", 0},
    {"enum", 0},
    {"const", 0},
    {"anyOf", 0},
    {"oneOf", 0},
    {"allOf", 0},
    {"$ref", 0},
    {"nullable", 0},
    {"discriminator", 0},
    {"properties", SCHEMA_OBJECT},
    {"required", SCHEMA_OBJECT},
    {"additionalProperties", SCHEMA_OBJECT},
    {"items", SCHEMA_ARRAY},
    {"prefixItems", SCHEMA_ARRAY},
    {"additionalItems", SCHEMA_ARRAY},
    {"minItems", SCHEMA_ARRAY},
    {"maxItems", SCHEMA_ARRAY},
    {"minLength", SCHEMA_STRING},
    {"maxLength", SCHEMA_STRING},
    {"pattern", SCHEMA_STRING},
    {"format", SCHEMA_STRING},
    {"minimum", SCHEMA_NUMBER},
    {"maximum", SCHEMA_NUMBER},
    {"exclusiveMinimum", SCHEMA_NUMBER},
    {"exclusiveMaximum", SCHEMA_NUMBER},
};
enum { KEYWORD_COUNT = sizeof KEYWORDS / sizeof KEYWORDS[0] };

bool schema_is_annotation(const char *keyword) {
    static const char *const NAMES[] = {"$schema",     "$id",
                                        "$comment",    "$defs",
                                        "definitions", "title",
                                        "default",     "description",
                                        "examples",    "deprecated",
                                        "readOnly",    "writeOnly",
                                        "example",     "contentMediaType",
                                        "xml",         "externalDocs"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (strcmp(NAMES[i], keyword) == 0) return true;
    return strncmp(keyword, "x-", 2) == 0;
}

enum status schema_refuse(struct compiler *compiler, enum status status, const char *format, ...) {
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(compiler->err, status, "schema, at #%.120s: %s", text_string(&compiler->path),
                     what);
}

enum status schema_count(struct compiler *compiler, const cJSON *schema, const char *keyword,
                         int32_t otherwise, int32_t *count) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(schema, keyword);
    struct decimal decimal = {.negative = true};
    int64_t number = -1;
    *count = otherwise;
    if (!item) return STATUS_OK;
    if (cJSON_IsNumber(item)) schema_decimal(item, &decimal);
    if (decimal.negative || !decimal_is_whole(&decimal) || !decimal_to_int(&decimal, 0, &number) ||
        number > INT32_MAX)
        return schema_refuse(compiler, STATUS_BAD_INPUT, "\"%s\" must be a whole number, 0 or more",
                             keyword);
    *count = (int32_t)number;
    return STATUS_OK;
}

// ---- types

static const struct {
    const char *name;
    unsigned type;
} TYPES[] = {{"null", SCHEMA_NULL},     {"boolean", SCHEMA_BOOLEAN}, {"integer", SCHEMA_INTEGER},
             {"number", SCHEMA_NUMBER}, {"string", SCHEMA_STRING},   {"array", SCHEMA_ARRAY},
             {"object", SCHEMA_OBJECT}};
enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };

static unsigned type_of(const cJSON *value) {
    if (cJSON_IsNull(value)) return SCHEMA_NULL;
    if (cJSON_IsBool(value)) return SCHEMA_BOOLEAN;
    if (cJSON_IsString(value)) return SCHEMA_STRING;
    if (cJSON_IsArray(value)) return SCHEMA_ARRAY;
    if (cJSON_IsObject(value)) return SCHEMA_OBJECT;
    struct decimal decimal;
    schema_decimal(value, &decimal);
    return decimal_is_whole(&decimal) ? SCHEMA_INTEGER : SCHEMA_FRACTION;
}

static enum status read_type(struct compiler *compiler, const cJSON *name, unsigned *types) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (cJSON_IsString(name) && strcmp(name->valuestring, TYPES[i].name) == 0) {
            *types |= TYPES[i].type;
            return STATUS_OK;
        }
    return schema_refuse(compiler, STATUS_BAD_INPUT,
                         "\"type\" must be a JSON type or a list of them");
}

enum status schema_types(struct compiler *compiler, const cJSON *schema, unsigned *result) {
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(schema, "type");
    const cJSON *values = cJSON_GetObjectItemCaseSensitive(schema, "enum");
    const cJSON *only = cJSON_GetObjectItemCaseSensitive(schema, "const");
    const bool nullable = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(schema, "nullable"));
    unsigned types = type ? 0 : SCHEMA_ANY, of_values = 0;
    if (cJSON_IsBool(schema)) {
        *result = cJSON_IsTrue(schema) ? SCHEMA_ANY : 0;
        return STATUS_OK;
    }
    const cJSON *one = cJSON_IsArray(type) ? type->child : type;
    for (; one; one = cJSON_IsArray(type) ? one->next : NULL)
        TRY(read_type(compiler, one, &types));
    if (nullable && !type) // OpenAPI 3.0.3: it adds to a type, and does nothing without one
        return schema_refuse(compiler, STATUS_UNSUPPORTED,
                             "\"nullable\" without \"type\" is not supported; use anyOf with null");
    if (nullable) types |= SCHEMA_NULL;
    if (only) of_values = type_of(only);
    for (const cJSON *value = values ? values->child : NULL; value; value = value->next)
        of_values |= type_of(value);
    *result = only || values ? types & of_values : types;
    return STATUS_OK;
}

// ---- one schema

// Refuses what is not understood. *types: what the keywords constrain that are of one type.
static enum status check_keywords(struct compiler *compiler, const cJSON *schema, unsigned *types) {
    *types = 0;
    for (const cJSON *item = schema->child; item; item = item->next) {
        const char *name = item->string;
        size_t i = 0;
        if (schema_is_annotation(name) || (strcmp(name, "uniqueItems") == 0 && cJSON_IsFalse(item)))
            continue;
        while (i < KEYWORD_COUNT && strcmp(KEYWORDS[i].name, name) != 0)
            i++;
        if (i == KEYWORD_COUNT)
            return schema_refuse(compiler, STATUS_UNSUPPORTED, "\"%.40s\" is not supported", name);
        if (strcmp(name, "nullable") == 0 && !cJSON_IsBool(item))
            return schema_refuse(compiler, STATUS_BAD_INPUT, "\"nullable\" must be true or false");
        if (strcmp(name, "discriminator") == 0 &&
            !cJSON_GetObjectItemCaseSensitive(schema, "oneOf") &&
            !cJSON_GetObjectItemCaseSensitive(schema, "anyOf"))
            return schema_refuse(compiler, STATUS_UNSUPPORTED,
                                 "\"discriminator\" without oneOf or anyOf is not supported");
        *types |= KEYWORDS[i].type;
    }
    return STATUS_OK;
}

enum status schema_written_types(struct compiler *compiler, const cJSON *schema, unsigned *types) {
    unsigned constrained = 0;
    TRY(schema_types(compiler, schema, types));
    if (cJSON_IsObject(schema)) TRY(check_keywords(compiler, schema, &constrained));
    if (*types == SCHEMA_ANY && constrained) *types = constrained;
    return STATUS_OK;
}

// One of some values, as far as their types are among `types`.
static enum status choose_value(struct compiler *compiler, const cJSON *schema, unsigned types,
                                unsigned constrained, struct text *out) {
    const cJSON *only = cJSON_GetObjectItemCaseSensitive(schema, "const");
    const cJSON *values = cJSON_GetObjectItemCaseSensitive(schema, "enum");
    const char *keyword = only ? "const" : "enum";
    if ((only && values) || constrained)
        return schema_refuse(compiler, STATUS_UNSUPPORTED,
                             "\"%s\" together with other constraints is not supported", keyword);
    if (!only && !cJSON_IsArray(values))
        return schema_refuse(compiler, STATUS_BAD_INPUT, "\"enum\" must be an array");
    TRY(text_append_string(out, "never"));
    const cJSON *value = only ? only : values->child;
    for (; value; value = only ? NULL : value->next) {
        if (!(type_of(value) & types)) continue;
        TRY(text_append_string(out, " | "));
        TRY(schema_literal(out, value));
    }
    return STATUS_OK;
}

static enum status add_type(struct compiler *compiler, const cJSON *schema, unsigned type,
                            unsigned types, unsigned constrained, struct text *out) {
    ASSERT(types & type);
    if (type == SCHEMA_OBJECT) return schema_object(compiler, schema, out);
    if (type == SCHEMA_ARRAY) return schema_array(compiler, schema, out);
    if (type == SCHEMA_NULL) return text_append_string(out, "\"null\"");
    if (type == SCHEMA_BOOLEAN) return text_append_string(out, "\"true\" | \"false\"");
    if (!(constrained & type) && type == SCHEMA_STRING) return text_append_string(out, "string");
    if (type == SCHEMA_STRING) return schema_string(compiler, schema, out);
    const bool has_format = // of a text, if it may be one
        !(types & SCHEMA_STRING) && cJSON_GetObjectItemCaseSensitive(schema, "format");
    if (!(constrained & type) && !has_format)
        return text_append_string(out, types & SCHEMA_FRACTION ? "number" : "integer");
    return schema_number(compiler, schema, types, out);
}

static enum status choose_type(struct compiler *compiler, const cJSON *schema, unsigned types,
                               unsigned constrained, struct text *out) {
    const char *between = "";
    ASSERT((types | SCHEMA_ANY) == SCHEMA_ANY);
    if (!types) return text_append_string(out, "never");
    if (!(types & (SCHEMA_STRING | SCHEMA_NUMBER)) &&
        cJSON_GetObjectItemCaseSensitive(schema, "format"))
        return schema_refuse(compiler, STATUS_UNSUPPORTED,
                             "\"format\" is supported only for strings and numbers");
    if (types == SCHEMA_ANY && !constrained) return text_append_string(out, "value");
    for (unsigned type = SCHEMA_NULL; type <= SCHEMA_OBJECT; type *= 2) {
        if (!(types & type) || type == SCHEMA_FRACTION) continue; // integers are with the numbers
        TRY(text_append_string(out, between));
        TRY(add_type(compiler, schema, type, types, constrained, out));
        between = " | ";
    }
    return STATUS_OK;
}

// Does the keyword come before "properties"? The properties keep the order of the document.
static bool precedes_properties(const cJSON *schema, const char *keyword) {
    for (const cJSON *item = schema->child; item; item = item->next) {
        if (strcmp(item->string, "properties") == 0) return false;
        if (strcmp(item->string, keyword) == 0) return true;
    }
    return false;
}

static enum status choose_schema(struct compiler *compiler, const cJSON *schema,
                                 const char *keyword, struct text *out) {
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(schema, keyword), *rest;
    if (!cJSON_IsArray(all) || !all->child)
        return schema_refuse(compiler, STATUS_BAD_INPUT, "\"%s\" must be an array of schemas",
                             keyword);
    const bool leads = cJSON_GetObjectItemCaseSensitive(schema, "properties") &&
                       precedes_properties(schema, keyword);
    char step[32];
    int index = 0;
    // A discriminator changes nothing where the alternatives have its values themselves.
    if (strcmp(keyword, "oneOf") == 0 || cJSON_GetObjectItemCaseSensitive(schema, "discriminator"))
        TRY(schema_check_exclusive(compiler, keyword, all));
    TRY(schema_without(compiler, schema, keyword, "discriminator", &rest));
    for (const cJSON *one = all->child; one; one = one->next) {
        const cJSON *both = one;
        int32_t rule;
        if (rest && leads)
            TRY(schema_combine(compiler, one, rest, &both));
        else if (rest)
            TRY(schema_combine(compiler, rest, one, &both));
        snprintf(step, sizeof step, "/%s/%d", keyword, index++);
        TRY(schema_compile(compiler, both, step, "", &rule));
        TRY(text_format(out, "%sr%d", one == all->child ? "" : " | ", rule));
    }
    return STATUS_OK;
}

enum { UNITE_STEPS = 64 }; // of one schema that is united, whose keywords are searched by name

static enum status add_part(struct compiler *compiler, const cJSON *part, const cJSON **united) {
    if (*united) return schema_combine(compiler, *united, part, united);
    *united = part;
    return STATUS_OK;
}

// The only schema that one with $ref or allOf leads to, which may be known; NULL: it has several.
static enum status only_part(struct compiler *compiler, const cJSON *schema, const cJSON **part) {
    const cJSON *ref = cJSON_GetObjectItemCaseSensitive(schema, "$ref");
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(schema, "allOf"), *rest;
    *part = NULL;
    TRY(schema_without(compiler, schema, "$ref", "allOf", &rest));
    if (rest || (ref && all)) return STATUS_OK;
    if (cJSON_IsString(ref)) return schema_resolve(compiler, ref->valuestring, part);
    if (cJSON_IsArray(all) && cJSON_GetArraySize(all) == 1) *part = all->child;
    return STATUS_OK;
}

// A schema, what its $ref leads to and what its allOf has, as one schema with the properties of all
// in the document's order. Each level may have the one below it twice, hence the count of steps.
static enum status unite(struct compiler *compiler, const cJSON *schema, int depth,
                         const cJSON **united) {
    const cJSON *own, *part;
    TRY(schema_spend(compiler, UNITE_STEPS));
    if (depth == SCHEMA_MAX_DEPTH)
        return schema_refuse(compiler, STATUS_TOO_LONG,
                             "nested too deeply, or a $ref refers to itself");
    *united = schema;
    if (!cJSON_GetObjectItemCaseSensitive(schema, "$ref") &&
        !cJSON_GetObjectItemCaseSensitive(schema, "allOf"))
        return STATUS_OK;
    *united = NULL;
    TRY(schema_without(compiler, schema, "$ref", "allOf", &own));
    for (const cJSON *item = schema->child; item; item = item->next) {
        const bool is_ref = strcmp(item->string, "$ref") == 0;
        if (own && strcmp(item->string, "properties") == 0) {
            TRY(add_part(compiler, own, united));
            own = NULL;
        }
        if (!is_ref && strcmp(item->string, "allOf") != 0) continue;
        if (is_ref ? !cJSON_IsString(item) : !cJSON_IsArray(item) || !item->child)
            return schema_refuse(compiler, STATUS_BAD_INPUT, "\"%s\" must be %s", item->string,
                                 is_ref ? "a string" : "an array of schemas");
        const cJSON *one = item->child;
        if (is_ref) TRY(schema_resolve(compiler, item->valuestring, &one));
        for (; one; one = is_ref ? NULL : one->next) {
            TRY(unite(compiler, one, depth + 1, &part));
            TRY(add_part(compiler, part, united));
        }
    }
    return own ? add_part(compiler, own, united) : STATUS_OK;
}

static enum status compile_object(struct compiler *compiler, const cJSON *schema,
                                  struct text *out) {
    static const char *const CHOSEN[] = {"anyOf", "oneOf"};
    const bool has_ref = cJSON_GetObjectItemCaseSensitive(schema, "$ref");
    unsigned constrained, types;
    TRY(check_keywords(compiler, schema, &constrained));
    if (has_ref || cJSON_GetObjectItemCaseSensitive(schema, "allOf")) {
        const cJSON *united;
        int32_t rule;
        TRY(only_part(compiler, schema, &united));
        if (!united) TRY(unite(compiler, schema, 0, &united));
        TRY(schema_compile(compiler, united, "/", has_ref ? "$ref" : "allOf", &rule));
        return text_format(out, "r%d", rule);
    }
    for (size_t i = 0; i < 2; i++)
        if (cJSON_GetObjectItemCaseSensitive(schema, CHOSEN[i]))
            return choose_schema(compiler, schema, CHOSEN[i], out);
    TRY(schema_written_types(compiler, schema, &types));
    if (cJSON_GetObjectItemCaseSensitive(schema, "const") ||
        cJSON_GetObjectItemCaseSensitive(schema, "enum"))
        return choose_value(compiler, schema, types, constrained, out);
    return choose_type(compiler, schema, types, constrained, out);
}

static enum status compile_new(struct compiler *compiler, const cJSON *schema, int32_t rule) {
    ASSERT(rule >= 0);
    struct text right = {0};
    enum status status;
    if (cJSON_IsBool(schema))
        status = text_append_string(&right, cJSON_IsTrue(schema) ? "value" : "never");
    else if (cJSON_IsObject(schema))
        status = compile_object(compiler, schema, &right);
    else
        status = schema_refuse(compiler, STATUS_BAD_INPUT, "expected an object, true or false");
    if (status == STATUS_OK)
        status = text_format(compiler->gbnf, "r%d ::= %s\n", rule, text_string(&right));
    text_deinit(&right);
    return status;
}

enum status schema_compile(struct compiler *compiler, const cJSON *schema, const char *step,
                           const char *name, int32_t *rule) {
    const size_t before = compiler->path.length;
    ASSERT(compiler->known_count >= 0);
    TRY(schema_spend(compiler, (uint64_t)compiler->known_count));
    for (int32_t i = 0; i < compiler->known_count; i++)
        if (compiler->known[i].schema == schema) {
            *rule = compiler->known[i].rule;
            return STATUS_OK;
        }
    TRY(text_format(&compiler->path, "%s%.60s", step, name));
    if (compiler->depth == SCHEMA_MAX_DEPTH)
        return schema_refuse(compiler, STATUS_TOO_LONG,
                             "nested too deeply, or a $ref refers to itself");
    if (compiler->known_count == SCHEMA_MAX_NODES)
        return schema_refuse(compiler, STATUS_TOO_LONG, "more than %d schemas", SCHEMA_MAX_NODES);
    *rule = compiler->rule_count++;
    compiler->known[compiler->known_count++] = (struct schema_rule){schema, *rule};
    compiler->depth++;
    TRY(compile_new(compiler, schema, *rule));
    if (compiler->gbnf->length > GBNF_MAX_BYTES)
        return schema_refuse(compiler, STATUS_TOO_LONG,
                             "the resulting grammar is longer than %d bytes", GBNF_MAX_BYTES);
    compiler->depth--;
    compiler->path.length = before;
    compiler->path.bytes[before] = '\0';
    return STATUS_OK;
}

enum status schema_to_gbnf(const char *json, size_t length, struct text *gbnf, struct error *err) {
    struct compiler *compiler = calloc(1, sizeof *compiler);
    cJSON *document = NULL;
    const size_t before = gbnf->length;
    int32_t root;
    enum status status = compiler ? STATUS_OK : STATUS_NO_MEMORY;
    if (status == STATUS_OK && length > SCHEMA_MAX_BYTES)
        status =
            error_set(err, STATUS_TOO_LONG, "the schema is longer than %d bytes", SCHEMA_MAX_BYTES);
    if (status == STATUS_OK) status = schema_parse(json, length, &document, err);
    if (status == STATUS_OK) {
        compiler->document = document;
        compiler->gbnf = gbnf;
        compiler->err = err;
        compiler->effort = effort_of(SCHEMA_MAX_STEPS);
        compiler->combined = cJSON_CreateArray();
        status =
            compiler->combined ? text_append_string(gbnf, SCHEMA_COMMON_RULES) : STATUS_NO_MEMORY;
    }
    if (status == STATUS_OK) status = schema_compile(compiler, document, "", "", &root);
    if (status == STATUS_OK) status = text_format(gbnf, "root ::= r%d\n", root);
    if (status == STATUS_NO_MEMORY) error_set(err, status, "not enough memory for the schema");
    if (status != STATUS_OK && gbnf->bytes) {
        gbnf->length = before;
        gbnf->bytes[before] = '\0';
    }
    if (compiler) {
        cJSON_Delete(compiler->combined);
        text_deinit(&compiler->path);
    }
    cJSON_Delete(document);
    free(compiler);
    return status;
}
