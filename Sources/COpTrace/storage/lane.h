// A thread's place in a recorder, as both see it.
#ifndef OPTRACE_LANE_H
#define OPTRACE_LANE_H

#include "../base/format.h"

// What the thread blocks on at the moment, inside an operation, or which queue it adds to; see waits/waits.c.
typedef struct {
  _Atomic uint64_t state;
  _Atomic uint64_t object;  // Address and kind, as in the records.
  _Atomic uint64_t since;
  _Atomic uint32_t serial;  // The operation's.
  _Atomic uint32_t thread;
} lane_wait;

// What one thread needs to write to one recorder. A lane outlives its thread: the next new thread takes it over with
// the rest of its chunk.
typedef struct lane {
  optrace_recorder *recorder;
  struct lane *next;      // This thread's other lanes, or the recorder's list of idle ones.
  chunk_header *chunk;
  uint8_t *cursor;
  uint8_t *end;
  uint64_t last_ticks;
  uint32_t thread;        // Number in the trace.
  uint32_t tid;
  uint32_t next_serial, serials_left, serial_block;
  uint32_t chunk_size;    // The next chunk's.
  uint64_t lost;          // Not yet told by a record.
  uint32_t lost_reason;
  // For those that have ever waited or added, which the recorder's list `waiting` holds for good: what is to be done when
  // the thread ends in the midst of it. Null: not listed.
  void (*ends)(struct lane *);
  struct lane *next_waiting;
  lane_wait wait, adding;
  // For those who ask whether anything is written; under the recorder's lock, from the first chunk on.
  chunk_header *open;     // The chunk, as `chunk` is its thread's alone.
  struct lane *next_known;
} lane;

#endif
