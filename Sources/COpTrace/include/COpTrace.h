// The part of the recorder that must be C: clocks, thread buffers, atomics on mapped memory, growing the file. It knows how records
// are packed. The format's numbers and fields are in COpTraceFormat.h and COpTraceFields.h, which are generated from OpTraceFormat.
#ifndef COPTRACE_H
#define COPTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "COpTraceFormat.h"
#include "COpTraceHere.h"
#include "COpTraceVersion.h"

#ifdef __cplusplus
extern "C" {
#endif

// A recorder. Its memory is zero in a forked child, so that the child does not record. It is never freed: a thread that still has the
// pointer after `stop` finds a stopped recorder.
typedef struct optrace_recorder optrace_recorder;

// What the recorder knows about an operation. It lives as long as the operation object, and all its fields are atomic.
typedef struct optrace_operation optrace_operation;

// ---- Clock ---------------------------------------------------------------------------------------------------------

// Whether the processor has a counter that runs at the same constant rate on all cores.
bool optrace_clock_has_counter(void);
uint64_t optrace_clock_monotonic(void);
uint64_t optrace_clock_wall(void);
// The counter, or the monotonic clock if there is none.
uint64_t optrace_clock_ticks(void);
// Ticks of `optrace_clock_ticks` per second. Measured once, with an error of some tenths of a per cent.
uint64_t optrace_clock_frequency(void);

// ---- System --------------------------------------------------------------------------------------------------------

uint32_t optrace_thread_id(void);
uint64_t optrace_process_start(uint32_t process_id);
void optrace_boot_id(uint8_t out[16]);
// Writes to standard error. A signal that the write raises (SIGPIPE, or SIGXFSZ at a file size limit) does not reach the program.
void optrace_say(const void *bytes, size_t count);

// ---- Recorder ------------------------------------------------------------------------------------------------------

typedef struct {
  int descriptor;          // An empty file, open for reading and writing. The recorder takes ownership.
  bool use_counter;        // False: use the monotonic clock.
  bool ring;               // Flight recorder.
  uint64_t capacity;       // Flight recorder: the size of the whole file, in bytes.
  uint64_t size_limit;     // Streaming: the largest size of the file, in bytes; 0: no limit.
  const void *header;      // The file's header, without clock calibration.
  size_t header_size;
  // Flight recorder: `scan` is called for every chunk, once its thread is done with it or earlier, and again if it has got more records
  // since: what is in the first `seen` bytes was scanned before. Later `carry` is called, at the latest when the chunk is about to be
  // recycled. It saves the records that are still needed, with `optrace_carry`: of those behind the first `seen` bytes, up to the first
  // one that is later than `until` ticks. It returns where that one begins. So each record is asked about once. `discard` is called
  // once, at the end, also if creating the recorder fails. One thread at a time calls them, mostly the flusher.
  void (*scan)(optrace_recorder *recorder, void *context, const uint8_t *chunk, uint32_t bytes, uint32_t seen);
  uint32_t (*carry)(optrace_recorder *recorder, void *context, const uint8_t *chunk, uint32_t bytes, uint32_t seen, uint64_t until);
  void (*discard)(void *context);
  void *context;
} optrace_options;

// Null and errno if the file cannot be reserved or mapped. The descriptor is then closed.
optrace_recorder *optrace_recorder_create(const optrace_options *options);
// Stops recording, trims the file and seals it. Returns 0 or an errno. A second call does nothing.
int optrace_recorder_stop(optrace_recorder *recorder);
// For the end of the process, also in a signal handler: stops all recorders, and waits for that for some seconds at most. If a recorder's
// locks cannot be had, its trace stays open; it is readable nevertheless. In a forked child it does nothing.
void optrace_stop_at_exit(void);
static inline bool optrace_recorder_is_recording(const optrace_recorder *recorder) {
  // The first field.
  return __atomic_load_n((const uint32_t *)(const void *)recorder, __ATOMIC_RELAXED);
}
uint64_t optrace_recorder_lost(const optrace_recorder *recorder, uint32_t reason);
void optrace_recorder_count_lost(optrace_recorder *recorder, uint32_t reason, uint64_t count);

// A number that changes with every record that is written or lost, so that observers can detect activity without reading the file.
// It costs recording threads nothing. False if the recorder has stopped, and in a forked child.
bool optrace_recorder_activity(optrace_recorder *recorder, uint64_t *out);
// A new descriptor of the trace's file, even if the file was removed or renamed. -1, and errno, if the program has closed the
// recorder's descriptor.
int optrace_recorder_open_file(optrace_recorder *recorder);

// Whether the recorder uses the hooks (COpTraceHooks.h): not tried yet, in use, or not available.
enum { optrace_hooks_unasked, optrace_hooks_used, optrace_hooks_unavailable };
uint32_t optrace_recorder_hooks(const optrace_recorder *recorder);
void optrace_recorder_set_hooks(optrace_recorder *recorder, uint32_t use);

// The default recorder, which is used where none is named: any pointer that the caller keeps alive.
void *optrace_default(void);
void optrace_set_default(void *recorder);
// Whether it is known that there is no default recorder. Inline, because programs without a recorder pay for it, too.
enum { optrace_default_unasked, optrace_default_none, optrace_default_some };
extern uint32_t optrace_default_state;
static inline bool optrace_nobody_records(void) {
  return __atomic_load_n(&optrace_default_state, __ATOMIC_ACQUIRE) == optrace_default_none;
}
// Notes that nobody has asked for a default recorder. Has no effect once somebody has.
void optrace_default_is_none(void);

// A new serial number for an operation; 0: none is left. Threads take the numbers in small blocks.
uint32_t optrace_recorder_next_serial(optrace_recorder *recorder);
uint32_t optrace_recorder_next_queue(optrace_recorder *recorder);
uint32_t optrace_recorder_next_span(optrace_recorder *recorder);

// A file whose code is loaded in the process: the program itself, or a library. With the first bytes of its build id, if it has one.
enum { optrace_longest_path = 4096 };
typedef struct {
  uint64_t base, size;  // The address and size in memory.
  uint64_t bias;        // Address in memory minus address in the file.
  uint32_t build_id_size;
  uint8_t build_id[32];
} optrace_image;
// Finds the file that contains the code at an address, and the path of the file: at most `optrace_longest_path` bytes with the
// terminating zero. (The path is not a field, because Swift's compiler takes a minute for an array of that size.) False: the system
// knows no such file. May take the loader's lock.
bool optrace_image_find(uint64_t address, optrace_image *out, uint8_t *path);
// Whether an environment variable switches something on: it is set, and neither empty nor 0.
bool optrace_is_wanted(const char *variable);

// A thread of another process in a snapshot.
typedef struct {
  uint32_t id;                // The system's id. `owner`: the id of the thread that holds what it waits for; 0: none.
  uint32_t owner;
  const char *name;
  uint64_t words[2];          // The words of its record in a snapshot, without an owner.
  const uint64_t *addresses;  // Its pc, followed by the return addresses.
  uint32_t depth, guessed;    // How many addresses; the index of the first that was guessed.
} optrace_outside_thread;
typedef struct {
  uint32_t seen, moved, refused;
} optrace_outside_count;
// Takes a snapshot of another process's threads, without that process noticing. `refused` counts the threads whose calls, locks and
// stacks could not be read, because that needs the right to trace the process. While `see` is called, `optrace_image_find` looks in
// that process. Only for programs that record nothing themselves. False: there is no such process, or its threads cannot be read.
bool optrace_snapshot_outside(uint32_t process, void *context,
                              void (*see)(void *context, const optrace_outside_thread *thread), optrace_outside_count *count);

// Finds Swift's libraries that are linked into a program's file, by its symbols or those of its debug file. `program`: a link to the
// file, as in /proc. Takes some 10 ms for 100,000 functions. Null: none are linked into it, or that is not known.
typedef struct optrace_linked optrace_linked;
optrace_linked *optrace_linked_read(const char *program);
// The library that an address in the file belongs to, numbered as in records of frames; 0: it is the program's own code.
uint32_t optrace_linked_library(const optrace_linked *linked, uint64_t address);
void optrace_linked_free(optrace_linked *linked);

// A small cache that maps two words (such as a class pointer, or a literal's address and a line) to the id of an interned string.
// Lookups take no lock; 0: not found.
uint32_t optrace_cache_find(optrace_recorder *recorder, uint64_t key1, uint64_t key2);
void optrace_cache_add(optrace_recorder *recorder, uint64_t key1, uint64_t key2, uint32_t id);

// ---- Records -------------------------------------------------------------------------------------------------------
// Each function reads the clock, finds the thread's chunk and stores the record. It takes a lock only if a new chunk is needed.

void optrace_emit1(optrace_recorder *recorder, uint8_t kind, uint32_t subject);
void optrace_emit2(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1);
// Records `created`, the first record of an operation. If `operation` is not null, its age is added to `word1`, without reading the
// clock twice, and so is the stack that created it, if known.
void optrace_emit_created(optrace_recorder *recorder, uint32_t serial, uint64_t word1, const optrace_operation *operation);
// Records `created` and `enqueued` in one record, for an operation that the recorder first sees when it is added to a queue. `kind`:
// one of the kinds that combine both.
void optrace_emit_added(optrace_recorder *recorder, uint8_t kind, uint32_t serial, uint64_t created, uint64_t enqueued,
                        const optrace_operation *operation, uint32_t stack);
// Records three words as they are. For records that no other function writes, and for tests that need unusual records.
void optrace_emit3(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t word2);
// Writes a record with a text. `high`: the half of word 1 that holds fields. `word2` is written if `has_word2`.
bool optrace_emit_text(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t high, bool has_word2,
                       uint64_t word2, const uint8_t *text, size_t length);
// The same with the thread's stack (`optrace_caller_stack`), in a record that follows and stays with it.
void optrace_emit1_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t stack);
void optrace_emit2_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint32_t stack);
void optrace_emit_text_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t high, bool has_word2,
                          uint64_t word2, const uint8_t *text, size_t length, uint32_t stack);
