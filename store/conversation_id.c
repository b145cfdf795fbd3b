#include "store/conversation_id.h"

#include <string.h>

enum { DIGITS = CONVERSATION_ID_BYTES - 1, BITS_OF_DIGIT = 4 };

static int digit_value(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

bool conversation_id_range(const char *digits, int64_t *first, int64_t *last) {
    const size_t count = strnlen(digits, DIGITS + 1);
    int64_t number = 0;
    if (count == 0 || count > DIGITS) return false;
    for (size_t i = 0; i < count; i++) {
        const int value = digit_value(digits[i]);
        if (value < 0) return false;
        number = number << BITS_OF_DIGIT | value;
    }
    const size_t open_bits = (DIGITS - count) * BITS_OF_DIGIT;
    *first = number << open_bits;
    *last = *first + (INT64_C(1) << open_bits) - 1;
    return true;
}

int64_t conversation_id_read(const char *id) {
    int64_t first, last;
    return conversation_id_range(id, &first, &last) && first == last ? first : 0;
}

uint64_t conversation_number(const char *id) { return (uint64_t)conversation_id_read(id); }

void conversation_id_write(int64_t number, char id[CONVERSATION_ID_BYTES]) {
    static const char digits[] = "0123456789abcdef";
    memset(id, 0, CONVERSATION_ID_BYTES);
    if (number == 0) return;
    for (size_t i = DIGITS; i-- > 0; number >>= BITS_OF_DIGIT)
        id[i] = digits[number & 0xF];
}
