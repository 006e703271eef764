// Samples that the kernel takes (perf events): a clock counts each thread's processor time, and after each period the kernel copies the
// thread's registers and stack into a ring buffer of the current processor. This needs no signals, no hooks and no privileges.
#ifndef OPTRACE_PROFILE_EVENTS_H
#define OPTRACE_PROFILE_EVENTS_H

#include "sample.h"

enum { events_most_processors = 256 };

typedef struct {
  uint64_t period;      // Between two samples, in nanoseconds of processor time.
  uint32_t stack_bytes;
  uint32_t process;
  bool sees_kernel;
  uint32_t processors;
  struct {
    void *pages;        // The kernel's control page, followed by the ring.
    int file;           // -1: closed; the mapping keeps the event alive.
  } rings[events_most_processors];
  size_t ring_bytes;    // The size of each ring, a power of two.
  int *files;           // Descriptors of the other threads' events, which end when these are closed.
  uint32_t file_count, file_room;
  uint8_t *scratch;     // Room for a copy of a record that wraps around the end of its ring.
  uint64_t lost;        // Samples that did not fit into a ring.
  uint32_t missing;     // Threads that could not be covered.
} cpu_events;

// Begins to sample the calling thread and all threads that it and its descendants will create. Returns 0, or the system's error number;
// then nothing stays open. Takes less than a millisecond, except for the first time on a machine, when it takes some.
int events_open(cpu_events *events, uint64_t period, uint32_t stack_bytes);
// Begins to sample the threads that already exist, except these two, and the threads that they will create. Takes some 100 µs for each
// thread, so it is left to the flusher.
void events_cover_others(cpu_events *events, uint32_t but, uint32_t nor);
// Closes the rings' descriptors, if no other threads will be added.
void events_close_files(cpu_events *events);
bool events_have_any(const cpu_events *events);
// Passes the available samples to `take`, and frees their room. Returns how many.
uint32_t events_drain(cpu_events *events, cpu_sample_taker take, void *context);
void events_close(cpu_events *events);

#endif