// If this work is being submitted within a span, records that.
void optrace_record_within(optrace_recorder *recorder, uint32_t number);
// The same as `optrace_emit_text`, with the operation that executes on this thread as the subject, if it belongs to this recorder; else
// without a subject.
void optrace_emit_here(optrace_recorder *recorder, uint8_t kind, uint32_t high, const uint8_t *text, size_t length);
// Writes a definition into a chunk that is never recycled and belongs to no thread: three words, or a record with a text (only
// the high half of `word1` counts, and a string has no `word2`). Takes the recorder's lock. False: there was no room.
bool optrace_define(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t word2,
                    const uint8_t *text, size_t length);
// The chunk that the calling thread writes to, with room for `bytes` more bytes, if a chunk is that large. Null: there is none.
const void *optrace_chunk_with(optrace_recorder *recorder, uint32_t bytes);
// Only for the `carry` callback: appends whole records of `thread`. `base_ticks`: the time from which their deltas count.
bool optrace_carry(optrace_recorder *recorder, uint32_t thread, uint32_t thread_tid, uint64_t base_ticks,
                   const uint8_t *records, uint32_t bytes);

// ---- Operations ----------------------------------------------------------------------------------------------------

// Null if memory is out; then nothing of this operation is recorded.
optrace_operation *optrace_operation_create(void);
void optrace_operation_destroy(optrace_operation *operation);
// The same in the caller's memory, which has `optrace_operation_words` words and must not move. Nothing is allocated, and nothing has to
// be destroyed.
enum { optrace_operation_words = 8 };
optrace_operation *optrace_operation_init_in(uint64_t *words);
// Whether its events are not recorded, because it belongs to no recorder or is still being described. Inline, because most calls end
// here.
static inline bool optrace_operation_is_silent(const optrace_operation *operation) {
  // The recorder is the first field.
  return !operation || !__atomic_load_n((optrace_recorder *const *)(const void *)operation, __ATOMIC_ACQUIRE);
}
uint64_t optrace_operation_created(const optrace_operation *operation);
// The recorder that its events go to; null until it has been described there.
optrace_recorder *optrace_operation_recorder(const optrace_operation *operation);
// The recorder that it belongs to, even if that has stopped.
optrace_recorder *optrace_operation_owner(const optrace_operation *operation);
uint32_t optrace_operation_serial(const optrace_operation *operation);
// Its number in this recorder; 0: it has not been described there.
uint32_t optrace_operation_known(const optrace_operation *operation, const optrace_recorder *recorder);
// Gives the operation its number, once. True for the one caller that has done so; it must write the description and then publish the
// operation. Other callers wait here until then, so that none of their events precedes the description. So the first caller must not
// run any of the program's code in between.
bool optrace_operation_attach(optrace_operation *operation, uint32_t serial);
void optrace_operation_publish(optrace_operation *operation, optrace_recorder *recorder);
// Gives an attached operation to another recorder, under the caller's lock. It must be described and published again.
void optrace_operation_move(optrace_operation *operation, optrace_recorder *recorder, uint32_t serial);
// Sets a bit; true for the first caller.
bool optrace_operation_claim(optrace_operation *operation, uint32_t bit);
// Sets or clears a bit, if the operation is published. True if the bit has changed from 0 to 1.
bool optrace_operation_turn(optrace_operation *operation, uint32_t bit, bool value);
static inline bool optrace_operation_has(const optrace_operation *operation, uint32_t bit) {
  enum { offset_of_bits = 20 };
  return operation &&
         (__atomic_load_n((const uint32_t *)(const void *)((const uint8_t *)operation + offset_of_bits), __ATOMIC_ACQUIRE) & bit);
}
// Clears a bit; true for the caller that did so.
bool optrace_operation_release(optrace_operation *operation, uint32_t bit);
// The bits.
enum {
  optrace_bit_has_dependencies = 1,
  optrace_bit_watched = 2,           // Its `start()` is being followed, so its finish will be recorded …
  optrace_bit_finish_recorded = 4,   // … and has been.
  optrace_bit_ready = 8,             // The last answer of `isReady`.
  // Only for operations whose classes are not ours.
  optrace_bit_began = 16,
  optrace_bit_enqueued = 32,
  optrace_bit_finish_seen = 64,      // It was finished without having announced it.
  optrace_bit_external = 128,        // Only named by another operation so far.
  optrace_bit_own_ready = 512,       // An operation of our classes with its own `isReady`, which is hooked: its answers count.
  optrace_bit_own_start = 4096,      // An operation of our classes with its own `start()` and states, which are hooked.
  optrace_bit_partial = 8192,        // Described as partially seen.
  optrace_bit_own_executing = 16384, // Its class has its own `isExecuting`, which Foundation asks before the code begins.
  // Only for operations of our own classes. They may be set before the operation belongs to a recorder.
  optrace_bit_used = 1024,           // Started or cancelled.
  optrace_bit_quality = 2048,        // Its quality of service was set.
  optrace_bit_finish_written = 256,  // The record of its finish has been written, so later records come after it.
  // Foundation's own state is "finished", and that is recorded. Neither changes back, so whoever asks or waits need not ask Foundation,
  // which takes a lock to answer. Never set if the class keeps its own states.
  optrace_bit_over = 32768,
};
// Whether some recorder of this process wants to know where operations are created. Inline, because everybody pays for it.
extern uint32_t optrace_makers_wanted;
static inline bool optrace_wants_makers(void) { return __atomic_load_n(&optrace_makers_wanted, __ATOMIC_RELAXED); }
// Notes who creates an operation: the stack outside the function whose `optrace_here()` is given. Call it before other threads know
// the operation.
void optrace_operation_made(optrace_operation *operation, optrace_start here);
// Whether the creator is known, and this recorder records creators.
bool optrace_operation_has_maker(const optrace_operation *operation, const optrace_recorder *recorder);
// Records an event of the operation in one word (`event2`: two words). Does nothing if it is not published.
void optrace_operation_event(const optrace_operation *operation, uint8_t kind);
void optrace_operation_event2(const optrace_operation *operation, uint8_t kind, uint64_t word1);

