// Which places wait for semaphores and groups, and which places signal them: each two such places once. Also where nobody waits long, since
// a thread that blocks until other work of the same pool signals hangs only when enough of them do it at once.
#ifndef OPTRACE_HANDOVERS_H
#define OPTRACE_HANDOVERS_H

#include "../storage/recorder.h"
#include "COpTraceFormat.h"
#include "places.h"

// False: memory is out.
bool handovers_prepare(void);

// The thread signals the object. Call it before the signal.
void handover_signals(uint64_t object, place at);
// The thread waits for it: what is to be given to `handover_waited`.
uint64_t handover_waits(uint64_t object);
// It has been signalled. `kind`: `optrace_held_…`
void handover_waited(uint64_t object, uint8_t kind, bool is_timed, uint64_t before, place at);
// A new object is at this address.
void handover_forget(uint64_t object);

// Writes those that are new, or were seen twice as often since; `is_last`: or more often at all. Only for report.c.
bool handovers_write(optrace_recorder *recorder, bool is_last);

#endif
