// engine/grammar/schema_combine.c — two schemas as one that accepts what both accept.
//
// The result is a copy of the first with the second's keywords added. Where both have a keyword,
// the narrower bound wins, types are intersected, and "required" and "allOf" are joined. Two
// schemas for the same property, or for the items, become an allOf of both: they are combined when
// that property is compiled, and recursion through a $ref does not start here. Other keywords must
// be equal or are refused.
//
// Some keywords mean something only next to others, so they cannot be moved to another schema:
//
//   A {"properties": {"x": …}, "additionalProperties": false}    B {"properties": {"y": …}}
//
// A accepts no "y". A copy that had A's additionalProperties and B's "y" would. check_neighbours()
// refuses such pairs.
//
// oneOf means exactly one, and an alternative in a grammar means at least one. They are the same
// where no value fits two alternatives, so that has to be proved (may_overlap): by types that
// differ, by constants that differ, or by a property that both require and whose schemas exclude
// one another. What cannot be proved is refused. A schema without a type accepts every type, but
// the grammar writes only those its keywords are about: two schemas overlap if a value *written*
// for either is *accepted* by the other.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/grammar/schema_parts.h"
#include "kernels/base/assert.h"

// ---- $ref

// One step of a JSON pointer (RFC 6901), whose escapes, and those of a URI, are undone; *rest goes
// on behind it.
static bool read_step(const char **rest, char *name, size_t bytes) {
    size_t length = 0;
    const char *at = *rest + 1;
    ASSERT(**rest == '/' && bytes > 0);
    for (; *at && *at != '/'; at++) {
        char c = *at;
        unsigned code;
        if (c == '%' && isxdigit((unsigned char)at[1]) && sscanf(at + 1, "%2x", &code) == 1 &&
            code > 0 && isxdigit((unsigned char)at[2])) {
            c = (char)code;
            at += 2;
        }
        if (c == '~' && (at[1] == '0' || at[1] == '1')) c = *++at == '0' ? '~' : '/';
        if (length + 1 >= bytes) return false;
        name[length++] = c;
    }
    name[length] = '\0';
    *rest = at;
    return true;
}

static const cJSON *find_pointer(const cJSON *at, const char *pointer) {
    char name[256];
    while (at && *pointer) {
        if (*pointer != '/' || !read_step(&pointer, name, sizeof name)) return NULL;
        if (!cJSON_IsArray(at)) {
            at = cJSON_GetObjectItemCaseSensitive(at, name);
            continue;
        }
        if (!*name || strspn(name, "0123456789") != strlen(name) || strlen(name) > 6) return NULL;
        int index = 0;
        for (const char *digit = name; *digit; digit++)
            index = index * 10 + (*digit - '0');
        at = cJSON_GetArrayItem(at, index);
    }
    return at;
}

static bool is_only_ref(const cJSON *schema) {
    for (const cJSON *item = cJSON_IsObject(schema) ? schema->child : NULL; item; item = item->next)
        if (strcmp(item->string, "$ref") != 0 && !schema_is_annotation(item->string)) return false;
    return cJSON_IsString(cJSON_GetObjectItemCaseSensitive(schema, "$ref"));
}

enum status schema_resolve(struct compiler *compiler, const char *ref, const cJSON **target) {
    for (int hop = 0; hop < SCHEMA_MAX_DEPTH; hop++) {
        if (ref[0] != '#')
            return schema_refuse(compiler, STATUS_UNSUPPORTED,
                                 "\"$ref\" to another document (%.60s) is not supported", ref);
        const cJSON *found = find_pointer(compiler->document, ref + 1);
        if (!found)
            return schema_refuse(compiler, STATUS_BAD_INPUT, "\"$ref\": %.60s does not exist", ref);
        *target = found;
        if (!is_only_ref(found)) return STATUS_OK;
        ref = cJSON_GetObjectItemCaseSensitive(found, "$ref")->valuestring;
    }
    return schema_refuse(compiler, STATUS_BAD_INPUT, "\"$ref\" refers to itself");
}

// ---- allOf

static size_t bytes_of(const cJSON *item) {
    size_t bytes = sizeof *item;
    if (item->valuestring) bytes += strlen(item->valuestring);
    if (item->string) bytes += strlen(item->string);
    for (const cJSON *child = item->child; child; child = child->next)
        bytes += bytes_of(child);
    return bytes;
}