// Record the run of an operation inside Foundation's `start()`, in as few records as possible. The first and the last of these four
// calls enclose the operation's frame on this thread; the other two are made in between, when the code begins and when it finishes.
//
// `goes_on_to_code`: none of the program's code is called before `optrace_run_begin`, and nothing can go wrong in between, so the start
// is recorded there. False: the run is nested too deep for a frame of its own, and the other three calls record only its return.
bool optrace_run_start(optrace_operation *operation, bool goes_on_to_code);
// Its code begins. Records nothing and returns false if it is not the innermost operation on this thread, or has already begun.
bool optrace_run_begin(optrace_operation *operation);
// It finishes, which also ends its code if that has begun. Records nothing and returns false if it is not the innermost operation on
// this thread, or has already finished.
bool optrace_run_finish(optrace_operation *operation);
// Its `start()` is about to return. Pops its frame: no more events of this run come from this thread.
void optrace_run_return(optrace_operation *operation);

// ---- Companions -----------------------------------------------------------------------------------------------------

// An operation or a queue may have a companion: an object of another part of this process that is notified of its events, on the thread
// where they happen and right after the record, and that may wrap its code. For operations without a companion an event costs one more
// load.
typedef struct {
  // `text`: the error, for `finished_with_error`. `released` and `queue_released` are the last notifications. After
  // `optrace_companion_left` no more are sent, but a call on another thread may still be running.
  void (*notify)(void *companion, uint8_t kind, const uint8_t *text, size_t length);
  // Must call `body` exactly once.
  void (*run)(void *companion, void (*body)(void *argument), void *argument);
} optrace_companion_calls;
// Notification that the hooks that watched the object were removed. It is not the kind of a record.
enum { optrace_companion_left = 0 };
// Sets these functions. Call it once, before the first companion is set.
void optrace_companions_use(const optrace_companion_calls *calls);
// Whether operations that are added to queues should get companions. Inline, because everybody pays for it.
extern uint32_t optrace_companions_wanted;
static inline bool optrace_wants_companions(void) { return __atomic_load_n(&optrace_companions_wanted, __ATOMIC_RELAXED); }
void optrace_want_companions(bool wanted);
void *optrace_operation_companion(const optrace_operation *operation);
// Sets the companion. False: it already has one. `is_notified`: the companion is notified of all events; else only of the last one, and
// it only wraps the code.
bool optrace_operation_accompany(optrace_operation *operation, void *companion, bool is_notified);
// Notifies the companion of an event that was not recorded by `optrace_operation_event`.
void optrace_operation_notify(const optrace_operation *operation, uint8_t kind, const uint8_t *text, size_t length);
// Calls `body` once, through the companion if the operation has one.
void optrace_operation_run(const optrace_operation *operation, void (*body)(void *argument), void *argument);
// Whether this thread is inside a companion's `notify`.
bool optrace_companion_is_notified(void);

