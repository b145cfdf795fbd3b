// app/cli/doctor.h — `quire doctor`: is everything that quire needs in order, and if not, how to
// repair it?
//
// Prints a line each for the folder, the database, the cache, the disk, the device and the model,
// and below each problem the command that repairs it. Reads everything stored, and writes only a
// temporary file to measure the disk.
#ifndef APP_DOCTOR_H
#define APP_DOCTOR_H

#include "app/cli/args.h"
#include "app/cli/config.h"

int doctor_run(const struct args *args, const struct config *config); // exit code; 1: a problem

#endif
