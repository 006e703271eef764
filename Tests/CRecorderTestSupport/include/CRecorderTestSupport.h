// What tests of the recorder need and Swift does not offer.
#ifndef C_RECORDER_TEST_SUPPORT_H
#define C_RECORDER_TEST_SUPPORT_H

#include <stdbool.h>

// Runs `body` in a forked child and returns the child's wait status.
int test_run_in_fork(void (*body)(void));
// At the end of the calling thread, after the destructors of all keys that existed at the first call, calls `body`;
// again in each of so many rounds of destructors.
void test_at_thread_exit(void (*body)(void), int rounds);
// Where a call of this program to a function of another library leads.
const void *test_import(void);
// Standard output line by line, into a pipe too.
void test_buffer_lines(void);
void test_limit_file_size(unsigned long long bytes);
// The same for its address space, and whether so much of it is left.
void test_limit_addresses(unsigned long long bytes);
bool test_can_map(unsigned long long bytes);
// From now on a bus error ends the process with this status.
void test_exit_on_bus_error(int status);
// Stores to a mapped file that it has cut: a bus error which is nobody's but the program's.
void test_cause_bus_error(const char *path);
// On a thread of its own calls `run` with a body that waits on a condition for ever; after `until` cancels that thread,
// and waits for its end.
void test_cancel_in_wait(void (*run)(void (*body)(void)), void (*until)(void));

#endif
