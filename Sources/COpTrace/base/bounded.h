// Locks that a thread may never get, because it has interrupted their owner.
#ifndef OPTRACE_BOUNDED_H
#define OPTRACE_BOUNDED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// For locks that are made by this. They know their owner.
void owned_lock_init(pthread_mutex_t *lock);
// False if this thread holds the lock already, at once; and if it is not free until that time, on the monotonic clock.
bool owned_lock_until(pthread_mutex_t *lock, uint64_t until);

#endif
