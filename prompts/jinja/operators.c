#include <math.h>

#include "kernels/base/assert.h"
#include "prompts/jinja/format.h"
#include "prompts/jinja/machine.h"

static const char *symbol(enum operator op) {
    static const char *const symbols[] = {
        [OPERATOR_ADD] = "+",  [OPERATOR_SUB] = "-",       [OPERATOR_MUL] = "*",
        [OPERATOR_DIV] = "/",  [OPERATOR_FLOORDIV] = "//", [OPERATOR_MOD] = "%",
        [OPERATOR_POW] = "**", [OPERATOR_EQ] = "==",       [OPERATOR_NE] = "!=",
        [OPERATOR_LT] = "<",   [OPERATOR_LE] = "<=",       [OPERATOR_GT] = ">",
        [OPERATOR_GE] = ">=",  [OPERATOR_IN] = "in",       [OPERATOR_NOT_IN] = "not in",
    };
    return symbols[op];
}

static enum status unsupported(struct machine *machine, enum operator op, const struct value *a,
                               const struct value *b) {
    const char *left = value_type_name(a), *right = value_type_name(b);
    if (op == OPERATOR_ADD && a->kind == VALUE_STRING)
        return machine_fail(machine, "can only concatenate str (not \"%s\") to str", right);
    return machine_fail(machine, "unsupported operand types for %s: '%s' and '%s'", symbol(op),
                        left, right);
}

static int64_t integer_of(const struct value *value) {
    return value->kind == VALUE_BOOLEAN ? value->as.boolean : value->as.integer;
}

static bool multiply_power(int64_t base, int64_t power, int64_t *result) {
    int64_t product = 1;
    bool base_fits = true; // whether the last square did
    for (; power > 0; power >>= 1) {
        if (power & 1) {
            if (!base_fits || __builtin_mul_overflow(product, base, &product)) return false;
        }
        if (power > 1 && __builtin_mul_overflow(base, base, &base)) base_fits = false;
    }
    *result = product;
    return true;
}

// Divides, rounding towards minus infinity as in Python. False: it does not fit.
static bool divide(int64_t a, int64_t b, int64_t *quotient, int64_t *rest) {
    if (a == INT64_MIN && b == -1) {
        *rest = 0;
        return false;
    }
    *quotient = a / b;
    *rest = a % b;
    if (*rest != 0 && (*rest < 0) != (b < 0)) {
        *quotient -= 1;
        *rest += b;
    }
    return true;
}

static enum status binary_integers(struct machine *machine, enum operator op, int64_t a, int64_t b,
                                   struct value *result) {
    int64_t number = 0, rest = 0;
    bool fits = true;
    const bool divides = op == OPERATOR_DIV || op == OPERATOR_FLOORDIV || op == OPERATOR_MOD;
    if (divides && b == 0) return machine_fail(machine, "division by zero");
    if (op == OPERATOR_DIV || (op == OPERATOR_POW && b < 0)) {
        if (op == OPERATOR_POW && a == 0) return machine_fail(machine, "division by zero");
        *result =
            value_float(op == OPERATOR_DIV ? (double)a / (double)b : pow((double)a, (double)b));
        return STATUS_OK;
    }
    if (op == OPERATOR_ADD) fits = !__builtin_add_overflow(a, b, &number);
    if (op == OPERATOR_SUB) fits = !__builtin_sub_overflow(a, b, &number);
    if (op == OPERATOR_MUL) fits = !__builtin_mul_overflow(a, b, &number);
    if (op == OPERATOR_POW) fits = multiply_power(a, b, &number);
    if (op == OPERATOR_FLOORDIV) fits = divide(a, b, &number, &rest);
    if (op == OPERATOR_MOD) {
        divide(a, b, &rest, &number);
    }
    if (!fits) return machine_fail(machine, "the result of %s does not fit in 64 bits", symbol(op));
    *result = value_integer(number);
    return STATUS_OK;
}

