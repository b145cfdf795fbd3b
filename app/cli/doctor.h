// app/cli/doctor.h — `quire doctor`: is everything that quire needs as it should be, and if not,
// what mends it?
//
// A line for each of the folder, the database, the cache, the disk, the device and the model; below
// what is wrong, the command that mends it. Reads all that is stored, and writes nothing but a file
// that it measures the disk with and removes.
#ifndef APP_DOCTOR_H
#define APP_DOCTOR_H

#include "app/cli/args.h"
#include "app/cli/config.h"

int doctor_run(const struct args *args, const struct config *config); // 1: something is wrong

#endif
