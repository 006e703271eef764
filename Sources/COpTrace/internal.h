// Shared by the C files of the recorder; nothing here is seen from Swift.
#ifndef OPTRACE_INTERNAL_H
#define OPTRACE_INTERNAL_H

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "COpTrace.h"

static inline uint64_t optrace_counter(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return optrace_clock_monotonic();
#endif
}

// A chunk's header, as it stands in the file.
typedef struct {
  uint32_t magic;
  uint32_t bytes;
  uint64_t sequence;
  uint64_t base_ticks;
  uint32_t thread;
  uint32_t kind;
  _Atomic uint32_t fill;
  _Atomic uint32_t state;
  uint64_t checksum;
  uint64_t unused[2];
} chunk_header;
_Static_assert(sizeof(chunk_header) == optrace_chunk_bytes, "the file format fixes it");

enum { chunk_magic = 0x4B43504F };
enum { chunk_events = 0, chunk_definitions = 1, chunk_carried = 2 };
enum { chunk_open = 1, chunk_retired = 2, chunk_sealed = 3, chunk_recycling = 4 };

// What the thread blocks on at the moment, inside an operation, or which queue it adds to; see waits.c.
typedef struct {
  _Atomic uint64_t state;
  _Atomic uint64_t object;  // Address and kind, as in the records.
  _Atomic uint64_t since;
  _Atomic uint32_t serial;  // The operation's.
  _Atomic uint32_t thread;
} lane_wait;

// The kinds of objects that threads wait on.
enum { object_semaphore = 1, object_group = 2, object_queue = 3, object_condition = 4, object_adding = 5 };

// What one thread needs to write to one recorder. A lane outlives its thread: the next new thread takes it over with
// the rest of its chunk.
typedef struct lane {
  optrace_recorder *recorder;
  struct lane *next;      // This thread's other lanes, or the recorder's list of idle ones.
  chunk_header *chunk;
  uint8_t *cursor;
  uint8_t *end;
  uint64_t last_ticks;
  uint32_t thread;        // Number in the trace.
  uint32_t tid;
  uint32_t next_serial, serials_left, serial_block;
  uint32_t chunk_size;    // The next chunk's.
  uint64_t lost;          // Not yet told by a record.
  uint32_t lost_reason;
  bool is_listed;         // Among the recorder's `waiting` ones, for good.
  struct lane *next_waiting;
  lane_wait wait, adding;
  // For those who ask whether anything is written; under the recorder's lock, from the first chunk on.
  chunk_header *open;     // The chunk, as `chunk` is its thread's alone.
  struct lane *next_known;
} lane;

enum { cache_slots = 512 };

// A part of the file in memory. Each is as large as all before it, so few are enough, and the recorder never takes many
// more of the program's addresses than its file has bytes.
typedef struct {
  uint8_t *at;
  uint64_t offset;  // Of its first byte in the file; whole pages.
  uint64_t size;    // Addresses.
  uint64_t mapped;  // Those that show the file, from the first on.
  int guard;        // Its slot.
} file_window;
// 1 MiB doubled so often is more than any file.
enum { most_windows = 24 };

struct optrace_recorder {
  // Read by every record, written twice in a life.
  _Atomic uint32_t enabled;
  uint32_t use_counter;
  uint8_t *base;          // The first window, where the header is, and all of a ring.
  _Atomic uint32_t hooks;

  // Written seldom: once per block of serial numbers.
  _Alignas(64) _Atomic uint32_t next_serial;
  _Atomic uint32_t next_queue;
  _Atomic uint32_t next_span;
  _Atomic uint32_t next_thread;

  // The slow path. `grow` is held while the file grows, `lock` while lists and marks change; `grow` is taken first.
  _Alignas(64) pthread_mutex_t lock;
  pthread_mutex_t grow;
  pthread_cond_t wake;
  pthread_t keeper;
  bool has_keeper;
  bool stopping;
  _Atomic bool stopped;
  int descriptor;
  dev_t device;
  ino_t inode;
  optrace_options options;
  file_window windows[most_windows];
  uint32_t window_count;
  uint64_t largest;       // What the file can become.
  uint64_t mapped;        // Bytes of the file that are reserved on disk and mapped.
  _Atomic uint64_t used;  // Bytes handed out as chunks.
  uint64_t sequence;
  _Atomic uint64_t retry_at;  // After a failure to grow: not before this monotonic time.
  _Atomic uint32_t failure;   // The loss reason of that failure.
  uint64_t lost_at_end[8];    // The header's counts, once the file is no longer mapped.
  lane *idle;                 // Of threads that have ended.
  lane *_Atomic waiting;      // Those that have ever waited or added; read without a lock until the keeper has ended.
  _Atomic bool hurries;       // Somebody has waited, or added a barrier: the keeper looks at them more often.
  lane *known;                // Those that have ever had a chunk; none is freed before the recorder has stopped.
  uint64_t millisecond;       // In ticks.
  lane definitions;
  lane carried;
  uint64_t carried_bytes;
  bool carries_again;     // What is being carried was carried before.

  // Streaming: chunks that wait for their checksum.
  chunk_header *unsealed[64];
  uint32_t unsealed_count;

  // Flight recorder: all chunks are of one size; indexes into `chunks`.
  uint32_t ring_chunk;
  uint32_t ring_count;
  uint32_t *ring_free;
  uint32_t ring_free_count;
  uint32_t *ring_retired;     // A queue, oldest first.
  uint32_t ring_retired_head, ring_retired_count;
  uint32_t ring_scanned;      // How many of the retired ones have been scanned.
  uint8_t *ring_copy;         // Of the chunk that is being recycled.

