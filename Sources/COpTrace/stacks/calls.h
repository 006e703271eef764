// What threads sleep in: the usual system calls.
#ifndef OPTRACE_CALLS_H
#define OPTRACE_CALLS_H

#include <stdint.h>

typedef enum {
  sleep_unknown,        // A system call that says nothing more, or none.
  sleep_mutex,          // A pthread mutex: NSLock, NSRecursiveLock, the lock of an NSCondition.
  sleep_inheriting,     // A lock that hands its priority on: Swift's Mutex, such a pthread mutex.
  sleep_owned_word,     // A word that holds its owner: libdispatch's once and own locks, robust pthread mutexes.
  sleep_rwlock_writer,  // A reader-writer lock that a writer has.
  sleep_rwlock_readers, // One that readers have, which are not known.
  sleep_join,           // The end of a thread.
  sleep_futex,          // A futex that nobody owns: a semaphore, a condition, a group.
  sleep_poll,           // Descriptors: poll, select, epoll.
  sleep_time,           // A time.
  sleep_input,          // Reading, writing, connecting.
  sleep_child,          // A process's end.
  sleep_signal,         // A signal.
  sleep_events,         // An epoll set in which only the process itself can make something happen.
} sleep_kind;

typedef struct {
  int32_t call;
  sleep_kind kind;
  const char *name;
} sleep_call;

// Null: not among them.
const sleep_call *sleep_call_find(int32_t call);

#endif
