#include "rests.h"

#include <stdlib.h>
#include <string.h>

static bool grow(optrace_recorder *recorder) {
  uint32_t size = recorder->rests_size ? recorder->rests_size * 2 : 64;
  rest_chunk *larger = realloc(recorder->rests, size * sizeof *larger);
  if (!larger) return false;
  recorder->rests = larger;
  recorder->rests_size = size;
  return true;
}

static void take_out(optrace_recorder *recorder, uint32_t index) {
  recorder->rests_count--;
  memmove(recorder->rests + index, recorder->rests + index + 1, (recorder->rests_count - index) * sizeof *recorder->rests);
}

bool rests_add(optrace_recorder *recorder, chunk_header *chunk, uint64_t last_ticks) {
  if (recorder->rests_count == recorder->rests_size && !grow(recorder)) return false;
  // Sorted by age. A chunk is usually newer than the others, so search from the end.
  uint32_t index = recorder->rests_count;
  while (index && recorder->rests[index - 1].last_ticks > last_ticks) index--;
  memmove(recorder->rests + index + 1, recorder->rests + index, (recorder->rests_count - index) * sizeof *recorder->rests);
  recorder->rests[index] = (rest_chunk){chunk, last_ticks};
  recorder->rests_count++;
  return true;
}

chunk_header *rests_take(optrace_recorder *recorder, uint32_t bytes, uint64_t *last_ticks) {
  // The full ones among them must not make the search long.
  enum { farthest = 16 };
  for (uint32_t i = 1; i <= farthest && i <= recorder->rests_count; i++) {
    rest_chunk rest = recorder->rests[recorder->rests_count - i];
    uint32_t used = (uint32_t)sizeof *rest.chunk + atomic_load_explicit(&rest.chunk->fill, memory_order_relaxed);
    if (rest.chunk->bytes - used < bytes) continue;
    take_out(recorder, recorder->rests_count - i);
    *last_ticks = rest.last_ticks;
    return rest.chunk;
  }
  return NULL;
}

chunk_header *rests_take_oldest(optrace_recorder *recorder, uint64_t *last_ticks) {
  if (!recorder->rests_count) return NULL;
  rest_chunk rest = recorder->rests[0];
  take_out(recorder, 0);
  *last_ticks = rest.last_ticks;
  return rest.chunk;
}

void rests_discard(optrace_recorder *recorder) {
  free(recorder->rests);
  recorder->rests = NULL;
  recorder->rests_count = recorder->rests_size = 0;
}
