// engine/grammar/schema_object.c — objects as chains of rules, and names that are not taken.
//
// Properties come in a fixed order, and any of them may be optional. The comma is what makes this
// awkward: whether a property needs one depends on whether anything came before it. So each place
// between properties has two rules (chain), written from the last to the first. For "a", optional,
// and "b", required:
//
//   place       nothing written so far          something written
//   before a    F0 ::= "a": A M1 | F1           M0 ::= , "a": A M1 | M1
//   before b    F1 ::= "b": B M2                M1 ::= , "b": B M2
//   the end     F2 ::= nothing                  M2 ::= nothing
//
// The object is "{" F0 "}". That is two rules a property; listing the combinations would double
// with each optional property. Where additionalProperties allows more, the end has them.
//
// An additional property must not have the name of a declared one, or it could evade its schema. A
// grammar has no "except", so the other names are spelled along a trie of the declared ones
// (except). For "id" and "if":
//
//   E0 ::= [^i] any* | "i" E1 | nothing         no declared name begins differently
//   E1 ::= [^df] any* | "d" E2 | "f" E2' | nothing
//   E2 ::= [^] any*                             "id" itself may not end here
//
// These names have no escapes: "\u0069d" would be "id" again.
#include <stdio.h>
#include <string.h>

#include "engine/grammar/schema_parts.h"

enum { MAX_PROPERTIES = 1024, MAX_NAME_BYTES = 128 };

struct property {
    const char *name;
    int32_t rule;
    bool required;
};

struct properties {
    struct property items[MAX_PROPERTIES];
    int32_t count;
    bool open;     // others may follow, of the rule
    int32_t other; // of their values
};

static int32_t new_rule(struct compiler *compiler) { return compiler->rule_count++; }

// ---- names that are not those of the properties

// The rule of what may follow the first `at` bytes of a name, which `count` of the names share, so
// that it is none of them. Names have no escapes here, so no other spelling of them can come up.
static enum status except(struct compiler *compiler, const char *const *names, int32_t count,
                          size_t at, int32_t *rule) {
    struct text right = {0}, first = {0};
    bool ends = false;
    enum status status = STATUS_OK;
    *rule = new_rule(compiler);
    for (int32_t i = 0; i < count && status == STATUS_OK; i++) {
        const char *own[MAX_PROPERTIES];
        size_t used;
        int32_t shared = 0, next;
        status = schema_spend(compiler, (uint64_t)count);
        if (status != STATUS_OK) break;
        if (!names[i][at]) ends = true;
        if (!names[i][at]) continue;
        const uint32_t character = utf8_decode(names[i] + at, strlen(names[i] + at), &used);
        bool seen = false;
        for (int32_t j = 0; j < count; j++) {
            if (strncmp(names[j] + at, names[i] + at, used) != 0) continue;
            seen = seen || j < i;
            own[shared++] = names[j];
        }
        if (seen) continue;
        status = except(compiler, own, shared, at + used, &next);
        if (status == STATUS_OK)
            status = text_format(&right, " | \"\\U%08X\" r%d", character, next);
        if (status == STATUS_OK) status = text_format(&first, "\\U%08X", character);
    }
    if (status == STATUS_OK)
        status = text_format(compiler->gbnf, "r%d ::= [^%s\"\\\\\\x01-\\x1F] plain*%s%s\n", *rule,
                             text_string(&first), text_string(&right), ends ? "" : " | \"\"");
    text_deinit(&right);
    text_deinit(&first);
    return status;
}

// Appends the pattern of another property: its name and value.
static enum status other_property(struct compiler *compiler, const struct properties *properties,
                                  struct text *out) {
    const char *names[MAX_PROPERTIES];
    int32_t count = 0, rule;
    for (int32_t i = 0; i < properties->count; i++) {
        const char *name = properties->items[i].name;
        const size_t length = strlen(name);
        if (length > MAX_NAME_BYTES)
            return schema_refuse(compiler, STATUS_UNSUPPORTED,
                                 "\"additionalProperties\" together with a property name of more "
                                 "than %d bytes is not supported",
                                 MAX_NAME_BYTES);
        bool plain = true; // others need an escape, and what may follow has none
        for (const char *c = name; *c; c++)
            plain = plain && (unsigned char)*c >= ' ' && *c != '"' && *c != '\\';
        if (plain) names[count++] = name;
    }
    TRY(except(compiler, names, count, 0, &rule));
    return text_format(out, "\"\\\"\" r%d \"\\\": \" r%d", rule, properties->other);
}

