// The work of scripts/bench-peers in C: `peer plain|printf|lttng COUNT FILE`. Prints the nanoseconds that the spans took, on one thread,
// behind some that count for nothing. With WITH_LTTNG it has tracepoints.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef WITH_LTTNG
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "peer_tracepoints.h"
#endif

static uint64_t now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// Some hundred nanoseconds that nothing can leave out.
__attribute__((noinline)) static uint64_t step(uint64_t value) {
  for (int i = 0; i < 64; i++) value = value * 6364136223846793005u + 1442695040888963407u;
  return value;
}

static FILE *out;

static uint64_t plain(uint64_t value) { return step(value); }

// As people write it: time, thread, word.
static uint64_t logged(uint64_t value) {
  fprintf(out, "%" PRIu64 " main begin step\n", now(CLOCK_MONOTONIC));
  value = step(value);
  fprintf(out, "%" PRIu64 " main end step\n", now(CLOCK_MONOTONIC));
  return value;
}

#ifdef WITH_LTTNG
static uint64_t traced(uint64_t value) {
  lttng_ust_tracepoint(optrace_peer, begin, "step");
  value = step(value);
  lttng_ust_tracepoint(optrace_peer, end, "step");
  return value;
}
#endif

int main(int count, char **words) {
  uint64_t (*span)(uint64_t) = plain;
  if (count != 4) return 64;
  if (!strcmp(words[1], "printf")) {
    span = logged;
    if (!(out = fopen(words[3], "w"))) return 73;
  }
#ifdef WITH_LTTNG
  if (!strcmp(words[1], "lttng")) span = traced;
#endif
  long spans = atol(words[2]);
  uint64_t value = 1;
  for (int i = 0; i < 1000; i++) value = span(value);
  uint64_t began = now(CLOCK_MONOTONIC);
  for (long i = 0; i < spans; i++) value = span(value);
  uint64_t ended = now(CLOCK_MONOTONIC);
  if (out && fclose(out)) return 73;
  printf("%" PRIu64 " %d\n", ended - began, (int)(value & 1));
  return 0;
}
