// The system calls that threads usually sleep in, and what they wait for there.
#ifndef OPTRACE_CALLS_H
#define OPTRACE_CALLS_H

#include <stdint.h>

typedef enum {
  sleep_unknown,        // The system call does not tell, or there is none.
  sleep_mutex,          // A pthread mutex: NSLock, NSRecursiveLock, the lock of an NSCondition.
  sleep_inheriting,     // A lock with priority inheritance: Swift's Mutex, such a pthread mutex.
  sleep_owned_word,     // A word that contains its owner: libdispatch's once and internal locks, robust pthread mutexes.
  sleep_rwlock_writer,  // A reader-writer lock held by a writer.
  sleep_rwlock_readers, // A reader-writer lock held by readers; it is not known which threads.
  sleep_join,           // The end of a thread.
  sleep_futex,          // A futex without an owner: a semaphore, a condition, a group.
  sleep_poll,           // Events on descriptors: poll, select, epoll.
  sleep_time,           // Time to pass.
  sleep_input,          // Input or output: reading, writing, connecting.
  sleep_child,          // The end of a process.
  sleep_signal,         // A signal.
  sleep_events,         // An epoll set in which only the process itself can cause an event.
  sleep_once,           // An initialiser that another thread runs (see waits/once.h); the system call does not show it.
  sleep_shared,         // A lock or semaphore shared between processes, which no thread of this process is known to hold.
} sleep_kind;

typedef struct {
  int32_t call;
  sleep_kind kind;
  const char *name;
} sleep_call;

// Null: not in the list.
const sleep_call *sleep_call_find(int32_t call);

#endif
