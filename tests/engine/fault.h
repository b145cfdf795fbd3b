// tests/engine/fault.h — breaks the GPU as a faulty kernel does: every call of this process fails
// from then on, until the device is reset.
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

bool card_is_here(void); // and opens
void card_reset(void);   // as quire does after a fault; no device may be open
bool card_fault(void);   // true: the fault was noticed

#ifdef __cplusplus
}
#endif

#endif
