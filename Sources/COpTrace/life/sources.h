// What the flusher does for other parts of the recorder. It knows them only by a list: a new part is a line in sources.c.
#ifndef OPTRACE_SOURCES_H
#define OPTRACE_SOURCES_H

#include "../storage/recorder.h"

// A part that writes from time to time.
typedef struct {
  // Writes what is due. Called each time the flusher has something to do, without the recorder's lock. True if it has written records
  // that are no sign that the program makes progress.
  bool (*drain)(optrace_recorder *recorder, flusher_beat beat);
  // Whether it may return true now. Only then is the recorder's activity summed up, which takes its lock and looks at each thread. NULL: it
  // never does.
  bool (*is_overlooked)(optrace_recorder *recorder, flusher_beat beat);
  // When the part wants to write next, on the monotonic clock; UINT64_MAX: any time. NULL: heartbeats are enough.
  uint64_t (*due)(optrace_recorder *recorder, uint64_t now);
  // Writes the rest, before the recorder stops, on any thread. NULL: there is none.
  void (*stop)(optrace_recorder *recorder);
  // Frees what the part keeps, after the flusher has ended. NULL: nothing.
  void (*discard)(optrace_recorder *recorder);
} flusher_source;

void sources_drain(optrace_recorder *recorder, flusher_beat beat);
uint64_t sources_due(optrace_recorder *recorder, uint64_t now);
void sources_stop(optrace_recorder *recorder);
void sources_discard(optrace_recorder *recorder);

// Sets a function that the flusher calls with each heartbeat, in recorders that use hooks.
void sources_set_refresh(void (*call)(void));

#endif
