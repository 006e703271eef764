// What the tests of the recorder share.
#ifndef CORETESTS_RECORDING_H
#define CORETESTS_RECORDING_H

#include "COpTrace.h"

// With a header as OpTrace gives it; a ring of so many bytes (0: a file that grows). Null: errno says why.
optrace_recorder *recording_begin(const char *path, uint64_t ring, uint64_t size_limit, bool use_counter);
// The same for a ring that keeps of recycled chunks what `carry` says.
typedef uint32_t (*ring_carrier)(optrace_recorder *recorder, void *context, const uint8_t *chunk, uint32_t bytes, uint32_t seen, uint64_t until);
optrace_recorder *recording_begin_ring(const char *path, uint64_t ring, ring_carrier carry);
// The same for a ring that keeps what the event table says.
optrace_recorder *recording_begin_flight(const char *path, uint64_t ring);
// For the callbacks of a ring: the recorder that was begun last.
extern optrace_recorder *recording_current;

// Runs `body` on so many threads at once, with 0, 1, … as its argument, until all have ended.
void on_threads(int count, void (*body)(int which));
// True when `is_so` says so within a minute: what another thread is to do.
bool comes_true(bool (*is_so)(void *context), void *context);

#endif
