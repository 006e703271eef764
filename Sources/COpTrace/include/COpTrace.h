// The part of the recorder that must be C: clocks, thread buffers, atomics on mapped memory, growing the file. It knows how
// records are packed; COpTraceFormat.h and COpTraceFields.h, which are made from OpTraceFormat, have the numbers and the fields.
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

// A recorder. Its memory is wiped in a forked child, so that the child does not record, and never freed: a thread that still has
// the pointer after `stop` finds a stopped recorder.
typedef struct optrace_recorder optrace_recorder;

// What the recorder knows of an operation. Lives as long as the operation object. All of it is atomic.
typedef struct optrace_operation optrace_operation;

// ---- Clock ---------------------------------------------------------------------------------------------------------

// Whether the processor has a counter that runs evenly on all cores.
bool optrace_clock_has_counter(void);
uint64_t optrace_clock_monotonic(void);
uint64_t optrace_clock_wall(void);
// The counter, or the monotonic clock if there is none.
uint64_t optrace_clock_ticks(void);
// Ticks of `optrace_clock_ticks` per second. Measured once, to some tenths of a per cent.
uint64_t optrace_clock_frequency(void);

// ---- System --------------------------------------------------------------------------------------------------------

uint32_t optrace_thread_id(void);
uint64_t optrace_process_start(uint32_t process_id);
void optrace_boot_id(uint8_t out[16]);
// Writes to standard error. The signal that a write may raise (for a file that may not grow, or a closed pipe) does not reach the
// program.
void optrace_say(const void *bytes, size_t count);

// ---- Recorder ------------------------------------------------------------------------------------------------------

typedef struct {
  int descriptor;          // Open for reading and writing, empty; the recorder takes it over.
  bool use_counter;        // False: the monotonic clock.
  bool ring;               // Flight recorder.
  uint64_t capacity;       // Flight recorder: bytes of the whole file.
  uint64_t size_limit;     // Streaming: bytes; 0: no limit.
  const void *header;      // The file's header, without calibration.
  size_t header_size;
  // Flight recorder: `carry` saves what is still needed of a chunk that is about to be recycled, by `optrace_carry`. `scan` comes
  // first, once for every chunk, as soon as its thread is done with it. `discard` comes last, once, also if there will be no
  // recorder. All are called under the recorder's lock.
  void (*scan)(optrace_recorder *recorder, void *context, const uint8_t *chunk, uint32_t bytes);
  void (*carry)(optrace_recorder *recorder, void *context, const uint8_t *chunk, uint32_t bytes);
  void (*discard)(void *context);
  void *context;
} optrace_options;

// Null, and errno, if the file cannot be reserved or mapped. The descriptor is then closed.
optrace_recorder *optrace_recorder_create(const optrace_options *options);
// Stops recording, trims and seals the file. Returns 0 or an errno. A second call does nothing.
int optrace_recorder_stop(optrace_recorder *recorder);
static inline bool optrace_recorder_is_recording(const optrace_recorder *recorder) {
  // The first field.
  return __atomic_load_n((const uint32_t *)(const void *)recorder, __ATOMIC_RELAXED);
}
uint64_t optrace_recorder_lost(const optrace_recorder *recorder, uint32_t reason);
void optrace_recorder_count_lost(optrace_recorder *recorder, uint32_t reason, uint64_t count);

// A number that changes with every record that is written or lost, so that observers need not read the file. Costs recording
// threads nothing. False if the recorder has stopped, and in a forked child.
bool optrace_recorder_activity(optrace_recorder *recorder, uint64_t *out);
// A new descriptor of the trace's file, even if the file was removed or renamed. -1, and errno, if the program has closed the
// recorder's descriptor.
int optrace_recorder_open_file(optrace_recorder *recorder);

// Whether the recorder uses the hooks (COpTraceHooks.h): not asked for yet, in use, or not available.
enum { optrace_hooks_unasked, optrace_hooks_used, optrace_hooks_unavailable };
uint32_t optrace_recorder_hooks(const optrace_recorder *recorder);
void optrace_recorder_set_hooks(optrace_recorder *recorder, uint32_t use);

