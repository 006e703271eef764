// Who let waiting threads go on.
#ifndef OPTRACE_SIGNALS_H
#define OPTRACE_SIGNALS_H

#include "../operations/frames.h"

typedef struct {
  const optrace_recorder *recorder;  // The recorder that `serial` and `thread` belong to.
  uint64_t ticks;                    // On the clock of `optrace_clock_ticks`.
  uint32_t serial, thread;           // 0: none, or not known.
} signal_record;
void signals_prepare(void);
// The object was signalled, left or used just now, by this work.
void signal_note(uint64_t object, work inside);
// An object is created or destroyed at this address.
void signal_forget(uint64_t object);
bool signal_find(uint64_t object, signal_record *out);

#endif
