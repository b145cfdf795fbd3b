// tests/fault/power.h — what a folder may hold after the power went: everything that was synced,
// and of the rest whatever a disk likes.
//
// Made from the changes that a program made of its files, as the shim recorded them (shim.c). Of a
// write that was not synced each sector is kept, dropped, or torn; of the rest, a change of a size
// is kept or dropped. Names (of files made, renamed or removed) stand in a journal: of the
// changes that no sync of their folder has followed, the first few are kept. A sync of a file does
// not keep its name.
#ifndef TESTS_FAULT_POWER_H
#define TESTS_FAULT_POWER_H

#include <stdint.h>

struct power;

// The changes in the file `record`; their folders are still there.
struct power *power_read(const char *record);
void power_free(struct power *power);
uint32_t power_changes(const struct power *power);

uint32_t power_draw(uint64_t *random, uint32_t below);

// The power goes after the first `changes` of them. The files are as they were before the first.
void power_cut(const struct power *power, uint32_t changes, uint64_t *random);

#endif
