// What tests need of the system and Swift does not offer.
#ifndef C_TEST_SUPPORT_H
#define C_TEST_SUPPORT_H

#include <sys/types.h>

// Starts a program in a process group of its own, as a shell starts one: no signal is blocked, none is ignored, and of this
// process's descriptors it has these three alone, as its standard streams.
// - arguments, environment: lists that end with NULL.
// - folder: where it runs; NULL for where this process does.
// Returns 0 and the process's number, or the system's error number.
int test_spawn(
    pid_t *process, const char *path, char *const *arguments, char *const *environment, const char *folder,
    const int streams[3]);

// A pipe whose ends no other program takes over: `ends[0]` to read from, `ends[1]` to write to. 0, or -1 with errno.
int test_pipe(int ends[2]);

#endif
