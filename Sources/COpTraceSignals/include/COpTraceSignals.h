// The part of signal reports that must be C: a handler that does no more than a handler may.
#ifndef COPTRACE_SIGNALS_H
#define COPTRACE_SIGNALS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// A handled signal. Never freed: a handler may be about to use it.
typedef struct optrace_signal optrace_signal;

// From here on this signal wakes `optrace_signal_wait`. Null, and errno: EINVAL for a signal that cannot be handled, EBUSY if it
// is installed already.
optrace_signal *optrace_signal_install(int number);
// Waits until the signal comes; several that came meanwhile count as one. False: it was removed.
bool optrace_signal_wait(optrace_signal *installed);
// Restores the previous handling of the signal, and wakes the waiting thread. A second call does nothing.
void optrace_signal_remove(optrace_signal *installed);

// Sets the signals that the calling thread and its new threads take: only SIGBUS, which the recorder handles, and `number`; 0:
// none. Returns the mask from before, for `optrace_signal_mask_restore`.
typedef struct { unsigned long long bits[16]; } optrace_signal_mask;
void optrace_signal_mask_set(int number, optrace_signal_mask *before);
void optrace_signal_mask_restore(const optrace_signal_mask *before);

#ifdef __cplusplus
}
#endif

#endif