// The recorder that is used where none is named: any pointer, kept alive by the caller.
void *optrace_default(void);
void optrace_set_default(void *recorder);
// Whether it is known that there is no default recorder. Inline, because a program without a recorder pays for it.
enum { optrace_default_unasked, optrace_default_none, optrace_default_some };
extern uint32_t optrace_default_state;
static inline bool optrace_nobody_records(void) {
  return __atomic_load_n(&optrace_default_state, __ATOMIC_ACQUIRE) == optrace_default_none;
}
// Notes that nobody has asked for a default recorder. Has no effect once somebody has.
void optrace_default_is_none(void);

// A new serial number for an operation; 0: none is left. Threads take them in small blocks.
uint32_t optrace_recorder_next_serial(optrace_recorder *recorder);
uint32_t optrace_recorder_next_queue(optrace_recorder *recorder);
uint32_t optrace_recorder_next_span(optrace_recorder *recorder);

// A file whose code is in the process: the program itself, or a library. With the first bytes of its build id, if it has one.
enum { optrace_longest_path = 4096 };
typedef struct {
  uint64_t base, size;  // In memory.
  uint64_t bias;        // Memory minus the file's addresses.
  uint32_t build_id_size;
  uint8_t build_id[32];
} optrace_image;
// Finds the file that the code at an address is from, and its path, of up to `optrace_longest_path` bytes with the terminating
// zero. (The path is no field, because Swift's compiler takes a minute for an array of that size.) False: the system knows of no
// such file. May take the loader's lock.
bool optrace_image_find(uint64_t address, optrace_image *out, uint8_t *path);
// Which library that is linked into the program's file the code at an address belongs to, as a `frame` says it; 0: none.
uint32_t optrace_library_at(uint64_t address);
// Whether a variable of the environment switches something on: it is set, and neither empty nor 0.
bool optrace_is_wanted(const char *variable);

// A thread of another process.
typedef struct {
  uint32_t id;                // The system's id; `owner`: of the thread that holds what it waits for, 0: none.
  uint32_t owner;
  const char *name;
  uint64_t words[2];          // Of the record `seen`, without an owner.
  const uint64_t *addresses;  // Its pc, and the return addresses.
  uint32_t depth, guessed;    // How many; the index of the first that was guessed.
} optrace_outside_thread;
typedef struct {
  uint32_t seen, moved, refused;
} optrace_outside_count;
// Takes a snapshot of another process's threads, without that process noticing. Threads whose calls, locks and stacks may not be
// read, for lack of the right to trace the process, are `refused`. While `see` is called, `optrace_image_find` is about that
// process. Only for programs that record nothing themselves. False: there is no such process, or its threads cannot be read.
bool optrace_snapshot_outside(uint32_t process, void *context,
                              void (*see)(void *context, const optrace_outside_thread *thread), optrace_outside_count *count);

// The libraries of Swift's that are linked into a program's file, by its symbols or those of its debug file. `program`: a link to the
// file, as in /proc. Takes some 10 ms for 100,000 functions. Null: none are linked into it, or nobody can tell.
typedef struct optrace_linked optrace_linked;
optrace_linked *optrace_linked_read(const char *program);
// Which one an address of the file's code belongs to, as in records of frames; 0: it is the program's own.
uint32_t optrace_linked_library(const optrace_linked *linked, uint64_t address);
void optrace_linked_free(optrace_linked *linked);

// A small cache from two words (a class pointer; a literal's address and a line) to the id of an interned string. Lookups take no
// lock; 0: not found.
uint32_t optrace_cache_find(optrace_recorder *recorder, uint64_t key1, uint64_t key2);
void optrace_cache_add(optrace_recorder *recorder, uint64_t key1, uint64_t key2, uint32_t id);

// ---- Records -------------------------------------------------------------------------------------------------------
// Each takes the time, finds the thread's chunk and stores the record, without a lock unless a new chunk is needed.