// ---- Calls that add to a queue -------------------------------------------------------------------------------------

// These two enclose Foundation's own call that adds an operation (the first of several) or a barrier. They cost some stores, and leave
// a record only if the call takes long or never returns. Pass the result of `begin` to `end`, on the same thread.
typedef struct {
  optrace_recorder *recorder;  // Null: nothing was noted.
  uint64_t outer_object, outer_since;
  uint32_t outer_serial;
} optrace_adding;
optrace_adding optrace_adding_begin(optrace_recorder *recorder, const void *queue, uint32_t serial, bool is_barrier);
void optrace_adding_end(const optrace_adding *adding);

// From now on records of where an operation's code begins and ends are followed by the thread's processor time. Each of them reads
// another clock, which takes some 200 ns.
void optrace_recorder_record_cpu(optrace_recorder *recorder);

// ---- Samples of processor time ---------------------------------------------------------------------------------------

enum { optrace_profile_by_events, optrace_profile_by_timer };
typedef struct {
  uint32_t rate;         // Samples per second of a thread's processor time: 1 to 1,000.
  uint32_t stack_bytes;  // How much of a stack is read at most, in bytes; 0: 16 KiB.
  uint32_t by;           // By kernel events (perf), or by a timer for each thread, whose signals interrupt it.
} optrace_profile_options;
// Begins to sample where the process's threads use processor time. Returns 0, or the system's error number if it refuses; the trace
// then says so, too. Call it once per recorder, after `optrace_recorder_use_stacks`. It takes milliseconds. Threads that already exist
// are sampled a little later.
int optrace_recorder_profile(optrace_recorder *recorder, const optrace_profile_options *options);
// Why sampling was refused, and what to do about it, for that error number.
const char *optrace_profile_refusal(int error);

