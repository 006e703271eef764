// What only tests want to know of a recorder.
#ifndef CRECORDERINSIDE_H
#define CRECORDERINSIDE_H

#include "COpTrace.h"

// Its descriptor, to do with it what a careless host does.
int test_descriptor(const optrace_recorder *recorder);
// A checksum of all that the threads which record share, but for the file itself.
uint64_t test_shared(const optrace_recorder *recorder);
// Whether a forked child finds both kinds of pages empty that are to be so, and its parent does not.
bool test_child_finds_pages_empty(void);

// Signals so many objects, which lie as an allocator and a seed have it: of how many the signal is not known afterwards, or still known when
// it was to be forgotten.
int test_signals_forgotten(uint64_t seed, int objects);

// What is read of a task that is made up as the known runtime lays them out, by the layout of a version, once so many were read that fit,
// and one of its words (-1: none) is another. 20: where it is told what it waits for; 44, 45: what for, and whose that is; 8: its context, at 48, and
// 49: where that goes on.
typedef struct {
  bool fits;
  uint32_t reason;
  int functions;
  bool fits_ever;  // The next one, which does.
} test_task_reading;
test_task_reading test_read_task(uint32_t version, int odd_word, uint64_t value, int before);

#endif