void optrace_emit1(optrace_recorder *recorder, uint8_t kind, uint32_t subject);
void optrace_emit2(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1);
// Records `created`, the first record of an operation. `operation` adds its age to `word1`, without reading the clock twice, and
// the stack that created it, if known. Null: neither.
void optrace_emit_created(optrace_recorder *recorder, uint32_t serial, uint64_t word1, const optrace_operation *operation);
// Records `created` and `enqueued` in one record, for an operation that is given to a queue at first sight. `kind`: one of the
// kinds with both.
void optrace_emit_added(optrace_recorder *recorder, uint8_t kind, uint32_t serial, uint64_t created, uint64_t enqueued,
                        const optrace_operation *operation, uint32_t stack);
// Records three words as they are: for records that no other function makes, and for tests, which write what no recorder would.
void optrace_emit3(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t word2);
// A record with a text. `high`: the half of word 1 that holds fields. `word2` is written if `has_word2`.
void optrace_emit_text(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t high, bool has_word2,
                       uint64_t word2, const uint8_t *text, size_t length);
// The same with the thread's stack (`optrace_caller_stack`), in a record that follows and stays with it.
void optrace_emit1_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t stack);
void optrace_emit2_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint32_t stack);
void optrace_emit_text_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t high, bool has_word2,
                          uint64_t word2, const uint8_t *text, size_t length, uint32_t stack);
// If the work with this number is submitted within a span, records that.
void optrace_record_within(optrace_recorder *recorder, uint32_t number);
// The same as `optrace_emit_text`, about the operation that executes on this thread if it is one of this recorder's; else about
// none.
void optrace_emit_here(optrace_recorder *recorder, uint8_t kind, uint32_t high, const uint8_t *text, size_t length);
// Writes a definition into a chunk that is never recycled and belongs to no thread: three words, or a record with a text (only
// the high half of `word1` counts, and a string has no `word2`). Takes the recorder's lock. False: there was no room.
bool optrace_define(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t word2,
                    const uint8_t *text, size_t length);
// The chunk that the calling thread writes, with room for so many bytes more if that fits into a chunk. Null: there is none.
const void *optrace_chunk_with(optrace_recorder *recorder, uint32_t bytes);
// Only inside the `carry` callback: appends whole records of `thread` that begin at `base_ticks`.
bool optrace_carry(optrace_recorder *recorder, uint32_t thread, uint32_t thread_tid, uint64_t base_ticks,
                   const uint8_t *records, uint32_t bytes);

// ---- Operations ----------------------------------------------------------------------------------------------------

