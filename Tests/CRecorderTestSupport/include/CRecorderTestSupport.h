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
// The addresses that this process has taken, in bytes.
unsigned long long test_addresses(void);
// Takes every free address that the limit leaves, so that nothing can be mapped; gives them back.
void test_take_addresses(void);
void test_give_addresses(void);
// Lowers the limit to so many descriptors and opens files until none is left; closes them.
int test_take_descriptors(unsigned long long limit);
void test_give_descriptors(void);
// Stores with release order, so that who looks after the end of the process finds what was done before.
void test_store(unsigned long long *at, unsigned long long value);
// Not to be seen by the compiler as what it is: a store to an address that nobody has.
void test_fault(void);
// From now on a bus error ends the process with this status.
void test_exit_on_bus_error(int status);
// Stores to a mapped file that it has cut: a bus error which is nobody's but the program's.
void test_cause_bus_error(const char *path);
// On a thread of its own calls `run` with a body that waits on a condition for ever; after `until` cancels that thread,
// and waits for its end.
void test_cancel_in_wait(void (*run)(void (*body)(void)), void (*until)(void));

#endif
