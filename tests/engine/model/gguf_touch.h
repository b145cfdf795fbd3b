// tests/engine/model/gguf_touch.h — reads all that an open GGUF file hands out.
//
// Every key, element, string and name, and the first and last byte of every tensor. What the
// header promises is asserted on the way; a pointer out of the file is for the sanitizer or
// a guard page to find.
#ifndef TESTS_GGUF_TOUCH_H
#define TESTS_GGUF_TOUCH_H

#include <stdint.h>

#include "engine/model/gguf.h"

uint64_t gguf_touch(const struct gguf *gguf); // a sum over all that was read

#endif
