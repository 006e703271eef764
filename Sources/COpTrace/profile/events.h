// Samples that the kernel takes: a clock of each thread's processor time, which copies registers and stack into a ring of the
// processor that it ran on. No signal, no hook, no privilege.
#ifndef OPTRACE_PROFILE_EVENTS_H
#define OPTRACE_PROFILE_EVENTS_H

#include "sample.h"

enum { events_most_processors = 256 };

typedef struct {
  uint64_t period;      // Nanoseconds of processor time.
  uint32_t stack_bytes;
  bool sees_kernel;
  uint32_t processors;
  struct {
    void *pages;        // A page of the kernel's, and the ring.
    int file;           // -1: closed; the mapping keeps the event.
  } rings[events_most_processors];
  size_t ring_bytes;    // Of each, a power of two.
  int *files;           // Of the other threads' events, which end with their descriptors.
  uint32_t file_count, file_room;
  uint8_t *scratch;     // A record that reaches around the end of its ring.
  uint64_t lost;        // Samples that found no room.
  uint32_t missing;     // Threads that could not be covered.
} cpu_events;

// Samples the calling thread from here on, and those that it will create, and those that they will. 0, or the system's error number;
// then nothing is left. Milliseconds once on a machine, else less than one.
int events_open(cpu_events *events, uint64_t period, uint32_t stack_bytes);
// Samples the threads that exist already, but for these two, and those that they will create. Some 100 µs each; not the caller's
// work, but that of a thread of our own.
void events_cover_others(cpu_events *events, uint32_t but, uint32_t nor);
// No other thread is to be covered, so descriptors need not stay open.
void events_close_files(cpu_events *events);
bool events_have_any(const cpu_events *events);
// Hands out what is there, and frees its room. Returns how many samples.
uint32_t events_drain(cpu_events *events, cpu_sample_taker take, void *context);
void events_close(cpu_events *events);

#endif