// Schemas that are combined are copied, and copies of copies double.
static enum status count_copy(struct compiler *compiler, const cJSON *schema) {
    const size_t bytes = bytes_of(schema);
    compiler->copied_bytes += bytes;
    if (compiler->copied_bytes > SCHEMA_MAX_COPIED)
        return schema_refuse(compiler, STATUS_TOO_LONG,
                             "the combined schema takes more than %d bytes", SCHEMA_MAX_COPIED);
    return schema_spend(compiler, bytes / sizeof *schema);
}

// A new schema that the compiler owns.
static enum status own(struct compiler *compiler, const cJSON *schema, cJSON **copy) {
    ASSERT(cJSON_IsArray(compiler->combined));
    if (schema) TRY(count_copy(compiler, schema));
    *copy = schema ? cJSON_Duplicate(schema, true) : cJSON_CreateObject();
    if (*copy && cJSON_AddItemToArray(compiler->combined, *copy)) return STATUS_OK;
    cJSON_Delete(*copy);
    return STATUS_NO_MEMORY;
}

enum status schema_without(struct compiler *compiler, const cJSON *schema, const char *keyword,
                           const char *other, const cJSON **rest) {
    cJSON *copy;
    bool any = false;
    for (const cJSON *item = schema->child; item; item = item->next)
        any = any || (strcmp(item->string, keyword) != 0 && strcmp(item->string, other) != 0 &&
                      !schema_is_annotation(item->string));
    *rest = NULL;
    if (!any) return STATUS_OK;
    TRY(own(compiler, schema, &copy));
    cJSON_DeleteItemFromObjectCaseSensitive(copy, keyword);
    cJSON_DeleteItemFromObjectCaseSensitive(copy, other);
    *rest = copy;
    return STATUS_OK;
}

static enum status add_copy(struct compiler *compiler, cJSON *object, const char *name,
                            const cJSON *value) {
    ASSERT(object && value);
    TRY(count_copy(compiler, value));
    cJSON *copy = cJSON_Duplicate(value, true);
    if (copy && cJSON_AddItemToObject(object, name, copy)) return STATUS_OK;
    cJSON_Delete(copy);
    return STATUS_NO_MEMORY;
}

// Both schemas, by allOf, so that they are combined when they are compiled.
static enum status put_both(struct compiler *compiler, cJSON *into, const char *name,
                            const cJSON *a, const cJSON *b) {
    TRY(count_copy(compiler, a));
    TRY(count_copy(compiler, b));
    cJSON *both = cJSON_CreateObject();
    cJSON *all = both ? cJSON_AddArrayToObject(both, "allOf") : NULL;
    const cJSON *parts[] = {a, b};
    bool whole = all != NULL;
    for (int i = 0; i < 2 && whole; i++) {
        cJSON *part = cJSON_Duplicate(parts[i], true);
        whole = part && cJSON_AddItemToArray(all, part);
        if (!whole) cJSON_Delete(part);
    }
    if (whole && cJSON_ReplaceItemInObjectCaseSensitive(into, name, both)) return STATUS_OK;
    cJSON_Delete(both);
    return STATUS_NO_MEMORY;
}

static enum status combine_properties(struct compiler *compiler, cJSON *into, const cJSON *more) {
    for (const cJSON *item = more->child; item; item = item->next) {
        TRY(schema_spend(compiler, (uint64_t)cJSON_GetArraySize(into)));
        const cJSON *mine = cJSON_GetObjectItemCaseSensitive(into, item->string);
        if (mine)
            TRY(put_both(compiler, into, item->string, mine, item));
        else
            TRY(add_copy(compiler, into, item->string, item));
    }
    return STATUS_OK;
}

static enum status combine_types(struct compiler *compiler, cJSON *both, const cJSON *a,
                                 const cJSON *b) {
    static const struct {
        const char *name;
        unsigned types;
    } NAMES[] = {{"null", SCHEMA_NULL},     {"boolean", SCHEMA_BOOLEAN},
                 {"number", SCHEMA_NUMBER}, {"integer", SCHEMA_INTEGER},
                 {"string", SCHEMA_STRING}, {"array", SCHEMA_ARRAY},
                 {"object", SCHEMA_OBJECT}};
    unsigned of_a, of_b;
    TRY(schema_types(compiler, a, &of_a));
    TRY(schema_types(compiler, b, &of_b));
    unsigned types = of_a & of_b;
    cJSON *names = cJSON_CreateArray();
    bool whole = names != NULL;
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0] && whole; i++) {
        if (!NAMES[i].types || (types & NAMES[i].types) != NAMES[i].types) continue;
        whole = cJSON_AddItemToArray(names, cJSON_CreateString(NAMES[i].name));
        types &= ~NAMES[i].types;
    }
    cJSON_DeleteItemFromObjectCaseSensitive(both, "type");
    cJSON_DeleteItemFromObjectCaseSensitive(both, "nullable"); // is in the types
    if (whole && cJSON_AddItemToObject(both, "type", names)) return STATUS_OK;
    cJSON_Delete(names);
    return STATUS_NO_MEMORY;
}

