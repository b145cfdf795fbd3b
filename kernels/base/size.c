#include "kernels/base/size.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// The power of 1024 that a suffix stands for, or -1. *used is its length.
static int suffix_power(const char *suffix, size_t *used) {
    static const char letters[] = "KMGT";
    const char *letter = *suffix ? strchr(letters, toupper((unsigned char)*suffix)) : NULL;
    size_t length = letter ? 1 : 0;
    if (letter && suffix[length] == 'i') length++;
    if (toupper((unsigned char)suffix[length]) == 'B') length++;
    *used = length;
    return letter ? (int)(letter - letters) + 1 : 0;
}

enum status size_parse(const char *text, size_t *bytes) {
    // Digits and at most one point: strtod would also take "0x10", "1e3" and a locale's comma.
    if (!isdigit((unsigned char)*text)) return STATUS_BAD_INPUT;
    double number = 0, place = 1;
    bool fraction = false;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !fraction); text++) {
        if (*text == '.') {
            fraction = true;
            continue;
        }
        if (fraction) place /= 10;
        number = fraction ? number + (*text - '0') * place : number * 10 + (*text - '0');
    }
    size_t used;
    const int power = suffix_power(text, &used);
    if (text[used] != '\0') return STATUS_BAD_INPUT;
    const double value = ldexp(number, 10 * power);
    if (!(value < ldexp(1.0, 62))) return STATUS_BAD_INPUT;
    *bytes = (size_t)value;
    return STATUS_OK;
}

const char *size_format(size_t bytes, char text[SIZE_TEXT_BYTES]) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1023.95 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        unit++;
    }
    snprintf(text, SIZE_TEXT_BYTES, unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s", value,
             units[unit]);
    return text;
}
