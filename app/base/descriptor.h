// app/base/descriptor.h — writes all bytes to an open file or pipe, in as many writes as it takes.
#ifndef APP_DESCRIPTOR_H
#define APP_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>

// False: errno says why; some of the bytes may have been written.
bool descriptor_write(int file, const char *bytes, size_t length);

#endif