// A keyword that both have: bounds are narrowed, lists joined; others must be equal.
static enum status combine_keyword(struct compiler *compiler, cJSON *both, const cJSON *mine,
                                   const cJSON *item, const cJSON *b) {
    static const char *const LEAST[] = {"minimum", "exclusiveMinimum", "minItems", "minLength"};
    static const char *const MOST[] = {"maximum", "exclusiveMaximum", "maxItems", "maxLength"};
    const char *name = item->string;
    bool same;
    TRY(schema_equal(compiler, mine, item, &same));
    if (same) return STATUS_OK;
    if (strcmp(name, "type") == 0) return combine_types(compiler, both, both, b);
    if (strcmp(name, "properties") == 0)
        return combine_properties(compiler, cJSON_GetObjectItemCaseSensitive(both, name), item);
    if (strcmp(name, "items") == 0 && !cJSON_IsArray(mine) && !cJSON_IsArray(item))
        return put_both(compiler, both, name, mine, item);
    if (strcmp(name, "required") == 0 || strcmp(name, "allOf") == 0) {
        cJSON *list = cJSON_GetObjectItemCaseSensitive(both, name);
        for (const cJSON *one = item->child; one; one = one->next) {
            TRY(count_copy(compiler, one));
            if (!cJSON_AddItemToArray(list, cJSON_Duplicate(one, true))) return STATUS_NO_MEMORY;
        }
        return STATUS_OK;
    }
    for (int i = 0; i < 4; i++) {
        const bool least = strcmp(name, LEAST[i]) == 0, most = strcmp(name, MOST[i]) == 0;
        if ((!least && !most) || !cJSON_IsNumber(mine) || !cJSON_IsNumber(item)) continue;
        struct decimal old, new;
        schema_decimal(mine, &old);
        schema_decimal(item, &new);
        const int order = decimal_compare(&new, &old);
        const bool narrower = least ? order > 0 : order < 0;
        cJSON *value = cJSON_Duplicate(narrower ? item : mine, true);
        if (value && cJSON_ReplaceItemInObjectCaseSensitive(both, name, value)) return STATUS_OK;
        cJSON_Delete(value);
        return STATUS_NO_MEMORY;
    }
    return schema_refuse(compiler, STATUS_UNSUPPORTED,
                         "\"%.40s\" in two schemas combined with allOf or $ref is not supported",
                         name);
}

// These depend on other keywords of their own schema, so that moving them to another schema changes
// what they mean.
static enum status check_neighbours(struct compiler *compiler, const cJSON *a, const cJSON *b) {
    static const char *const PAIRS[][2] = {{"additionalProperties", "properties"},
                                           {"items", "prefixItems"},
                                           {"additionalItems", "items"}};
    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        const cJSON *rest = cJSON_GetObjectItemCaseSensitive(a, PAIRS[i][0]);
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(b, PAIRS[i][0]);
        bool same = false, same_named = false;
        if (rest && other) TRY(schema_equal(compiler, rest, other, &same));
        const cJSON *named = cJSON_GetObjectItemCaseSensitive(b, PAIRS[i][1]);
        const cJSON *own = cJSON_GetObjectItemCaseSensitive(a, PAIRS[i][1]);
        if (same && own && named) TRY(schema_equal(compiler, own, named, &same_named));
        if (!rest || !named || same_named) continue;
        return schema_refuse(
            compiler, STATUS_UNSUPPORTED,
            "\"%s\" and \"%s\" in schemas combined with allOf or $ref are not supported",
            PAIRS[i][0], PAIRS[i][1]);
    }
    return STATUS_OK;
}

