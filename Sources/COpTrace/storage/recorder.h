// A recorder: the file in memory, its chunks, and the buffers of its threads.
#ifndef OPTRACE_RECORDER_H
#define OPTRACE_RECORDER_H

#include <pthread.h>
#include <sys/types.h>

#include "../base/clock.h"
#include "thread_buffer.h"

// The cache holds ids of classes, source locations and functions. Few programs have more than this.
enum { cache_slot_bits = 12, cache_slots = 1 << cache_slot_bits };

// A window: a part of the file that is mapped as one piece. Each window is as large as all windows before it together, so few are
// needed, and the recorder never reserves many more addresses than the file has bytes.
typedef struct {
  uint8_t *at;
  uint64_t offset;  // The file offset of its first byte, a multiple of the page size.
  uint64_t size;    // Reserved addresses, in bytes.
  uint64_t mapped;  // How many of these bytes are mapped to the file, from the beginning.
  int guard;        // The slot in storage/guard.h.
} file_window;
// 1 MiB doubled this often is more than the largest file.
enum { most_windows = 24 };

// A thread that has no buffer, but a number, because a snapshot saw it.
typedef struct seen_thread {
  uint32_t tid, thread;
  uint32_t snapshot;  // The last snapshot that saw it.
  bool is_named;  // False: so far it is only known as the owner of a lock.
  struct seen_thread *next;
} seen_thread;

struct optrace_recorder {
  // Read by every record, written twice in a recorder's life.
  _Atomic uint32_t enabled;
  _Atomic bool was_cut;  // Somebody truncated the file. It may have grown again since, but its contents are lost.
  uint32_t use_counter;
  _Atomic bool records_cpu;  // Records of where code begins and ends are followed by the thread's processor time.
  uint8_t *base;          // The first window. It contains the header, and a ring as a whole.
  _Atomic uint32_t hooks;

  // Written rarely: once per block of serial numbers.
  _Alignas(64) _Atomic uint32_t next_serial;
  _Atomic uint32_t next_queue;
  _Atomic uint32_t next_span;
  _Atomic uint32_t next_thread;

  // The slow path. `grow` is held while the file grows, `lock` while lists and positions change. Lock order: `grow`, then `lock`.
  _Alignas(64) pthread_mutex_t lock;
  pthread_mutex_t grow;
  pthread_cond_t wake;
  pthread_t flusher;
  bool has_flusher;
  bool stopping;
  _Atomic bool stopped;
  int descriptor;
  dev_t device;
  ino_t inode;
  optrace_options options;
  file_window windows[most_windows];
  uint32_t window_count;
  uint64_t largest;       // The largest size of the file.
  uint64_t mapped;        // Bytes of the file that are reserved on disk and mapped.
  _Atomic uint64_t used;  // Bytes handed out as chunks.
  uint64_t sequence;
  _Atomic uint64_t retry_at;  // After a failure to grow the file: do not try again before this monotonic time.
  _Atomic uint32_t failure;   // The loss reason of that failure.
  uint64_t lost_at_end[8];    // A copy of the header's loss counts, for when the file is no longer mapped.
  thread_buffer *idle;        // Buffers of threads that have ended.
  // Buffers of threads that have ever waited or added to a queue. The flusher reads the list without a lock.
  thread_buffer *_Atomic waiting;
  _Atomic bool hurries;       // A thread has waited, or added a barrier, so the flusher checks waits more often.
  thread_buffer *known;       // All buffers. None is freed before the recorder has stopped.
  uint64_t millisecond;       // A millisecond in ticks.
  _Atomic uint32_t stacks;    // Which stacks are walked. `stack_table` is set before this.
  struct stack_table *stack_table;
  // Describe texts, code and stacks (see describe/). They are set before anybody records, and never freed, because a thread may
  // still describe a stack after the recorder has stopped. Null: nothing is described.
  struct text_table *texts;
  struct code_table *code;
  uint32_t (*define_code)(optrace_recorder *recorder, uint64_t function);
  uint32_t (*define_stack)(optrace_recorder *recorder, const uint64_t *addresses, size_t count, size_t guessed);
  uint32_t (*define_sample)(optrace_recorder *recorder, const uint64_t *addresses, size_t count, size_t guessed, bool is_cut);
  struct profiler *_Atomic profiler;  // Null: nothing is sampled; see profile/profile.c.
  struct snapshots *snapshots;  // Used only by the flusher; see life/snapshot.c.
  seen_thread *seen_threads;  // Guarded by `lock`.
  thread_buffer definitions;
  thread_buffer carried;
  uint64_t carried_bytes;
  bool carries_again;     // The chunk that is being recycled holds records that were carried before.

  // Streaming mode: retired chunks that have no checksum yet.
  chunk_header *unsealed[64];
  uint32_t unsealed_count;

  // Flight recorder: all chunks have the same size. The lists contain indexes of chunks.
  uint32_t ring_chunk;
  uint32_t ring_count;
  uint32_t *ring_free;
  uint32_t ring_free_count;
  uint32_t *ring_retired;     // A queue, oldest first.
  uint32_t ring_retired_head, ring_retired_count;
  uint32_t ring_scanned;      // How many chunks of that queue have been scanned, from its head.
  uint8_t *ring_copy;         // A copy of the chunk that is being recycled.

  struct {
    _Atomic uint64_t key1, key2;
    _Atomic uint32_t id;
  } cache[cache_slots];
};

_Static_assert(offsetof(struct optrace_recorder, enabled) == 0, "`optrace_recorder_is_recording` reads it");

static inline bool recorder_is_enabled(const optrace_recorder *recorder) {
  return recorder && atomic_load_explicit(&recorder->enabled, memory_order_relaxed);
}

static inline uint64_t recorder_now(const optrace_recorder *recorder) {
  return recorder->use_counter ? optrace_counter() : optrace_clock_monotonic();
}

static inline _Atomic uint64_t *header_word(optrace_recorder *recorder, size_t offset) {
  return (_Atomic uint64_t *)(void *)(recorder->base + offset);
}

static inline void recorder_count_lost(optrace_recorder *recorder, uint32_t reason, uint64_t count) {
  if (!recorder->base) return;
  atomic_fetch_add_explicit(header_word(recorder, optrace_header_loss_counts + 8 * reason), count, memory_order_relaxed);
}

#endif
