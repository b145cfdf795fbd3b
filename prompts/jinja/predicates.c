#include "kernels/base/text.h"
#include "prompts/jinja/builtin.h"
#include "prompts/jinja/machine.h"

static enum status is(bool holds, struct value *result) {
    *result = value_boolean(holds);
    return STATUS_OK;
}

// Tests of a value's type need neither the machine nor an argument.
#define TEST_OF_VALUE(name, holds)                                            \
    static enum status name(struct machine *machine, const struct call *call, \
                            struct value *result) {                           \
        (void)machine;                                                        \
        const struct value *self = call->self;                                \
        return is(holds, result);                                             \
    }

TEST_OF_VALUE(is_defined, self->kind != VALUE_UNDEFINED)
TEST_OF_VALUE(is_undefined, self->kind == VALUE_UNDEFINED)
TEST_OF_VALUE(is_none, self->kind == VALUE_NONE)
TEST_OF_VALUE(is_boolean, self->kind == VALUE_BOOLEAN)
TEST_OF_VALUE(is_true, self->kind == VALUE_BOOLEAN && self->as.boolean)
TEST_OF_VALUE(is_false, self->kind == VALUE_BOOLEAN && !self->as.boolean)
TEST_OF_VALUE(is_integer, self->kind == VALUE_INTEGER)
TEST_OF_VALUE(is_float, self->kind == VALUE_FLOAT)
TEST_OF_VALUE(is_number, value_is_number(self))
TEST_OF_VALUE(is_string, self->kind == VALUE_STRING)
TEST_OF_VALUE(is_mapping, self->kind == VALUE_DICT)
TEST_OF_VALUE(is_iterable, value_is_iterable(self))
TEST_OF_VALUE(is_sequence, value_has_length(self) && self->kind != VALUE_VIEW)
TEST_OF_VALUE(is_callable, self->kind == VALUE_UNDEFINED || self->kind == VALUE_MACRO ||
                               self->kind == VALUE_METHOD || self->kind == VALUE_BUILTIN ||
                               self->kind == VALUE_LOOP || self->kind == VALUE_JOINER)
TEST_OF_VALUE(is_escaped, self->kind == VALUE_LOOP && false)

static enum status test_rest(struct machine *machine, const struct call *call, int64_t divisor,
                             int64_t wanted, struct value *result) {
    const struct value by = value_integer(divisor), rest = value_integer(wanted);
    struct value left;
    bool holds;
    TRY(machine_binary(machine, OPERATOR_MOD, call->self, &by, &left));
    TRY(machine_compare(machine, OPERATOR_EQ, &left, &rest, &holds));
    return is(holds, result);
}

static enum status is_odd(struct machine *machine, const struct call *call, struct value *result) {
    return test_rest(machine, call, 2, 1, result);
}

static enum status is_even(struct machine *machine, const struct call *call, struct value *result) {
    return test_rest(machine, call, 2, 0, result);
}

static enum status is_divisible(struct machine *machine, const struct call *call,
                                struct value *result) {
    if (call->values[0]->kind != VALUE_INTEGER)
        return machine_fail(machine, "divisibleby expects an integer");
    return test_rest(machine, call, call->values[0]->as.integer, 0, result);
}

// Is there a letter with case, and is every such letter of this case?
static bool has_case(const struct machine *machine, const struct chars *string, bool upper) {
    bool any = false;
    for (size_t at = 0, used; at < string->length; at += used) {
        const uint32_t c = utf8_decode(string->bytes + at, string->length - at, &used);
        const bool lower_letter = char_upper(c, machine->locale) != c;
        const bool upper_letter = char_lower(c, machine->locale) != c;
        if (upper ? lower_letter : upper_letter) return false;
        any = any || lower_letter || upper_letter;
    }
    return any;
}

static enum status is_cased(struct machine *machine, const struct call *call, bool upper,
                            struct value *result) {
    const struct chars *string;
    TRY(machine_string(machine, call->self, &string));
    TRY(machine_copy(machine, string->length * 8));
    return is(has_case(machine, string, upper), result);
}

static enum status is_upper(struct machine *machine, const struct call *call,
                            struct value *result) {
    return is_cased(machine, call, true, result);
}

static enum status is_lower(struct machine *machine, const struct call *call,
                            struct value *result) {
    return is_cased(machine, call, false, result);
}

