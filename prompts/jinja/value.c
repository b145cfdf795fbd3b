#include "prompts/jinja/value.h"

#include <math.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/hash.h"

enum { DICT_SCANNED_MOST = 8 }; // entries that are compared one by one

enum status value_text(struct arena *arena, const char *bytes, size_t length, enum origin origin,
                       struct value *value) {
    char *copy = arena_alloc_bytes(arena, length + 1);
    if (!copy) return STATUS_FULL;
    if (length) memcpy(copy, bytes, length);
    copy[length] = '\0';
    const struct chars *kept = chars_keep(arena, chars_of(copy, length, origin));
    if (!kept) return STATUS_FULL;
    *value = value_string(kept);
    return STATUS_OK;
}

enum status value_slice(struct arena *arena, const struct chars *of, size_t from, size_t to,
                        struct value *value) {
    const struct chars *kept = chars_keep(arena, chars_slice(of, from, to));
    if (!kept) return STATUS_FULL;
    *value = value_string(kept);
    return STATUS_OK;
}

static bool is_list_kind(enum value_kind kind) {
    return kind == VALUE_LIST || kind == VALUE_TUPLE || kind == VALUE_VIEW ||
           kind == VALUE_GENERATOR;
}

enum status value_list(struct arena *arena, enum value_kind kind, struct list **list,
                       struct value *value) {
    ASSERT(is_list_kind(kind));
    struct list *made = arena_alloc(arena, 1, sizeof *made);
    if (!made) return STATUS_FULL;
    *list = made;
    *value = (struct value){kind, {.list = made}};
    return STATUS_OK;
}

enum status list_push(struct arena *arena, struct list *list, struct value item) {
    if (!arena_reserve(arena, &list->items, list->count, &list->capacity, sizeof list->items[0]))
        return STATUS_FULL;
    list->items[list->count++] = item;
    return STATUS_OK;
}

enum status value_dict(struct arena *arena, struct value *value) {
    struct dict *dict = arena_alloc(arena, 1, sizeof *dict);
    if (!dict) return STATUS_FULL;
    *value = (struct value){VALUE_DICT, {.dict = dict}};
    return STATUS_OK;
}

static bool is_key_at(const struct value *value, int depth) {
    if (value->kind != VALUE_TUPLE)
        return value->kind == VALUE_STRING || value->kind == VALUE_NONE || value_is_number(value);
    if (value->as.list->count > KEY_PARTS || depth == KEY_DEPTH) return false;
    for (size_t i = 0; i < value->as.list->count; i++)
        if (!is_key_at(&value->as.list->items[i], depth + 1)) return false;
    return true;
}

bool value_is_key(const struct value *value) { return is_key_at(value, 0); }

// Hashes a key. Equal keys have equal hashes, including 1, 1.0 and true. Each dict has its own
// seed, so that keys cannot be crafted to collide.
static uint64_t hash_key(const struct dict *dict, const struct value *key) {
    const uint64_t seed = (uint64_t)(uintptr_t)dict;
    if (key->kind == VALUE_STRING)
        return hash_bytes(key->as.string->bytes, key->as.string->length, seed).low;
    uint64_t hashes[KEY_PARTS]; // at most as deep as value_is_key() lets it
    if (key->kind == VALUE_TUPLE) {
        for (size_t i = 0; i < key->as.list->count; i++)
            hashes[i] = hash_key(dict, &key->as.list->items[i]);
        return hash_bytes(hashes, key->as.list->count * sizeof hashes[0], seed + 2).low;
    }
    const double number = value_is_number(key) ? value_number(key) : -1.5;
    const bool fits = fabs(number) < 0x1p63 && number == floor(number);
    if (!fits && key->kind != VALUE_INTEGER)
        return hash_bytes(&number, sizeof number, seed + 1).low;
    const int64_t whole = key->kind == VALUE_INTEGER ? key->as.integer : (int64_t)number;
    return hash_bytes(&whole, sizeof whole, seed + 1).low;
}

static bool keys_equal(const struct value *a, const struct value *b) {
    uint64_t work = UINT64_MAX; // keys hold few other values
    bool equal = false;
    return value_equal(a, b, &work, &equal) && equal;
}

static uint32_t *find_slot(const struct dict *dict, const struct value *key) {
    const size_t mask = dict->slot_count - 1;
    ASSERT(dict->slot_count > dict->count); // so one is free, and the search ends
    size_t at = (size_t)hash_key(dict, key) & mask;
    while (dict->slots[at] && !keys_equal(&dict->entries[dict->slots[at] - 1].key, key))
        at = (at + 1) & mask;
    return &dict->slots[at];
}

static struct value *find_value(const struct dict *dict, const struct value *key) {
    if (dict->slots) {
        const uint32_t *slot = find_slot(dict, key);
        ASSERT(*slot <= dict->count);
        return *slot ? &dict->entries[*slot - 1].value : NULL;
    }
    for (size_t i = 0; i < dict->count; i++)
        if (keys_equal(&dict->entries[i].key, key)) return &dict->entries[i].value;
    return NULL;
}

