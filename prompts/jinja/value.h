// prompts/jinja/value.h — the values of a template: Python's, as far as templates can tell.
//
//   kind                                          in `as`
//   UNDEFINED  a missing name or item               undefined: how it was looked up
//   NONE, BOOLEAN, INTEGER, FLOAT                   boolean, integer (64 bits), number
//   STRING                                          string
//   LIST, TUPLE, VIEW, GENERATOR                    list (a dict's items(); what map() returns)
//   RANGE                                           range: its numbers are never stored
//   DICT, NAMESPACE                                 dict: keys in the order they came in
//   LOOP, MACRO, METHOD, BUILTIN                    objects of the machine (machine.h)
//   CYCLER, JOINER                                  cycle: its state
//
// Only namespaces, cyclers and joiners are mutable. A value can contain itself only through a
// namespace, which is printed without its contents.
//
// Memory: values are in an arena. Threads: immutable values may be shared; only one thread at a
// time uses an arena.
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
    const struct chars *name; // the variable, or the attribute that `owner` lacks
    const char *owner;        // type of the owner, as from value_type_name(); NULL: a variable
    const char *hint;         // the whole message, or NULL
    int64_t element;          // the index, if name is NULL
};

struct range {
    int64_t start, stop, step; // stop as given
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

enum { VALUE_MAX_DEPTH = 200 }; // of nesting, wherever a whole value is visited
enum {
    VALUE_BYTES_PER_WORK = 32,
    KEY_PARTS = 16,   // most items of a tuple that is a dict key,
    KEY_DEPTH = 4,    // and how deep they nest
    KEY_READINGS = 8, // how often a lookup reads its key, by hashing or comparing
};

struct list {
    struct value *items;
    size_t count, capacity;
    const char *name; // views only: "dict_items"
    bool group;       // of groupby(): its items are also called grouper and list
};

struct dict_entry {
    struct value key, value;
};

struct dict {
    struct dict_entry *entries;
    size_t count, capacity;
    uint32_t *slots; // hash table: entry + 1, or 0: free; NULL while there are few
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

// These, and all below, return FULL if the arena is full.
MUST_CHECK enum status value_text(struct arena *arena, const char *bytes, size_t length,
                                  enum origin origin, struct value *value); // copies the bytes
MUST_CHECK enum status value_slice(struct arena *arena, const struct chars *of, size_t from,
                                   size_t to, struct value *value); // bytes [from, to)
MUST_CHECK enum status value_list(struct arena *arena, enum value_kind kind, struct list **list,
                                  struct value *value); // a new, empty one
MUST_CHECK enum status list_push(struct arena *arena, struct list *list, struct value item);

MUST_CHECK enum status value_dict(struct arena *arena, struct value *value); // empty
bool value_is_key(const struct value *value); // may it be a dict's key?
// Inserts or replaces; value_is_key(key).
MUST_CHECK enum status dict_set(struct arena *arena, struct dict *dict, struct value key,
                                struct value value);
const struct value *dict_find(const struct dict *dict, const struct value *key); // or NULL
const struct value *dict_find_chars(const struct dict *dict, const struct chars *key);

// As in Python.
bool value_is_true(const struct value *value);
bool value_is_number(const struct value *value); // or a boolean
double value_number(const struct value *value);  // value_is_number(value)
// Each value that is compared costs one unit of *work, and strings more by their bytes. False, with
// *equal untouched: *work ran out, or nesting exceeds VALUE_MAX_DEPTH.
MUST_CHECK bool value_equal(const struct value *a, const struct value *b, uint64_t *work,
                            bool *equal);
const char *value_type_name(const struct value *value); // "str", "dict", "NoneType", …

// Can a for loop iterate over it? A dict iterates over its keys, a string over its characters.
bool value_is_iterable(const struct value *value);
bool value_has_length(const struct value *value);
size_t value_length(const struct value *value); // 0 for values without a length
// Item `index` < value_length() of an iterable; an item of a string allocates memory.
MUST_CHECK enum status value_item(struct arena *arena, const struct value *value, size_t index,
                                  struct value *item);

#endif