// Null if memory is out; then nothing of this operation is recorded.
optrace_operation *optrace_operation_create(void);
void optrace_operation_destroy(optrace_operation *operation);
// The same in the caller's memory, of so many words, which must not move. Nothing is allocated, and nothing has to be destroyed.
enum { optrace_operation_words = 8 };
optrace_operation *optrace_operation_init_in(uint64_t *words);
// Whether its events are not recorded: it belongs to no recorder, or is still being described. Inline, for the many calls that
// end here.
static inline bool optrace_operation_is_silent(const optrace_operation *operation) {
  // The recorder is the first field.
  return !operation || !__atomic_load_n((optrace_recorder *const *)(const void *)operation, __ATOMIC_ACQUIRE);
}
uint64_t optrace_operation_created(const optrace_operation *operation);
// The recorder it records to; null until it has been described there.
optrace_recorder *optrace_operation_recorder(const optrace_operation *operation);
// The recorder it belongs to, stopped or not.
optrace_recorder *optrace_operation_owner(const optrace_operation *operation);
uint32_t optrace_operation_serial(const optrace_operation *operation);
// Its number in this recorder; 0: it has not been described there.
uint32_t optrace_operation_known(const optrace_operation *operation, const optrace_recorder *recorder);
// Gives the operation its number, once. True for the one caller that did so, who writes its description and then publishes it.
// The other callers wait here until then, so that none of their events comes before the description; none of the program's code
// may be called in between.
bool optrace_operation_attach(optrace_operation *operation, uint32_t serial);
void optrace_operation_publish(optrace_operation *operation, optrace_recorder *recorder);
// Gives an attached operation to another recorder, under the caller's lock. It must be described and published again.
void optrace_operation_move(optrace_operation *operation, optrace_recorder *recorder, uint32_t serial);
// Sets a bit; true for the first caller.
bool optrace_operation_claim(optrace_operation *operation, uint32_t bit);
// Sets or clears a bit, if the operation is published. True if it has changed from false to true.
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
  // Only for operations that are not ours.
  optrace_bit_began = 16,
  optrace_bit_enqueued = 32,
  optrace_bit_finish_seen = 64,      // It was finished without having announced it.
  optrace_bit_external = 128,        // Only named by another operation so far.
  optrace_bit_own_ready = 512,       // One of ours with its own `isReady`, which is hooked: its answers count.
  optrace_bit_own_start = 4096,      // One of ours with its own `start()` and states, which are hooked.
  optrace_bit_partial = 8192,        // Described as partially seen.
  optrace_bit_own_executing = 16384, // Its class has its own `isExecuting`, which Foundation asks before the code begins.
  // Only for our own operations, perhaps before they have met a recorder.
  optrace_bit_used = 1024,           // Started or cancelled.
  optrace_bit_quality = 2048,        // Its quality of service was set.
  optrace_bit_finish_written = 256,  // The record of its finish is written: later records come after it.
  // Foundation's own state says that it is finished, and that is recorded. Neither changes back, so a thread that asks or waits
  // need not ask Foundation, which takes a lock to answer. Never set if the class keeps its states itself.
  optrace_bit_over = 32768,
};
// Whether some recorder of this process wants to know where operations are created. Inline, because all others pay for it.
extern uint32_t optrace_makers_wanted;
static inline bool optrace_wants_makers(void) { return __atomic_load_n(&optrace_makers_wanted, __ATOMIC_RELAXED); }
// Notes who created an operation: the stack outside of the function whose `optrace_here()` this is. Before other threads know the
// operation.
void optrace_operation_made(optrace_operation *operation, optrace_start here);
// Whether that is known, and the recorder records it.
bool optrace_operation_has_maker(const optrace_operation *operation, const optrace_recorder *recorder);
// Records a one-word event of the operation; nothing if it is not attached.
void optrace_operation_event(const optrace_operation *operation, uint8_t kind);
void optrace_operation_event2(const optrace_operation *operation, uint8_t kind, uint64_t word1);

// The run of an operation inside of Foundation's `start()`, in as few records as possible. These four calls enclose its frame on
// this thread, in this order; the second and third come when they happen.
//
// `goes_on_to_code`: none of the program's code is called before `optrace_run_begin`, and nothing can go wrong in between, so the
// start is recorded there. False: it is nested too deep for a frame of its own, and then the other three record only its return.
bool optrace_run_start(optrace_operation *operation, bool goes_on_to_code);
// Its code begins. False, and nothing is recorded, if it is not the innermost operation here, or has begun before.
bool optrace_run_begin(optrace_operation *operation);
// It is finished, which ends its code if that has begun. False, and nothing is recorded, if it is not the innermost operation
// here, or was finished before.
bool optrace_run_finish(optrace_operation *operation);
// Its `start()` is about to return: nothing more of it comes on this thread, and its frame is popped.
void optrace_run_return(optrace_operation *operation);

// ---- Companions -----------------------------------------------------------------------------------------------------