// Doubles the entries, and allocates twice as many slots as entries.
static enum status grow_dict(struct arena *arena, struct dict *dict) {
    const size_t capacity = dict->capacity ? dict->capacity * 2 : 4;
    ASSERT(dict->count == dict->capacity);
    if (capacity > UINT32_MAX / 2) return STATUS_FULL;
    struct dict_entry *entries = arena_alloc(arena, capacity, sizeof *entries);
    uint32_t *slots = NULL;
    if (!entries) return STATUS_FULL;
    if (capacity > DICT_SCANNED_MOST) {
        slots = arena_alloc(arena, capacity * 2, sizeof *slots);
        if (!slots) return STATUS_FULL;
    }
    if (dict->count) memcpy(entries, dict->entries, dict->count * sizeof *entries);
    dict->entries = entries;
    dict->capacity = capacity;
    dict->slots = slots;
    dict->slot_count = slots ? capacity * 2 : 0;
    for (size_t i = 0; slots && i < dict->count; i++)
        *find_slot(dict, &entries[i].key) = (uint32_t)i + 1;
    return STATUS_OK;
}

enum status dict_set(struct arena *arena, struct dict *dict, struct value key, struct value value) {
    ASSERT(value_is_key(&key)); // hashing it looks no deeper than that
    struct value *found = find_value(dict, &key);
    if (found) {
        *found = value;
        return STATUS_OK;
    }
    if (dict->count == dict->capacity) TRY(grow_dict(arena, dict));
    if (dict->slots) *find_slot(dict, &key) = (uint32_t)dict->count + 1;
    dict->entries[dict->count++] = (struct dict_entry){key, value};
    return STATUS_OK;
}

const struct value *dict_find(const struct dict *dict, const struct value *key) {
    return value_is_key(key) ? find_value(dict, key) : NULL;
}

const struct value *dict_find_chars(const struct dict *dict, const struct chars *key) {
    const struct value value = value_string(key);
    return find_value(dict, &value);
}

bool value_is_number(const struct value *value) {
    return value->kind == VALUE_BOOLEAN || value->kind == VALUE_INTEGER ||
           value->kind == VALUE_FLOAT;
}

double value_number(const struct value *value) {
    ASSERT(value_is_number(value));
    if (value->kind == VALUE_FLOAT) return value->as.number;
    return value->kind == VALUE_BOOLEAN ? (double)value->as.boolean : (double)value->as.integer;
}

bool value_is_true(const struct value *value) {
    switch (value->kind) {
    case VALUE_UNDEFINED:
    case VALUE_NONE:
        return false;
    case VALUE_BOOLEAN:
        return value->as.boolean;
    case VALUE_INTEGER:
        return value->as.integer != 0;
    case VALUE_FLOAT:
        return value->as.number != 0;
    case VALUE_STRING:
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_VIEW:
    case VALUE_RANGE:
    case VALUE_DICT:
        return value_length(value) > 0;
    case VALUE_GENERATOR:
    case VALUE_NAMESPACE:
    case VALUE_LOOP:
    case VALUE_MACRO:
    case VALUE_METHOD:
    case VALUE_BUILTIN:
    case VALUE_CYCLER:
    case VALUE_JOINER:
        return true;
    }
    return false;
}

struct comparison {
    uint64_t work;
    int depth;
};

static bool equal_at(const struct value *a, const struct value *b, struct comparison *in,
                     bool *equal);

// Counts work. False: there was not enough left.
static bool read_bytes(struct comparison *in, size_t bytes) {
    const uint64_t units = bytes / VALUE_BYTES_PER_WORK;
    const bool enough = units <= in->work;
    in->work = enough ? in->work - units : 0;
    return enough;
}

static bool strings_equal(const struct chars *a, const struct chars *b, struct comparison *in,
                          bool *equal) {
    if (a->length == b->length && !read_bytes(in, a->length)) return false;
    *equal = chars_equal(a, b);
    return true;
}

static bool lists_equal(const struct list *a, const struct list *b, struct comparison *in,
                        bool *equal) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        if (!equal_at(&a->items[i], &b->items[i], in, &same)) return false;
    *equal = same;
    return true;
}

static bool dicts_equal(const struct dict *a, const struct dict *b, struct comparison *in,
                        bool *equal) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const struct value *key = &a->entries[i].key;
        if (key->kind == VALUE_STRING && !read_bytes(in, key->as.string->length * KEY_READINGS))
            return false;
        const struct value *other = find_value(b, key);
        same = other != NULL;
        if (other && !equal_at(&a->entries[i].value, other, in, &same)) return false;
    }
    *equal = same;
    return true;
}

static bool numbers_equal(const struct value *a, const struct value *b) {
    if (a->kind == VALUE_INTEGER && b->kind == VALUE_INTEGER) return a->as.integer == b->as.integer;
    return value_number(a) == value_number(b);
}

static bool ranges_equal(const struct range *a, const struct range *b) {
    if (a->count != b->count || a->count == 0) return a->count == b->count;
    return a->start == b->start && (a->count == 1 || a->step == b->step);
}

