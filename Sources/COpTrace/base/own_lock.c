#include "own_lock.h"

void optrace_own_lock(pthread_mutex_t *lock) { own_lock(lock); }
