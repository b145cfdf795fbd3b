// engine/grammar/schema_parts.h — what the files behind schema.h share. No other file includes it.
//
//   schema.c          one schema: its keywords, its types
//   schema_combine.c  $ref, allOf, and whether the alternatives of oneOf exclude one another
//   schema_object.c   properties and items
//   schema_string.c   lengths, formats and patterns
//   schema_product.c  strings that fit several of these at once
//   schema_number.c   ranges of numbers, as digits
//   schema_value.c    values in the document: exact numbers, comparing, writing
//
// Each rule is named by a number: r0, r1, …
#ifndef ENGINE_SCHEMA_PARTS_H
#define ENGINE_SCHEMA_PARTS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/grammar/characters.h"
#include "engine/grammar/schema.h"
#include "kernels/base/effort.h"

enum schema_type {
    SCHEMA_NULL = 1,
    SCHEMA_BOOLEAN = 2,
    SCHEMA_INTEGER = 4,
    SCHEMA_FRACTION = 8, // a number is an integer or one of these
    SCHEMA_STRING = 16,
    SCHEMA_ARRAY = 32,
    SCHEMA_OBJECT = 64,
    SCHEMA_NUMBER = SCHEMA_INTEGER | SCHEMA_FRACTION,
    SCHEMA_ANY = 127,
};

struct schema_rule {
    const cJSON *schema;
    int32_t rule;
};

struct compiler {
    const cJSON *document;
    struct text *gbnf;
    struct schema_rule known[SCHEMA_MAX_NODES]; // so that a $ref may lead back
    int32_t known_count, rule_count;
    cJSON *combined;  // an array: owns schemas that were made of others
    struct text path; // where in the document, for messages
    int32_t depth;
    size_t copied_bytes; // of schemas that were made of others
    struct effort effort;
    struct error *err;
};

extern const char SCHEMA_COMMON_RULES[]; // that all rules may name: value, string, char, never …

// "schema, at #/properties/age: …", UNSUPPORTED or BAD_INPUT.
enum status schema_refuse(struct compiler *compiler, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The rule of a schema; `step` and `name` say how it is reached from the one above: "/items", "".
MUST_CHECK enum status schema_compile(struct compiler *compiler, const cJSON *schema,
                                      const char *step, const char *name, int32_t *rule);

// Is it a keyword that constrains nothing?
bool schema_is_annotation(const char *keyword);

// The types that the schema states by type, const or enum, as bits; SCHEMA_ANY: it states none.
MUST_CHECK enum status schema_types(struct compiler *compiler, const cJSON *schema,
                                    unsigned *types);

// The types that the grammar writes: those, or if none are stated, the types that the keywords
// constrain.
MUST_CHECK enum status schema_written_types(struct compiler *compiler, const cJSON *schema,
                                            unsigned *types);

// A whole number from 0 on; `otherwise` if the keyword is absent.
MUST_CHECK enum status schema_count(struct compiler *compiler, const cJSON *schema,
                                    const char *keyword, int32_t otherwise, int32_t *count);

// FULL or CANCELLED are explained.
MUST_CHECK enum status schema_spend(struct compiler *compiler, uint64_t steps);

// ---- schema_value.c

// A document whose numbers have their text as valuestring.
MUST_CHECK enum status schema_parse(const char *json, size_t length, cJSON **document,
                                    struct error *err);

struct decimal { // digits times 10 to the power of `zeros`
    bool negative;
    char digits[64]; // neither begins nor ends with 0
    int32_t count, zeros;
};
enum { SCHEMA_MAX_DIGITS = 18 }; // of a whole number that is computed with

void schema_decimal(const cJSON *number, struct decimal *decimal);
bool decimal_is_whole(const struct decimal *decimal);
int decimal_compare(const struct decimal *a, const struct decimal *b);

// Rounded up if `direction` is 1, down if it is -1. False: it has too many digits.
bool decimal_to_int(const struct decimal *decimal, int direction, int64_t *number);

// As JSON Schema has it: 1 and 1.0 are equal, and the order of members does not matter.
MUST_CHECK enum status schema_equal(struct compiler *compiler, const cJSON *a, const cJSON *b,
                                    bool *equal);

// Appends JSON, or its characters between quotes, as a GBNF literal.
MUST_CHECK enum status schema_literal(struct text *out, const cJSON *value);
MUST_CHECK enum status schema_quote(struct text *out, const char *text);

// ---- schema_combine.c

MUST_CHECK enum status schema_resolve(struct compiler *compiler, const char *ref,
                                      const cJSON **target);

// A schema of what both accept, owned by the compiler.
MUST_CHECK enum status schema_combine(struct compiler *compiler, const cJSON *a, const cJSON *b,
                                      const cJSON **both);

// The schema without two keywords; NULL: it says nothing else.
MUST_CHECK enum status schema_without(struct compiler *compiler, const cJSON *schema,
                                      const char *keyword, const char *other, const cJSON **rest);

// Refuses alternatives that may overlap; the keyword is the one that has them.
MUST_CHECK enum status schema_check_exclusive(struct compiler *compiler, const char *keyword,
                                              const cJSON *alternatives);

// ---- schema_product.c

enum { SCHEMA_MAX_PARTS = 8 };

struct schema_expression {
    struct text expression; // the right side of a rule, for the string and its quotation marks
    bool excluded;          // what must not fit
};

// Appends the rule's right side for the strings that fit all parts [count], of ASCII and without a
// backslash. TOO_LONG: they need too many states.
MUST_CHECK enum status schema_product(struct compiler *compiler,
                                      const struct schema_expression *parts, size_t count,
                                      struct text *out);

// ---- Each appends the right side of a rule.

MUST_CHECK enum status schema_object(struct compiler *compiler, const cJSON *schema,
                                     struct text *out);
MUST_CHECK enum status schema_array(struct compiler *compiler, const cJSON *schema,
                                    struct text *out);
MUST_CHECK enum status schema_string(struct compiler *compiler, const cJSON *schema,
                                     struct text *out);
MUST_CHECK enum status schema_pattern(struct compiler *compiler, const char *pattern, int32_t least,
                                      int32_t most, struct text *out); // most < 0: no limit
MUST_CHECK enum status schema_number(struct compiler *compiler, const cJSON *schema, unsigned types,
                                     struct text *out);

#endif