static bool equal_items(const struct value *a, const struct value *b, struct comparison *in,
                        bool *equal) {
    if (++in->depth > VALUE_MAX_DEPTH) return false;
    const bool done = a->kind == VALUE_DICT ? dicts_equal(a->as.dict, b->as.dict, in, equal)
                                            : lists_equal(a->as.list, b->as.list, in, equal);
    in->depth--;
    ASSERT(in->depth >= 0);
    return done;
}

static bool equal_at(const struct value *a, const struct value *b, struct comparison *in,
                     bool *equal) {
    if (in->work == 0) return false;
    in->work--;
    if (value_is_number(a) && value_is_number(b)) {
        *equal = numbers_equal(a, b);
        return true;
    }
    if (a->kind != b->kind) {
        *equal = false;
        return true;
    }
    switch (a->kind) {
    case VALUE_UNDEFINED:
    case VALUE_NONE:
        *equal = true;
        return true;
    case VALUE_STRING:
        return strings_equal(a->as.string, b->as.string, in, equal);
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_VIEW:
    case VALUE_DICT:
        return equal_items(a, b, in, equal);
    case VALUE_RANGE:
        *equal = ranges_equal(a->as.range, b->as.range);
        return true;
    case VALUE_BOOLEAN:
    case VALUE_INTEGER:
    case VALUE_FLOAT:
    case VALUE_GENERATOR:
    case VALUE_NAMESPACE:
    case VALUE_LOOP:
    case VALUE_MACRO:
    case VALUE_METHOD:
    case VALUE_BUILTIN:
    case VALUE_CYCLER:
    case VALUE_JOINER:
        break;
    }
    *equal = a->as.dict == b->as.dict; // identity
    return true;
}

bool value_equal(const struct value *a, const struct value *b, uint64_t *work, bool *equal) {
    struct comparison in = {.work = *work};
    const bool done = equal_at(a, b, &in, equal);
    *work = in.work;
    return done;
}

const char *value_type_name(const struct value *value) {
    static const char *const names[] = {
        [VALUE_UNDEFINED] = "Undefined", [VALUE_NONE] = "NoneType",
        [VALUE_BOOLEAN] = "bool",        [VALUE_INTEGER] = "int",
        [VALUE_FLOAT] = "float",         [VALUE_STRING] = "str",
        [VALUE_LIST] = "list",           [VALUE_TUPLE] = "tuple",
        [VALUE_VIEW] = "dict view",      [VALUE_GENERATOR] = "generator",
        [VALUE_RANGE] = "range",         [VALUE_DICT] = "dict",
        [VALUE_NAMESPACE] = "Namespace", [VALUE_LOOP] = "LoopContext",
        [VALUE_MACRO] = "Macro",         [VALUE_METHOD] = "builtin_function_or_method",
        [VALUE_BUILTIN] = "function",    [VALUE_CYCLER] = "Cycler",
        [VALUE_JOINER] = "Joiner",
    };
    return names[value->kind];
}

bool value_has_length(const struct value *value) {
    return value->kind == VALUE_UNDEFINED || value->kind == VALUE_STRING ||
           value->kind == VALUE_LIST || value->kind == VALUE_TUPLE || value->kind == VALUE_VIEW ||
           value->kind == VALUE_RANGE || value->kind == VALUE_DICT;
}

bool value_is_iterable(const struct value *value) {
    return value_has_length(value) || value->kind == VALUE_GENERATOR;
}

size_t value_length(const struct value *value) {
    switch (value->kind) {
    case VALUE_STRING:
        return value->as.string->count;
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_VIEW:
    case VALUE_GENERATOR:
        return value->as.list->count;
    case VALUE_RANGE:
        return value->as.range->count;
    case VALUE_DICT:
        return value->as.dict->count;
    case VALUE_UNDEFINED:
    case VALUE_NONE:
    case VALUE_BOOLEAN:
    case VALUE_INTEGER:
    case VALUE_FLOAT:
    case VALUE_NAMESPACE:
    case VALUE_LOOP:
    case VALUE_MACRO:
    case VALUE_METHOD:
    case VALUE_BUILTIN:
    case VALUE_CYCLER:
    case VALUE_JOINER:
        return 0;
    }
    return 0;
}

enum status value_item(struct arena *arena, const struct value *value, size_t index,
                       struct value *item) {
    ASSERT(index < value_length(value));
    if (value->kind == VALUE_RANGE) {
        const struct range *range = value->as.range;
        *item = value_integer(range->start + (int64_t)index * range->step);
        return STATUS_OK;
    }
    if (value->kind == VALUE_DICT) {
        *item = value->as.dict->entries[index].key;
        return STATUS_OK;
    }
    if (value->kind == VALUE_STRING) {
        const struct chars *string = value->as.string;
        const size_t from = chars_offset(string, index);
        return value_slice(arena, string, from, chars_offset(string, index + 1), item);
    }
    ASSERT(is_list_kind(value->kind));
    *item = value->as.list->items[index];
    return STATUS_OK;
}
