// Taking the recorder's own locks: a wait for one cannot be recorded by a thread that then holds that lock.
#ifndef OPTRACE_OWN_LOCK_H
#define OPTRACE_OWN_LOCK_H

#include <pthread.h>

#include "own_call.h"

// Like `pthread_mutex_lock`.
static inline int own_lock(pthread_mutex_t *lock) {
  bool was = own_call_begins();
  int result = pthread_mutex_lock(lock);
  own_call_ends(was);
  return result;
}

// Like `pthread_mutex_trylock`.
static inline int own_trylock(pthread_mutex_t *lock) {
  bool was = own_call_begins();
  int result = pthread_mutex_trylock(lock);
  own_call_ends(was);
  return result;
}

#endif
