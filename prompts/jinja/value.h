// prompts/jinja/value.h — what a template computes with: Python's values, as far as it sees them.
//
//   kind                                          in `as`
//   UNDEFINED  a name or an item that is not there  undefined: how it was looked for
//   NONE, BOOLEAN, INTEGER, FLOAT                   boolean, integer (64 bits), number
//   STRING                                          string
//   LIST, TUPLE, VIEW, GENERATOR                    list (a dict's items(); what map() returns)
//   RANGE                                           range: its numbers are never stored
//   DICT, NAMESPACE                                 dict: keys in the order they came in
//   LOOP, MACRO, METHOD, BUILTIN                    what the machine made (machine.h)
//   CYCLER, JOINER                                  cycle: what it has said so far
//
// Nothing changes after it was made, except namespaces, cyclers and joiners. A value that holds
// itself can not be made but through a namespace, which is printed without its contents.
//
// Memory: all of an arena. Threads: read-only values may be shared, an arena's not made by two.
#ifndef PROMPTS_JINJA_VALUE_H
#define PROMPTS_JINJA_VALUE_H

#include "prompts/jinja/chars.h"

enum value_kind {
    VALUE_UNDEFINED,
    VALUE_NONE,
    VALUE_BOOLEAN,
    VALUE_INTEGER,
    VALUE_FLOAT,
    VALUE_STRING,
    VALUE_LIST,
    VALUE_TUPLE,
    VALUE_VIEW,
    VALUE_GENERATOR,
    VALUE_RANGE,
    VALUE_DICT,
    VALUE_NAMESPACE,
    VALUE_LOOP,
    VALUE_MACRO,
    VALUE_METHOD,
    VALUE_BUILTIN,
    VALUE_CYCLER,
    VALUE_JOINER,
};

struct list;
struct dict;

struct undefined {
    const struct chars *name; // of the variable, or of what `owner` does not have
    const char *owner;        // its kind, as value_type_name() says; NULL: a variable
    const char *hint;         // the whole message, or NULL
    int64_t element;          // where name is NULL: the index
};

struct range {
    int64_t start, stop, step; // stop: as it was given
    size_t count;
};

struct cycle { // a cycler's texts, or a joiner's separator after its first use
    const struct list *items;
    size_t at;
};

struct value {
    enum value_kind kind;
    union {
        bool boolean;
        int64_t integer;
        double number;
        const struct undefined *undefined; // NULL: nothing is known about it
        const struct chars *string;
        const struct list *list;
        const struct range *range;
        struct dict *dict;
        struct loop *loop;
        const struct macro *macro;
        const struct method *method;
        const struct builtin *builtin;
        struct cycle *cycle;
    } as;
};

enum { VALUE_MAX_DEPTH = 200 }; // of lists in lists, wherever all of a value is looked at
enum {
    VALUE_BYTES_PER_WORK = 32,
    KEY_READINGS = 8, // of a key that is looked up: to hash it, or in a few comparisons
};

struct list {
    struct value *items;
    size_t count, capacity;
    const char *name; // of a view: "dict_items"
};

struct dict_entry {
    struct value key, value;
};

struct dict {
    struct dict_entry *entries;
    size_t count, capacity;
    uint32_t *slots; // entry + 1 by the key's hash, 0 free; NULL while there are few
    size_t slot_count;
};

static inline struct value value_none(void) { return (struct value){.kind = VALUE_NONE}; }
static inline struct value value_boolean(bool boolean) {
    return (struct value){VALUE_BOOLEAN, {.boolean = boolean}};
}
static inline struct value value_integer(int64_t integer) {
    return (struct value){VALUE_INTEGER, {.integer = integer}};
}
static inline struct value value_float(double number) {
    return (struct value){VALUE_FLOAT, {.number = number}};
}
static inline struct value value_string(const struct chars *string) {
    return (struct value){VALUE_STRING, {.string = string}};
}

// FULL where the arena has no room; so for all below.
MUST_CHECK enum status value_text(struct arena *arena, const char *bytes, size_t length,
                                  enum origin origin, struct value *value); // copies the bytes
MUST_CHECK enum status value_slice(struct arena *arena, const struct chars *of, size_t from,
                                   size_t to, struct value *value); // bytes [from, to)
MUST_CHECK enum status value_list(struct arena *arena, enum value_kind kind, struct list **list,
                                  struct value *value); // a new, empty one
MUST_CHECK enum status list_push(struct arena *arena, struct list *list, struct value item);

MUST_CHECK enum status value_dict(struct arena *arena, struct value *value); // empty
bool value_is_key(const struct value *value); // may it be a dict's key?
// Enters or replaces; `key` is one that may be.
MUST_CHECK enum status dict_set(struct arena *arena, struct dict *dict, struct value key,
                                struct value value);
const struct value *dict_find(const struct dict *dict, const struct value *key); // or NULL
const struct value *dict_find_chars(const struct dict *dict, const struct chars *key);

// As Python has them.
bool value_is_true(const struct value *value);
bool value_is_number(const struct value *value); // or a boolean
double value_number(const struct value *value);  // of one that is
// Each value that is looked at takes one of *work, and one for so many bytes of strings. false, and
// *equal untouched: there was not enough of it, or they are nested deeper than VALUE_MAX_DEPTH.
MUST_CHECK bool value_equal(const struct value *a, const struct value *b, uint64_t *work,
                            bool *equal);
const char *value_type_name(const struct value *value); // "str", "dict", "NoneType", …

// What a for loop goes over. A dict is gone over by its keys, a string by its characters.
bool value_is_iterable(const struct value *value);
bool value_has_length(const struct value *value);
size_t value_length(const struct value *value); // 0 for what has none
// Item `index` of what is iterable, below its length; a character of a string takes memory.
MUST_CHECK enum status value_item(struct arena *arena, const struct value *value, size_t index,
                                  struct value *item);

#endif
