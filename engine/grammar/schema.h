// engine/grammar/schema.h — a JSON Schema as a grammar (gbnf.h) of the JSON texts that it accepts.
//
// JSON Schema 2020-12 (json-schema.org), with draft 7's definitions and items as an array. Known:
// true and false; type, enum, const; properties, required, additionalProperties; items,
// prefixItems, minItems, maxItems; minLength and maxLength, also together with a pattern of one
// repeated character; pattern; format of texts (date, time, date-time, duration, uuid, ipv4, ipv6,
// email, hostname, uri, byte, password), also together with lengths and a pattern, which may then
// begin with lookaheads; format of numbers (int8 to uint64, float, double); minimum, maximum and,
// of integers, exclusiveMinimum and exclusiveMaximum; anyOf, allOf, oneOf where the alternatives
// exclude one another; $ref into the same document, $defs. Of OpenAPI: nullable together with a
// type, and discriminator where the alternatives exclude one another. Any other keyword that would
// constrain a value is refused by name; annotations and x-… are ignored.
//
// The grammar writes JSON on one line, ": " after names and ", " between values, properties in the
// order of the document, those of a $ref or allOf where it stands. It may be narrower than the
// schema, and is never wider:
//
//   - objects with named properties have others only if additionalProperties says so
//   - a schema that constrains one type, and names none, is of that type
//   - numbers have at most 16 digits on either side of the point
//
// Memory: none is kept. Threads: any.
#ifndef ENGINE_SCHEMA_H
#define ENGINE_SCHEMA_H

#include "kernels/base/status.h"
#include "kernels/base/text.h"

enum {
    SCHEMA_MAX_DEPTH = 64,
    SCHEMA_MAX_BYTES = 1 << 20,
    SCHEMA_MAX_NODES = 4096, // schemas in the document, each as often as it is combined with others
    SCHEMA_MAX_COPIED = 64 << 20, // bytes of schemas that were combined
    SCHEMA_MAX_STEPS = 1 << 26,   // of comparing and combining, about a second
};

// Appends the rules, "root" among them. BAD_INPUT: not JSON, or a keyword with a value of the wrong
// kind; UNSUPPORTED names the keyword, and where it stands.
MUST_CHECK enum status schema_to_gbnf(const char *json, size_t length, struct text *gbnf,
                                      struct error *err);

#endif