// An operation or a queue may have a companion: an object of another part of this process, which is notified of its events on the
// thread where they happen, right after the record, and which encloses its code. Without a companion an event costs one more
// load.
typedef struct {
  // `text`: of `finished_with_error`. Nothing comes after `released` and `queue_released`. After `optrace_companion_left` nothing
  // new is sent, but a call on another thread may still be under way.
  void (*notify)(void *companion, uint8_t kind, const uint8_t *text, size_t length);
  // Calls `body` once.
  void (*run)(void *companion, void (*body)(void *argument), void *argument);
} optrace_companion_calls;
// The hooks that watched the object were removed. Not the kind of a record.
enum { optrace_companion_left = 0 };
// Once, before the first companion is set.
void optrace_companions_use(const optrace_companion_calls *calls);
// Whether companions are wanted for what is added to queues. Inline, because all others pay for it.
extern uint32_t optrace_companions_wanted;
static inline bool optrace_wants_companions(void) { return __atomic_load_n(&optrace_companions_wanted, __ATOMIC_RELAXED); }
void optrace_want_companions(bool wanted);
void *optrace_operation_companion(const optrace_operation *operation);
// False: it has a companion already. `is_notified`: of all its events; else only of the last, and the companion only encloses the
// code.
bool optrace_operation_accompany(optrace_operation *operation, void *companion, bool is_notified);
// For events that are not recorded by `optrace_operation_event`.
void optrace_operation_notify(const optrace_operation *operation, uint8_t kind, const uint8_t *text, size_t length);
// Calls `body` once, through its companion if it has one.
void optrace_operation_run(const optrace_operation *operation, void (*body)(void *argument), void *argument);
// Whether this thread is inside of a companion's `notify`.
bool optrace_companion_is_notified(void);

// ---- Calls that add to a queue -------------------------------------------------------------------------------------

// Enclose Foundation's own call that adds an operation (the first of several) or a barrier. They cost some stores, and leave a
// record only if the call lasts, as one that never returns does. `begin`'s result is for `end`, on the same thread.
typedef struct {
  optrace_recorder *recorder;  // Null: nothing was noted.
  uint64_t outer_object, outer_since;
  uint32_t outer_serial;
} optrace_adding;
optrace_adding optrace_adding_begin(optrace_recorder *recorder, const void *queue, uint32_t serial, bool is_barrier);
void optrace_adding_end(const optrace_adding *adding);

// From here on the thread's processor time follows the records of where an operation's code begins and ends. Reads another clock
// each time, for some 200 ns.
void optrace_recorder_record_cpu(optrace_recorder *recorder);

// ---- Samples of processor time ---------------------------------------------------------------------------------------

enum { optrace_profile_by_events, optrace_profile_by_timer };
typedef struct {
  uint32_t rate;         // Samples a second of a thread's processor time: 1 to 1,000.
  uint32_t stack_bytes;  // How much of a stack is read at most; 0: 16 KiB.
  uint32_t by;           // By events of the kernel's, or by timers of the threads, whose signals interrupt them.
} optrace_profile_options;
// From here on it is sampled where the process's threads use processor time: 0, or the system's error number if it does not allow
// that, which the trace says, too. After `optrace_recorder_use_stacks`. Threads that exist already are sampled soon after.
// Milliseconds. Once per recorder.
int optrace_recorder_profile(optrace_recorder *recorder, const optrace_profile_options *options);
// Why sampling was refused, and the remedy, by that error number.
const char *optrace_profile_refusal(int error);

// ---- Stacks --------------------------------------------------------------------------------------------------------

// Which stacks are walked: none; those of long waits, and the program's innermost frame where an operation is added; whole
// stacks.
enum { optrace_stacks_off, optrace_stacks_waits, optrace_stacks_all };
// From here on stacks are recorded. Once per recorder.
void optrace_recorder_use_stacks(optrace_recorder *recorder, uint32_t which);
// Enclose the functions that the program calls. `here` is that function's own `optrace_here()`, `caller` its `optrace_caller()`;
// 0: not known. A nested call changes nothing. `begin`'s result is for `end`, in the same function.
bool optrace_entry_begin(optrace_start here, uint64_t caller);
void optrace_entry_end(bool has_begun);
// The number of the stack of the program's code that called there; 0: not known, or not wanted. Some 10 ns for each frame in
// between.
uint32_t optrace_caller_stack(optrace_recorder *recorder);

// A wait of this thread for an operation or a queue, by its number: records the beginning, and the end with its stack if the wait
// was long. `begin` notes its caller's frame, which must not return before `end`.
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
// Inside, this thread's waits are recorded as waits for an operation or a queue, so what they block on is not recorded.
void optrace_frame_waits(bool inside);
bool optrace_frame_is_waiting(void);

// ---- Layout --------------------------------------------------------------------------------------------------------

// A checksum as in the format. `seed`: the checksum to continue from.
uint64_t optrace_checksum(uint64_t seed, const void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