static enum status is_same(struct machine *machine, const struct call *call, struct value *result) {
    const struct value *a = call->self, *b = call->values[0];
    bool holds = false;
    if (a->kind == b->kind && (a->kind <= VALUE_STRING))
        TRY(machine_compare(machine, OPERATOR_EQ, a, b, &holds));
    else
        holds = a->kind == b->kind && a->as.dict == b->as.dict;
    return is(holds, result);
}

static enum status names_builtin(const struct call *call, enum builtin_kind kind,
                                 struct value *result) {
    return is(call->self->kind == VALUE_STRING &&
                  builtin_find_chars(kind, call->self->as.string) != NULL,
              result);
}

static enum status is_filter(struct machine *machine, const struct call *call,
                             struct value *result) {
    (void)machine;
    return names_builtin(call, BUILTIN_FILTER, result);
}

static enum status is_test(struct machine *machine, const struct call *call, struct value *result) {
    (void)machine;
    return names_builtin(call, BUILTIN_TEST, result);
}

#define TEST_BY_OPERATOR(name, op)                                              \
    static enum status name(struct machine *machine, const struct call *call,   \
                            struct value *result) {                             \
        bool holds;                                                             \
        TRY(machine_compare(machine, op, call->self, call->values[0], &holds)); \
        return is(holds, result);                                               \
    }

TEST_BY_OPERATOR(is_in, OPERATOR_IN)
TEST_BY_OPERATOR(is_equal, OPERATOR_EQ)
TEST_BY_OPERATOR(is_unequal, OPERATOR_NE)
TEST_BY_OPERATOR(is_greater, OPERATOR_GT)
TEST_BY_OPERATOR(is_greater_or_equal, OPERATOR_GE)
TEST_BY_OPERATOR(is_less, OPERATOR_LT)
TEST_BY_OPERATOR(is_less_or_equal, OPERATOR_LE)

static const struct builtin rows[] = {
    {"defined", is_defined, {NULL}, 0, false},
    {"undefined", is_undefined, {NULL}, 0, false},
    {"none", is_none, {NULL}, 0, false},
    {"boolean", is_boolean, {NULL}, 0, false},
    {"true", is_true, {NULL}, 0, false},
    {"false", is_false, {NULL}, 0, false},
    {"integer", is_integer, {NULL}, 0, false},
    {"float", is_float, {NULL}, 0, false},
    {"number", is_number, {NULL}, 0, false},
    {"string", is_string, {NULL}, 0, false},
    {"mapping", is_mapping, {NULL}, 0, false},
    {"iterable", is_iterable, {NULL}, 0, false},
    {"sequence", is_sequence, {NULL}, 0, false},
    {"callable", is_callable, {NULL}, 0, false},
    {"escaped", is_escaped, {NULL}, 0, false},
    {"odd", is_odd, {NULL}, 0, false},
    {"even", is_even, {NULL}, 0, false},
    {"divisibleby", is_divisible, {"num"}, 1, false},
    {"upper", is_upper, {NULL}, 0, false},
    {"lower", is_lower, {NULL}, 0, false},
    {"sameas", is_same, {"other"}, 1, false},
    {"filter", is_filter, {NULL}, 0, false},
    {"test", is_test, {NULL}, 0, false},
    {"in", is_in, {"seq"}, 1, false},
    {"eq", is_equal, {"other"}, 1, false},
    {"equalto", is_equal, {"other"}, 1, false},
    {"==", is_equal, {"other"}, 1, false},
    {"ne", is_unequal, {"other"}, 1, false},
    {"!=", is_unequal, {"other"}, 1, false},
    {"gt", is_greater, {"other"}, 1, false},
    {"greaterthan", is_greater, {"other"}, 1, false},
    {">", is_greater, {"other"}, 1, false},
    {"ge", is_greater_or_equal, {"other"}, 1, false},
    {">=", is_greater_or_equal, {"other"}, 1, false},
    {"lt", is_less, {"other"}, 1, false},
    {"lessthan", is_less, {"other"}, 1, false},
    {"<", is_less, {"other"}, 1, false},
    {"le", is_less_or_equal, {"other"}, 1, false},
    {"<=", is_less_or_equal, {"other"}, 1, false},
};

const struct builtin_table builtin_tests = {rows, sizeof rows / sizeof rows[0]};
