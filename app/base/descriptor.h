// app/base/descriptor.h — bytes to an open file or pipe, however many writes that takes.
#ifndef APP_DESCRIPTOR_H
#define APP_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>

// False: errno says why, and how much was written is not known.
bool descriptor_write(int file, const char *bytes, size_t length);

#endif