// ---- objects

static enum status add_property(struct compiler *compiler, struct properties *properties,
                                const char *name, const cJSON *schema, bool required) {
    if (properties->count == MAX_PROPERTIES)
        return schema_refuse(compiler, STATUS_TOO_LONG, "more than %d properties", MAX_PROPERTIES);
    struct property *property = &properties->items[properties->count++];
    *property = (struct property){.name = name, .required = required};
    if (schema) return schema_compile(compiler, schema, "/properties/", name, &property->rule);
    property->rule = properties->other;
    return STATUS_OK;
}

static bool has_property(const struct properties *properties, const char *name) {
    for (int32_t i = 0; i < properties->count; i++)
        if (strcmp(properties->items[i].name, name) == 0) return true;
    return false;
}

static bool is_among(const cJSON *list, const char *name) {
    for (const cJSON *one = list ? list->child : NULL; one; one = one->next)
        if (strcmp(one->valuestring, name) == 0) return true;
    return false;
}

static enum status gather_properties(struct compiler *compiler, const cJSON *schema,
                                     struct properties *properties) {
    static const cJSON ANY = {.type = cJSON_True};
    const cJSON *declared = cJSON_GetObjectItemCaseSensitive(schema, "properties");
    const cJSON *required = cJSON_GetObjectItemCaseSensitive(schema, "required");
    const cJSON *other = cJSON_GetObjectItemCaseSensitive(schema, "additionalProperties");
    if ((declared && !cJSON_IsObject(declared)) || (required && !cJSON_IsArray(required)))
        return schema_refuse(compiler, STATUS_BAD_INPUT,
                             "\"properties\" must be an object, and \"required\" an array");
    for (const cJSON *one = required ? required->child : NULL; one; one = one->next)
        if (!cJSON_IsString(one))
            return schema_refuse(compiler, STATUS_BAD_INPUT,
                                 "\"required\" must be a list of strings");
    properties->open = other ? !cJSON_IsFalse(other) : !declared;
    TRY(schema_compile(compiler, other ? other : &ANY, "/", "additionalProperties",
                       &properties->other));
    for (const cJSON *one = declared ? declared->child : NULL; one; one = one->next)
        if (!has_property(properties, one->string))
            TRY(add_property(compiler, properties, one->string, one,
                             is_among(required, one->string)));
    for (const cJSON *one = required ? required->child : NULL; one; one = one->next)
        if (!has_property(properties, one->valuestring))
            TRY(add_property(compiler, properties, one->valuestring, NULL, true));
    return STATUS_OK;
}

// Two rules for each place between properties: what may follow there if nothing was written yet,
// which needs no comma, and if something was. The last two are those of further properties.
static enum status chain(struct compiler *compiler, const struct properties *properties,
                         struct text *out) {
    struct text name = {0}, other = {0};
    int32_t first = new_rule(compiler), more = new_rule(compiler);
    enum status status =
        properties->open ? other_property(compiler, properties, &other) : STATUS_OK;
    if (status == STATUS_OK)
        status = properties->open
                     ? text_format(compiler->gbnf, "r%d ::= (%s r%d)?\nr%d ::= (\", \" %s)*\n",
                                   first, text_string(&other), more, more, text_string(&other))
                     : text_format(compiler->gbnf, "r%d ::= \"\"\nr%d ::= \"\"\n", first, more);
    for (int32_t i = properties->count - 1; i >= 0 && status == STATUS_OK; i--) {
        const struct property *property = &properties->items[i];
        const int32_t own_first = new_rule(compiler), own_more = new_rule(compiler);
        const cJSON key = {.type = cJSON_String, .valuestring = (char *)(uintptr_t)property->name};
        char skip_first[24] = "", skip_more[24] = "";
        if (!property->required) {
            snprintf(skip_first, sizeof skip_first, " | r%d", first);
            snprintf(skip_more, sizeof skip_more, " | r%d", more);
        }
        text_clear(&name);
        status = schema_literal(&name, &key);
        if (status == STATUS_OK)
            status = text_format(
                compiler->gbnf, "r%d ::= %s \": \" r%d r%d%s\nr%d ::= \", \" %s \": \" r%d r%d%s\n",
                own_first, text_string(&name), property->rule, more, skip_first, own_more,
                text_string(&name), property->rule, more, skip_more);
        first = own_first;
        more = own_more;
    }
    if (status == STATUS_OK) status = text_format(out, "\"{\" r%d \"}\"", first);
    text_deinit(&name);
    text_deinit(&other);
    return status;
}

