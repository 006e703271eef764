// What the describer asks of objects; see COpTraceDescribe.h.
#ifndef OPTRACE_READERS_H
#define OPTRACE_READERS_H

#include "COpTraceDescribe.h"

extern optrace_readers readers;

// Whether the recorder has a Swift part: then the process may have several recorders, and classes of ours.
static inline bool readers_are_compiled(void) { return readers.own; }

static inline const void *class_of(const void *object) {
  return readers.class_of ? readers.class_of(object) : *(const void *const *)object;
}

static inline optrace_operation *own_entry(void *operation) { return readers.own ? readers.own(operation) : NULL; }

#endif