  struct {
    _Atomic uint64_t key1, key2;
    _Atomic uint32_t id;
  } cache[cache_slots];
};

struct optrace_operation {
  _Atomic(optrace_recorder *) recorder;  // Null until the operation has been described.
  _Atomic(optrace_recorder *) owner;
  _Atomic uint32_t serial;
  _Atomic uint32_t bits;
  uint64_t created;
  // Of an object that is not ours; see hooks/objects.c.
  _Atomic(const void *) object;
  _Atomic uint32_t next, next_free;
  uint32_t number;
};

_Static_assert(sizeof(struct optrace_operation) == 8 * optrace_operation_words, "callers make room for it");
_Static_assert(offsetof(struct optrace_recorder, enabled) == 0, "`optrace_recorder_is_recording` reads it");
_Static_assert(offsetof(struct optrace_operation, recorder) == 0, "`optrace_operation_is_silent` reads it");
_Static_assert(offsetof(struct optrace_operation, bits) == 20, "`optrace_operation_has` reads them");

static inline optrace_recorder *operation_recorder(const optrace_operation *operation) {
  return operation ? atomic_load_explicit(&operation->recorder, memory_order_acquire) : NULL;
}

static inline uint64_t recorder_now(const optrace_recorder *recorder) {
  return recorder->use_counter ? optrace_counter() : optrace_clock_monotonic();
}

static inline _Atomic uint64_t *header_word(optrace_recorder *recorder, size_t offset) {
  return (_Atomic uint64_t *)(void *)(recorder->base + offset);
}

// file.c
int file_open(optrace_recorder *recorder);  // 0 or an errno.
// Takes `grow` itself. `ahead`: by the keeper, which may take its time.
bool file_grow(optrace_recorder *recorder, uint64_t needed, bool ahead);
int file_close(optrace_recorder *recorder);
// Gives the addresses back, where nothing was recorded yet.
void file_discard(optrace_recorder *recorder);
// Where a place of the file is that is not yet handed out. `lock` is held.
static inline uint8_t *file_address(const optrace_recorder *recorder, uint64_t offset) {
  const file_window *window = &recorder->windows[recorder->window_count - 1];
  return window->at + (offset - window->offset);
}
// Whether a descriptor is one of the trace's file: a host may close ours and open something else under its number.
bool file_is(const optrace_recorder *recorder, int descriptor);

// guard.c: faults inside these mappings end the recording and not the program. A slot; -1 where there is none left.
int guard_add(optrace_recorder *recorder, const void *base, uint64_t size);
void guard_remove(int slot);

// chunks.c; `lock` is held.
chunk_header *chunk_take(optrace_recorder *recorder, uint32_t bytes, uint32_t kind, uint32_t thread, uint64_t ticks);
void chunk_retire(optrace_recorder *recorder, chunk_header *chunk);
void chunk_seal(chunk_header *chunk);

// ring.c; `lock` is held.
// Free chunks that are kept for what is carried: it takes more room than it had in the chunks that it comes from, as
// every run of records gets its thread and time, and a run is not split to fill a chunk.
static inline uint32_t ring_reserve(const optrace_recorder *recorder) { return recorder->ring_count / 16 + 2; }
bool ring_prepare(optrace_recorder *recorder);
bool ring_recycle(optrace_recorder *recorder);
void ring_scan(optrace_recorder *recorder);
void ring_discard(optrace_recorder *recorder);
chunk_header *ring_take(optrace_recorder *recorder);
// For what is being carried: takes what is free, and recycles nothing.
chunk_header *ring_take_free(optrace_recorder *recorder);

// hooks/classes.c: puts the hooks into objects that were loaded since; from any thread, now and then.
void hooks_refresh(void);

// frames.c: the operation whose waits are recorded: the innermost of this thread, unless a wait that is recorded as one
// on an operation or a queue is going on.
optrace_operation *frame_that_blocks(void);

// waits.c
// Null: it is not to be recorded. `object`: the address, and the kind from bit 48 on.
lane *wait_begin(const optrace_operation *operation, uint64_t object);
// On the same thread.
void wait_end(lane *lane);
// The thread will not come back from its wait or its adding call, if it is in one.
void wait_abandon(lane *lane);
// Tells of waits that last. By the keeper, which is the only one; without its lock.
void waits_tell(optrace_recorder *recorder);
void waits_set_queue_name(const char *(*name)(const void *queue));

// signals.c
typedef struct {
  const optrace_recorder *recorder;  // Whose numbers `serial` and `thread` are.
  uint64_t ticks;                    // Of `optrace_clock_ticks`.
  uint32_t serial, thread;           // 0: none, not known.
} signal_record;
void signals_prepare(void);
// The object was signalled, left or used just now; null: in no operation.
void signal_note(uint64_t object, const optrace_operation *operation);
// An object begins or ends its life at this address.
void signal_forget(uint64_t object);
bool signal_find(uint64_t object, signal_record *out);

// recorder.c: there is a recorder for what names none, or was.
void default_is_some(void);

// lane.c
lane *lane_find(optrace_recorder *recorder);
// The one that this thread has; null: none.
lane *lane_known(const optrace_recorder *recorder);
// The number that this thread has in the recorder; null: in the one that it wrote to last, which is given back. 0: none.
uint32_t lane_thread(optrace_recorder **recorder);
// A record about what was at `since`; its age is exact for the record's own time.
void emit_since(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t since,
                uint32_t thread);
void recorder_count_lost(optrace_recorder *recorder, uint32_t reason, uint64_t count);
uint32_t thread_record(uint8_t *out, uint32_t thread, uint32_t tid, const char *name);

#endif
