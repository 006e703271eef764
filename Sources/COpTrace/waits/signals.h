// Remembers who has signalled an object that threads wait on, and so let a waiter continue.
#ifndef OPTRACE_SIGNALS_H
#define OPTRACE_SIGNALS_H

#include "../operations/frames.h"

typedef struct {
  const optrace_recorder *recorder;  // The recorder that `serial` and `thread` belong to.
  uint64_t ticks;                    // On the clock of `optrace_clock_ticks`.
  uint32_t serial, thread;           // 0: none, or not known.
} signal_record;
void signals_prepare(void);
// This work has just signalled or released the object.
void signal_note(uint64_t object, work inside);
// An object is created or destroyed at this address, so older signals are not its own.
void signal_forget(uint64_t object);
bool signal_find(uint64_t object, signal_record *out);

#endif
