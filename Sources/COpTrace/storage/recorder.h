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

// A chunk with room that no thread writes to; see storage/rests.h.
typedef struct {
  chunk_header *chunk;
  uint64_t last_ticks;
} rest_chunk;

// A chunk of a ring that many threads share; see records/shared.h.
typedef struct {
  pthread_mutex_t lock;  // Guards the rest. Only ever tried. Lock order: this, then the recorder's `lock`.
  chunk_header *chunk;   // Written under both locks.
  uint8_t *cursor;
  uint64_t last_ticks;
  uint32_t thread;       // Who wrote last.
} shared_chunk;

// A chunk of a ring that was full, by its index.
typedef struct {
  uint32_t index;
  uint64_t last_ticks;
} retired_chunk;

// Names the types of Swift's objects by the first word of each.
typedef struct {
  void (*begin)(void);
  // After a library was unloaded.
  void (*forget)(void);
  // The number of the text of a type's name; 0: the word is no type, or there is no room. Asks Swift's runtime for a new one, which may
  // take its locks.
  uint16_t (*name)(struct optrace_recorder *recorder, uint64_t word);
} type_names;

// Why the flusher looks around: `beat_full` is a heartbeat a second after the last one, `beat_early` one soon after the start.
typedef enum { beat_none, beat_early, beat_full } flusher_beat;

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

  // The slow path. `grow` is held while the file grows, `lock` while lists and positions change. Lock order: `grow` or
  // `recycling`, then `lock`. They know their owner (PTHREAD_MUTEX_ERRORCHECK), and `wake` is signalled only under `lock`; see
  // life/exit.c.
  _Alignas(64) pthread_mutex_t lock;
  pthread_mutex_t grow;
  pthread_cond_t wake;
  pthread_t flusher;
  bool has_flusher;
  bool stopping;
  _Atomic bool stopped;
  bool is_paused;             // The flusher ends, and begins again later; see life/pause.c.
  bool ends_by_flusher;       // The process exits: the flusher stops the recorder.
  _Atomic uint32_t ending;    // How far that is.
  uint32_t closer;            // The system's id of the thread that closes the file; 0: none yet.
  bool is_closed_by_flusher;  // Set before `ending`.
  bool (*stop_by_flusher)(struct optrace_recorder *recorder);  // False: another thread does it, and waits for the flusher's end.
  bool may_name_flusher;      // The flusher is within `system_call_begins` when it begins.
  struct optrace_recorder *made_before;  // See life/alive.h.
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
  rest_chunk *rests;          // Sorted by age, oldest first.
  uint32_t rests_count, rests_size;
  uint64_t settled;           // Bytes of records in chunks that no buffer has open, modulo 2^64; see life/activity.c.
  // Buffers of threads that have ever waited or added to a queue. The flusher reads the list without a lock.
  thread_buffer *_Atomic waiting;
  _Atomic bool hurries;       // A thread has waited, or added a barrier, so the flusher checks waits more often.
  thread_buffer *known;       // All buffers. None is freed before the recorder has stopped.
  uint64_t millisecond;       // A millisecond in ticks.
  _Atomic uint32_t stacks;    // Which stacks are walked. `stack_table` is set before this.
  struct stack_table *stack_table;
  _Atomic uint32_t stack_generation;  // The same of the numbers that `stack_table` holds.
  // Describe texts, code and stacks (see describe/). They are set before anybody records, and never freed, because a thread may
  // still describe a stack after the recorder has stopped. Null: nothing is described.
  struct text_table *texts;
  struct code_table *code;
  uint32_t (*define_code)(optrace_recorder *recorder, uint64_t function);
  // `time`: the addresses mean what was loaded then, on the monotonic clock; `code_now`: what is loaded.
  uint32_t (*define_stack)(optrace_recorder *recorder, const uint64_t *addresses, size_t count, size_t guessed, uint64_t time);
  uint32_t (*define_sample)(optrace_recorder *recorder, const uint64_t *addresses, size_t count, size_t guessed, bool is_cut,
                            uint64_t time);
  const type_names *types;    // Null: types of objects have no names here.
  struct profiler *_Atomic profiler;  // Null: nothing is sampled; see profile/profile.c.
  struct snapshots *snapshots;  // Used only by the flusher; see life/snapshot.c.
  struct machine *machine;    // Used only by the flusher; see machine/machine.c.
  seen_thread *seen_threads;  // Guarded by `lock`.
  thread_buffer definitions;
  shared_chunk shared;
  // For a ring: the rest of this block is guarded by `recycling`; see storage/ring.h.
  pthread_mutex_t recycling;
  thread_buffer carried;
  uint64_t carried_bytes;
  bool carries_again;     // The chunk that is being recycled holds records that were carried before.

  // Streaming mode: retired chunks that have no checksum yet.
  chunk_header *unsealed[64];
  uint32_t unsealed_count;

  // Flight recorder: all chunks have the same size.
  uint32_t ring_chunk;
  uint32_t ring_count;
  uint32_t *ring_free;        // Indexes of free chunks.
  uint32_t ring_free_count;
  retired_chunk *ring_retired;  // A queue, oldest first.
  uint32_t ring_retired_head, ring_retired_count;
  uint32_t ring_retired_carried;  // How many of these hold carried records.
  uint32_t ring_scanned;      // How many chunks of that queue have been scanned, from its head.
  uint64_t ring_scanned_until;  // All records up to these ticks have been scanned. Guarded by `recycling`.
  uint32_t *ring_seen;        // How many bytes of each chunk have been scanned. Guarded by `recycling`, like `ring_copy`.
  uint32_t *ring_carried;     // How many bytes of each chunk have been carried, where needed. Guarded by `recycling`.
  uint8_t *ring_copy;         // A copy of the chunk that is being recycled.
  thread_buffer *next_to_ask; // Used only by the flusher; see records/reclaim.c.
  _Atomic uint32_t has_room_again;  // Counted up when the flusher has found half of what it keeps ready.
  bool is_short;              // A thread has found no chunk since the flusher last looked.

  _Atomic uint32_t cache_generation;  // What was unloaded up to this generation of modules is not in the cache.
  struct {
    _Atomic uint64_t key1, key2;
    _Atomic uint32_t id;
  } cache[cache_slots];
};

// Values of `ending`.
enum { ending_not_yet, ending_begun, ending_done };

_Static_assert(offsetof(struct optrace_recorder, enabled) == 0, "`optrace_recorder_is_recording` reads it");

static inline bool recorder_is_enabled(const optrace_recorder *recorder) {
  return recorder && atomic_load_explicit(&recorder->enabled, memory_order_relaxed);
}

static inline uint64_t recorder_now(const optrace_recorder *recorder) {
  return recorder->use_counter ? optrace_counter() : optrace_clock_monotonic();
}

// Records have 24 bits for a thread. After so many threads, the numbers begin again.
static inline uint32_t recorder_next_thread(optrace_recorder *recorder) {
  enum { most = (1 << 24) - 1 };
  return (atomic_fetch_add_explicit(&recorder->next_thread, 1, memory_order_relaxed) - 1) % most + 1;
}

static inline _Atomic uint64_t *header_word(optrace_recorder *recorder, size_t offset) {
  return (_Atomic uint64_t *)(void *)(recorder->base + offset);
}

static inline void recorder_count_lost(optrace_recorder *recorder, uint32_t reason, uint64_t count) {
  if (!recorder->base) return;
  atomic_fetch_add_explicit(header_word(recorder, optrace_header_loss_counts + 8 * reason), count, memory_order_relaxed);
}

#endif
