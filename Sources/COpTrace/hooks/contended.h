// Hooks of locks that are held by another thread.
#ifndef OPTRACE_CONTENDED_H
#define OPTRACE_CONTENDED_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
extern hooked_import contended_imports[];
// Finds the calls that only try.
void contended_prepare(void);
// What the hooks do, for those who hook the same calls: the call itself, with a note of a wait in work or a turn, if these are recorded.
int contended_mutex_lock(void *lock);
int contended_rwlock_rdlock(void *lock);
int contended_rwlock_wrlock(void *lock);
// Makes a system call of the kind futex(2) that takes a lock with priority inheritance: Swift's `Mutex`, when it is not free.
long contended_futex(long (*call)(long, long, long, long, long, long, long), long number, long a, long b, long c, long d, long e, long f);
// Whether a call of `syscall` is one of these.
bool contended_is_futex(long number, long operation);
#endif

#endif