// ---- Stacks --------------------------------------------------------------------------------------------------------

// Which stacks are walked: none; only those of long waits, and the program's innermost frame where an operation is added; or whole
// stacks everywhere.
enum { optrace_stacks_off, optrace_stacks_waits, optrace_stacks_all };
// From now on stacks are recorded. Call it once per recorder.
void optrace_recorder_use_stacks(optrace_recorder *recorder, uint32_t which);
// These two enclose a function that the program calls. `here`: the function's own `optrace_here()`. `caller`: its `optrace_caller()`; 0:
// not known. In nested functions only the outermost call counts. Pass the result of `begin` to `end`, in the same function.
bool optrace_entry_begin(optrace_start here, uint64_t caller);
void optrace_entry_end(bool has_begun);
// The number of the stack of the program's code that made that call; 0: not known, or not wanted. Takes some 10 ns for each frame in
// between.
uint32_t optrace_caller_stack(optrace_recorder *recorder);

// These two enclose a wait of this thread for an operation or a queue, by its number. They record the beginning and the end; the end
// has the stack if the wait was long. `begin` notes the frame of its caller, which must not return before `end`.
void optrace_wait_begin(optrace_recorder *recorder, uint32_t number, bool is_queue);
void optrace_wait_end(optrace_recorder *recorder, uint32_t number, bool is_queue);

// ---- What executes on this thread ----------------------------------------------------------------------------------

// The phase of the innermost operation that this thread runs.
enum { optrace_phase_starting = 1, optrace_phase_executing = 2, optrace_phase_finished = 3, optrace_phase_block = 4 };

void optrace_frame_push(optrace_operation *operation);
void optrace_frame_pop(void);
// The phase of `operation` if it is the innermost one here; else 0.
uint32_t optrace_frame_phase(const optrace_operation *operation);
void optrace_frame_set_phase(uint32_t phase);
optrace_operation *optrace_frame_current(void);
// Call it with true before and false after a wait for an operation or a queue. In between what the thread blocks on is not recorded,
// because the wait has records of its own.
void optrace_frame_waits(bool inside);
bool optrace_frame_is_waiting(void);

// ---- Layout --------------------------------------------------------------------------------------------------------

// A checksum as the trace format defines it. `seed`: the checksum to continue from.
uint64_t optrace_checksum(uint64_t seed, const void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
