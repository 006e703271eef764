// Who has started a thread, and who has waited for its end: what comes before that, or after it, cannot meet.
#ifndef OPTRACE_ORDERS_STARTS_H
#define OPTRACE_ORDERS_STARTS_H

#include <pthread.h>

#include "COpTrace.h"

void starts_forget_all(void);
// The recorder's clock, for `start_is_made`.
uint64_t starts_now(void);
// This thread has started another one, and `began` to do so; or has waited until one has ended.
void start_is_made(pthread_t thread, uint64_t began);
void start_is_joined(pthread_t thread);
// This thread is in orders, so its start is told of. It may run before its maker knows its name.
void start_is_wanted(uint32_t tid);
// Writes what is new. Only for report.c.
bool starts_write(optrace_recorder *recorder);

#endif