enum status schema_combine(struct compiler *compiler, const cJSON *a, const cJSON *b,
                           const cJSON **result) {
    cJSON *both;
    if (cJSON_IsTrue(a) || cJSON_IsFalse(b)) {
        *result = b;
        return STATUS_OK;
    }
    if (cJSON_IsTrue(b) || cJSON_IsFalse(a)) {
        *result = a;
        return STATUS_OK;
    }
    if (!cJSON_IsObject(a) || !cJSON_IsObject(b))
        return schema_refuse(compiler, STATUS_BAD_INPUT, "expected an object, true or false");
    TRY(check_neighbours(compiler, a, b));
    TRY(check_neighbours(compiler, b, a));
    const bool nullable = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(a, "nullable")) ||
                          cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(b, "nullable"));
    TRY(own(compiler, a, &both));
    for (const cJSON *item = b->child; item; item = item->next) {
        const cJSON *mine = cJSON_GetObjectItemCaseSensitive(both, item->string);
        if (schema_is_annotation(item->string)) continue;
        if (nullable &&
            (strcmp(item->string, "type") == 0 || strcmp(item->string, "nullable") == 0))
            continue;
        if (mine)
            TRY(combine_keyword(compiler, both, mine, item, b));
        else
            TRY(add_copy(compiler, both, item->string, item));
    }
    if (nullable) TRY(combine_types(compiler, both, a, b));
    *result = both;
    return STATUS_OK;
}

// ---- oneOf

enum { OVERLAP_STEPS = 64 }; // of one look at two schemas, whose members are searched by name

static const cJSON *resolved(struct compiler *compiler, const cJSON *schema) {
    const cJSON *target = schema;
    if (!is_only_ref(schema)) return schema;
    const char *ref = cJSON_GetObjectItemCaseSensitive(schema, "$ref")->valuestring;
    return schema_resolve(compiler, ref, &target) == STATUS_OK ? target : schema;
}

// The only values a schema has: [0] of an array, or the schema's const itself. NULL: not known.
static const cJSON *values_of(const cJSON *schema, bool *several) {
    const cJSON *only = cJSON_GetObjectItemCaseSensitive(schema, "const");
    const cJSON *values = cJSON_GetObjectItemCaseSensitive(schema, "enum");
    *several = !only;
    return only ? only : values ? values->child : NULL;
}

static enum status share_value(struct compiler *compiler, const cJSON *a, const cJSON *b,
                               bool *share) {
    bool several_a, several_b;
    const cJSON *first = values_of(a, &several_a), *others = values_of(b, &several_b);
    *share = !first || !others;
    for (; first && others && !*share; first = several_a ? first->next : NULL)
        for (const cJSON *other = others; other && !*share; other = several_b ? other->next : NULL)
            TRY(schema_equal(compiler, first, other, share));
    return STATUS_OK;
}

static bool requires(const cJSON *schema, const char *name) {
    const cJSON *required = cJSON_GetObjectItemCaseSensitive(schema, "required");
    for (const cJSON *one = required ? required->child : NULL; one; one = one->next)
        if (cJSON_IsString(one) && strcmp(one->valuestring, name) == 0) return true;
    return false;
}

// Could what the grammar writes for one be accepted by the other too?
static enum status may_overlap(struct compiler *compiler, const cJSON *a, const cJSON *b, int depth,
                               bool *overlap) {
    unsigned of_a, of_b, by_a, by_b;
    TRY(schema_spend(compiler, OVERLAP_STEPS));
    a = resolved(compiler, a);
    b = resolved(compiler, b);
    TRY(schema_types(compiler, a, &of_a));
    TRY(schema_types(compiler, b, &of_b));
    TRY(schema_written_types(compiler, a, &by_a));
    TRY(schema_written_types(compiler, b, &by_b));
    const unsigned common = (by_a & of_b) | (of_a & by_b);
    *overlap = common != 0;
    if (common) TRY(share_value(compiler, a, b, overlap));
    if (!*overlap || common != SCHEMA_OBJECT || depth == 0) return STATUS_OK;
    const cJSON *mine = cJSON_GetObjectItemCaseSensitive(a, "properties");
    const cJSON *theirs = cJSON_GetObjectItemCaseSensitive(b, "properties");
    for (const cJSON *one = mine ? mine->child : NULL; one && *overlap; one = one->next) {
        TRY(schema_spend(compiler, OVERLAP_STEPS));
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(theirs, one->string);
        if (other && requires(a, one->string) && requires(b, one->string))
            TRY(may_overlap(compiler, one, other, depth - 1, overlap));
    }
    return STATUS_OK;
}

enum status schema_check_exclusive(struct compiler *compiler, const char *keyword,
                                   const cJSON *alternatives) {
    for (const cJSON *a = alternatives->child; a; a = a->next)
        for (const cJSON *b = a->next; b; b = b->next) {
            bool overlap;
            TRY(may_overlap(compiler, a, b, 4, &overlap));
            if (!overlap) continue;
            return schema_refuse(compiler, STATUS_UNSUPPORTED,
                                 "\"%s\" with overlapping alternatives is not supported; use anyOf "
                                 "without a discriminator",
                                 keyword);
        }
    return STATUS_OK;
}
