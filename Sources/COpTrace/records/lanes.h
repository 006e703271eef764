// The lanes of this thread.
#ifndef OPTRACE_LANES_H
#define OPTRACE_LANES_H

#include "../base/likely.h"
#include "../storage/recorder.h"

typedef struct {
  lane *lanes;
  // How often its destructor has run. Other destructors may still record something, such as an object that goes with
  // the thread; the system then calls ours again, so many times and no more: what comes after is lost.
  uint32_t exits;
  // What it was called before.
  const optrace_recorder *ended_recorder;
  uint32_t ended_thread;
} lanes_of_thread;

// In the block that every thread has from its beginning: finding it is no call, and it is small enough for what is left there
// when the recorder is loaded late. Other systems than glibc keep nothing for that.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
__attribute__((visibility("hidden"))) extern _Thread_local lanes_of_thread this_thread;

// The thread's lane for this recorder; the first time it is made. Null: it is too late for this thread, or memory is out.
lane *lane_acquire(optrace_recorder *recorder);

static inline lane *lane_find(optrace_recorder *recorder) {
  lane *l = this_thread.lanes;
  return likely(l && l->recorder == recorder) ? l : lane_acquire(recorder);
}

// The one that this thread has; null: none.
lane *lane_known(const optrace_recorder *recorder);
// The number that this thread has in the recorder; null: in the one that it wrote to last, which is given back. 0: none.
uint32_t lane_thread(optrace_recorder **recorder);

// The record that tells the thread's name, of at most so many bytes; returns how many.
enum { longest_name_record = 64 };
uint32_t lane_name_record(const lane *l, uint8_t *out);

// Records of chunks are visible once `fill` covers them.
static inline void lane_commit(lane *l, uint8_t *end) {
  l->cursor = end;
  atomic_store_explicit(&l->chunk->fill, (uint32_t)(end - (uint8_t *)l->chunk - sizeof(chunk_header)),
                        memory_order_release);
}

#endif