static double modulo(double a, double b) {
    const double rest = fmod(a, b);
    if (rest == 0) return copysign(0.0, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
}

static enum status binary_floats(struct machine *machine, enum operator op, double a, double b,
                                 struct value *result) {
    const bool divides = op == OPERATOR_DIV || op == OPERATOR_FLOORDIV || op == OPERATOR_MOD;
    if ((divides && b == 0) || (op == OPERATOR_POW && a == 0 && b < 0))
        return machine_fail(machine, "division by zero");
    if (op == OPERATOR_POW && a < 0 && b != floor(b))
        return machine_fail(machine, "complex numbers are not supported");
    double number = 0;
    if (op == OPERATOR_ADD) number = a + b;
    if (op == OPERATOR_SUB) number = a - b;
    if (op == OPERATOR_MUL) number = a * b;
    if (op == OPERATOR_DIV) number = a / b;
    if (op == OPERATOR_POW) number = pow(a, b);
    if (op == OPERATOR_FLOORDIV) number = floor((a - modulo(a, b)) / b + 0.5);
    if (op == OPERATOR_MOD) number = modulo(a, b);
    *result = value_float(number);
    return STATUS_OK;
}

static enum status join_strings(struct machine *machine, const struct chars *a,
                                const struct chars *b, struct value *result) {
    struct builder out = {.arena = machine->arena};
    builder_push_chars(&out, a);
    builder_push_chars(&out, b);
    return machine_finish(machine, &out, result);
}

static enum status join_lists(struct machine *machine, const struct value *a, const struct value *b,
                              struct value *result) {
    struct list *list;
    TRY(machine_list(machine, a->kind, &list, result));
    for (size_t i = 0; i < a->as.list->count; i++)
        TRY(machine_push(machine, list, a->as.list->items[i]));
    for (size_t i = 0; i < b->as.list->count; i++)
        TRY(machine_push(machine, list, b->as.list->items[i]));
    return STATUS_OK;
}

static bool is_whole(const struct value *value) {
    return value->kind == VALUE_INTEGER || value->kind == VALUE_BOOLEAN;
}

static bool is_list(const struct value *value) {
    return value->kind == VALUE_LIST || value->kind == VALUE_TUPLE;
}

static enum status repeat_value(struct machine *machine, const struct value *what, int64_t times,
                                struct value *result) {
    if (what->kind == VALUE_STRING) {
        struct builder out = {.arena = machine->arena};
        for (int64_t i = 0; i < times && !out.failed && what->as.string->length; i++) {
            TRY(machine_copy(machine, what->as.string->length));
            builder_push_chars(&out, what->as.string);
        }
        return machine_finish(machine, &out, result);
    }
    struct list *list;
    TRY(machine_list(machine, what->kind, &list, result));
    for (int64_t i = 0; i < times && what->as.list->count; i++)
        for (size_t j = 0; j < what->as.list->count; j++)
            TRY(machine_push(machine, list, what->as.list->items[j]));
    return STATUS_OK;
}

enum status machine_binary(struct machine *machine, enum operator op, const struct value *a,
                           const struct value *b, struct value *result) {
    if (op == OPERATOR_MOD && a->kind == VALUE_STRING)
        return format_percent(machine, a->as.string, b, result);
    if (a->kind == VALUE_UNDEFINED) return machine_undefined(machine, a);
    if (b->kind == VALUE_UNDEFINED) return machine_undefined(machine, b);
    if (is_whole(a) && is_whole(b))
        return binary_integers(machine, op, integer_of(a), integer_of(b), result);
    if (value_is_number(a) && value_is_number(b))
        return binary_floats(machine, op, value_number(a), value_number(b), result);
    if (op == OPERATOR_ADD && a->kind == VALUE_STRING && b->kind == VALUE_STRING)
        return join_strings(machine, a->as.string, b->as.string, result);
    if (op == OPERATOR_ADD && is_list(a) && a->kind == b->kind)
        return join_lists(machine, a, b, result);
    if (op == OPERATOR_MUL && (a->kind == VALUE_STRING || is_list(a)) && is_whole(b))
        return repeat_value(machine, a, integer_of(b), result);
    if (op == OPERATOR_MUL && (b->kind == VALUE_STRING || is_list(b)) && is_whole(a))
        return repeat_value(machine, b, integer_of(a), result);
    return unsupported(machine, op, a, b);
}

static int sign_of(double a, double b) { return a < b ? -1 : a > b; }

enum status machine_order(struct machine *machine, const struct value *a, const struct value *b,
                          int *order) {
    TRY(machine_work(machine, 1));
    if (a->kind == VALUE_UNDEFINED) return machine_undefined(machine, a);
    if (b->kind == VALUE_UNDEFINED) return machine_undefined(machine, b);
    if (is_whole(a) && is_whole(b)) {
        const int64_t left = integer_of(a), right = integer_of(b);
        *order = left < right ? -1 : left > right;
        return STATUS_OK;
    }
    if (value_is_number(a) && value_is_number(b)) {
        *order = sign_of(value_number(a), value_number(b));
        return STATUS_OK;
    }
    if (a->kind == VALUE_STRING && b->kind == VALUE_STRING) {
        TRY(machine_copy(machine, a->as.string->length));
        *order = chars_compare(a->as.string, b->as.string);
        return STATUS_OK;
    }
    if (!is_list(a) || a->kind != b->kind)
        return machine_fail(machine, "'<' not supported between instances of '%s' and '%s'",
                            value_type_name(a), value_type_name(b));
    if (++machine->depth > MACHINE_MAX_DEPTH)
        return machine_fail(machine, "a value is nested too deeply");
    const struct list *left = a->as.list, *right = b->as.list;
    *order = 0;
    for (size_t i = 0; *order == 0 && i < left->count && i < right->count; i++)
        TRY(machine_order(machine, &left->items[i], &right->items[i], order));
    if (*order == 0) *order = left->count < right->count ? -1 : left->count > right->count;
    ASSERT(machine->depth > 0);
    machine->depth--;
    return STATUS_OK;
}

static enum status equal(struct machine *machine, const struct value *a, const struct value *b,
                         bool *holds) {
    if (value_equal(a, b, &machine->work_left, holds)) return STATUS_OK;
    TRY(machine_work(machine, 1));
    return machine_fail(machine, "a value is nested too deeply to compare");
}

static enum status value_contains(struct machine *machine, const struct value *item,
                                  const struct value *in, bool *holds) {
    *holds = false;
    if (in->kind == VALUE_STRING) {
        size_t at;
        if (item->kind == VALUE_UNDEFINED) return machine_undefined(machine, item);
        if (item->kind != VALUE_STRING)
            return machine_fail(machine, "'in <string>' requires string as left operand, not %s",
                                value_type_name(item));
        TRY(machine_search(machine, in->as.string->length, item->as.string, false));
        *holds = chars_find(in->as.string, item->as.string, 0, in->as.string->length, &at);
        return STATUS_OK;
    }
    if (in->kind == VALUE_DICT) {
        TRY(machine_key(machine, item));
        *holds = dict_find(in->as.dict, item) != NULL;
        return STATUS_OK;
    }
    if (!value_is_iterable(in))
        return machine_fail(machine, "argument of type '%s' is not iterable", value_type_name(in));
    const struct list *items;
    TRY(machine_items(machine, in, &items));
    for (size_t i = 0; !*holds && i < items->count; i++)
        TRY(equal(machine, &items->items[i], item, holds));
    return STATUS_OK;
}

enum status machine_compare(struct machine *machine, enum operator op, const struct value *a,
                            const struct value *b, bool *holds) {
    int order = 0;
    const bool ordered =
        op == OPERATOR_LT || op == OPERATOR_LE || op == OPERATOR_GT || op == OPERATOR_GE;
    if (ordered) {
        TRY(machine_order(machine, a, b, &order));
        const bool unordered = value_is_number(a) && value_is_number(b) &&
                               (isnan(value_number(a)) || isnan(value_number(b)));
        *holds = !unordered && (op == OPERATOR_LT   ? order < 0
                                : op == OPERATOR_LE ? order <= 0
                                : op == OPERATOR_GT ? order > 0
                                                    : order >= 0);
        return STATUS_OK;
    }
    const bool in = op == OPERATOR_IN || op == OPERATOR_NOT_IN;
    if (in)
        TRY(value_contains(machine, a, b, holds));
    else
        TRY(equal(machine, a, b, holds));
    if (op == OPERATOR_NOT_IN || op == OPERATOR_NE) *holds = !*holds;
    return STATUS_OK;
}