enum status schema_object(struct compiler *compiler, const cJSON *schema, struct text *out) {
    struct properties properties = {.count = 0};
    TRY(gather_properties(compiler, schema, &properties));
    return chain(compiler, &properties, out);
}

// ---- arrays

// What may follow the `fixed` items that have a schema of their own, so that the array has least to
// most items; most < 0: no limit.
static enum status further_items(struct text *out, int32_t rule, int32_t fixed, int32_t least,
                                 int32_t most) {
    int32_t from = least > fixed ? least - fixed : 0, to = most < 0 ? -1 : most - fixed;
    char bounds[48];
    if (to == 0) return text_append_string(out, "\"\"");
    if (fixed > 0) {
        snprintf(bounds, sizeof bounds, to < 0 ? "{%d,}" : "{%d,%d}", (int)from, (int)to);
        return text_format(out, "(\", \" r%d)%s", rule, bounds);
    }
    const int32_t after = from > 0 ? from - 1 : 0;
    snprintf(bounds, sizeof bounds, to < 0 ? "{%d,}" : "{%d,%d}", (int)after, (int)to - 1);
    return text_format(out, "(r%d (\", \" r%d)%s)%s", rule, rule, bounds, from > 0 ? "" : "?");
}

enum status schema_array(struct compiler *compiler, const cJSON *schema, struct text *out) {
    static const cJSON ANY = {.type = cJSON_True};
    const cJSON *prefix = cJSON_GetObjectItemCaseSensitive(schema, "prefixItems");
    const cJSON *items = cJSON_GetObjectItemCaseSensitive(schema, "items");
    const cJSON *old = cJSON_GetObjectItemCaseSensitive(schema, "additionalItems");
    int32_t least, most, rule, rules[MAX_PROPERTIES], fixed = 0;
    TRY(schema_count(compiler, schema, "minItems", 0, &least));
    TRY(schema_count(compiler, schema, "maxItems", -1, &most));
    if (cJSON_IsArray(items)) { // as before 2020
        prefix = items;
        items = old;
    }
    if (prefix && !cJSON_IsArray(prefix))
        return schema_refuse(compiler, STATUS_BAD_INPUT, "\"prefixItems\" must be an array");
    for (const cJSON *one = prefix ? prefix->child : NULL; one; one = one->next) {
        if (fixed == MAX_PROPERTIES)
            return schema_refuse(compiler, STATUS_TOO_LONG, "more than %d items", MAX_PROPERTIES);
        char number[16];
        snprintf(number, sizeof number, "%d", (int)fixed);
        TRY(schema_compile(compiler, one, "/prefixItems/", number, &rules[fixed++]));
    }
    if (most >= 0 && most < least) return text_append_string(out, "never");
    TRY(schema_compile(compiler, items ? items : &ANY, "/", "items", &rule));
    int32_t next = new_rule(compiler);
    TRY(text_format(compiler->gbnf, "r%d ::= ", next));
    if (most >= 0 && most < fixed)
        TRY(text_append_string(compiler->gbnf, "\"\"")); // is not reached
    else
        TRY(further_items(compiler->gbnf, rule, fixed, least, most));
    TRY(text_append_string(compiler->gbnf, "\n"));
    for (int32_t i = fixed - 1; i >= 0; i--) {
        const int32_t own = new_rule(compiler);
        TRY(text_format(compiler->gbnf, "r%d ::= %s%sr%d r%d%s\n", own, i == most ? "never " : "",
                        i > 0 ? "\", \" " : "", rules[i], next, i >= least ? " | \"\"" : ""));
        next = own;
    }
    return text_format(out, "\"[\" r%d \"]\"", next);
}
