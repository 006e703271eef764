// The part of the recorder that must be C: the clock, thread-local buffers, atomics on mapped memory, file growth.
// It knows bytes, record sizes and chunk headers; what a record means is known to OpTraceFormat alone.
#ifndef COPTRACE_H
#define COPTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "COpTraceFormat.h"
#include "COpTraceHere.h"

#ifdef __cplusplus
extern "C" {
#endif

// One recorder. Its memory is wiped in a forked child (so that the child does not record) and never freed: a thread
// that still holds the pointer after `stop` finds a closed door, not freed memory.
typedef struct optrace_recorder optrace_recorder;

// What the recorder knows of one operation; lives as long as the operation object. All of it is atomic inside.
typedef struct optrace_operation optrace_operation;

// ---- Clock ---------------------------------------------------------------------------------------------------------

// Whether the processor has a counter that runs evenly on all cores.
bool optrace_clock_has_counter(void);
uint64_t optrace_clock_monotonic(void);
uint64_t optrace_clock_wall(void);
// The counter, or the monotonic clock where there is none.
uint64_t optrace_clock_ticks(void);
// Ticks of `optrace_clock_ticks` per second; measured once, within some tenths of a per cent.
uint64_t optrace_clock_frequency(void);

// ---- System --------------------------------------------------------------------------------------------------------

uint32_t optrace_thread_id(void);
uint64_t optrace_process_start(uint32_t process_id);
void optrace_boot_id(uint8_t out[16]);
// To standard error. What a write may bring (a file that may not grow, a pipe that nobody reads) is no signal to the program.
void optrace_say(const void *bytes, size_t count);

// ---- Recorder ------------------------------------------------------------------------------------------------------

typedef struct {
  int descriptor;          // Open for reading and writing, empty; owned by the recorder from here on.
  bool use_counter;        // Else the monotonic clock.
  bool ring;               // Flight recorder.
  uint64_t capacity;       // Flight recorder: bytes of the whole file.
  uint64_t size_limit;     // Streaming: bytes; 0 for none.
  const void *header;      // The file's header, without calibration.
  size_t header_size;
  // Flight recorder: saves from `chunk` (about to be recycled) what is still needed, by `optrace_carry`. `scan` comes
  // first, once for every chunk, as soon as its thread is done with it. Both under the recorder's lock.
  void (*scan)(void *context, const uint8_t *chunk, uint32_t bytes);
  void (*carry)(void *context, const uint8_t *chunk, uint32_t bytes);
  void *context;
} optrace_options;

// Null and errno where the file can't be reserved or mapped. The descriptor is closed then.
optrace_recorder *optrace_recorder_create(const optrace_options *options);
// Ends recording, trims and seals the file. Returns 0 or an errno. A second call does nothing.
int optrace_recorder_stop(optrace_recorder *recorder);
static inline bool optrace_recorder_is_recording(const optrace_recorder *recorder) {
  // The first field.
  return __atomic_load_n((const uint32_t *)(const void *)recorder, __ATOMIC_RELAXED);
}
uint64_t optrace_recorder_lost(const optrace_recorder *recorder, uint32_t reason);
void optrace_recorder_count_lost(optrace_recorder *recorder, uint32_t reason, uint64_t count);

// A number that changes with every record that is written or lost, so that who watches need not read the file. Costs the
// threads that record nothing. False when the recorder has stopped, and in a forked child.
bool optrace_recorder_activity(optrace_recorder *recorder, uint64_t *out);
// A new descriptor of the trace's file, also when the file was removed or renamed; -1 and errno where there is none: the
// program has closed the recorder's.
int optrace_recorder_open_file(optrace_recorder *recorder);

// What the recorder has to do with the hooks (COpTraceHooks.h): not asked for yet, in use, or not to be had.
enum { optrace_hooks_unasked, optrace_hooks_used, optrace_hooks_unavailable };
uint32_t optrace_recorder_hooks(const optrace_recorder *recorder);
void optrace_recorder_set_hooks(optrace_recorder *recorder, uint32_t use);

// The recorder that is used where none is named: any pointer, kept alive by who sets it.
void *optrace_default(void);
void optrace_set_default(void *recorder);
// Whether it is known that there is no recorder for what names none. Inline: it is what a program pays that records nothing.
enum { optrace_default_unasked, optrace_default_none, optrace_default_some };
extern uint32_t optrace_default_state;
static inline bool optrace_nobody_records(void) {
  return __atomic_load_n(&optrace_default_state, __ATOMIC_ACQUIRE) == optrace_default_none;
}
// Nobody has asked for one: true from here on, unless somebody did meanwhile, and until somebody does.
void optrace_default_is_none(void);

// A new serial number for an operation; 0 when there is none left. Threads take them in small blocks.
uint32_t optrace_recorder_next_serial(optrace_recorder *recorder);
uint32_t optrace_recorder_next_queue(optrace_recorder *recorder);
uint32_t optrace_recorder_next_span(optrace_recorder *recorder);

// A file whose code is in the process: the program itself, or a library. The first bytes of its build id, if it has one.
enum { optrace_longest_path = 4096 };
typedef struct {
  uint64_t base, size;  // In memory.
  uint64_t bias;        // What is added to the addresses in the file.
  uint32_t build_id_size;
  uint8_t build_id[32];
} optrace_image;
// Where the code at an address is from, and the file's `path`, of `optrace_longest_path` bytes at most with the zero at its end. (No field:
// Swift's compiler takes a minute for an array of that size.) False: from nowhere that the system knows. May take the loader's lock.
bool optrace_image_find(uint64_t address, optrace_image *out, uint8_t *path);

// A thread of another process.
typedef struct {
  uint32_t id;                // The system's, as that of the owner of what it waits for; 0: none.
  uint32_t owner;
  const char *name;
  uint64_t words[2];          // Of the record `seen`, without an owner.
  const uint64_t *addresses;  // Where it stands, and what that returns to.
  uint32_t depth, guessed;    // How many; the first that was guessed.
} optrace_outside_thread;
typedef struct {
  uint32_t seen, moved, refused;
} optrace_outside_count;
// Looks at all of its threads from here; that process notices nothing. What needs the rights to trace it (calls, locks, stacks) is
// missing where they are: those threads are `refused`. While `see` is called, `optrace_image_find` tells of that process. For
// programs that record nothing themselves. False: there is no such process, or none that can be looked at.
bool optrace_snapshot_outside(uint32_t process, void *context,
                          void (*see)(void *context, const optrace_outside_thread *thread), optrace_outside_count *count);

// A small cache from two words (a class pointer; a literal's address and a line) to the id of an interned string.
// Lock-free to read; 0 is "not there".
uint32_t optrace_cache_find(optrace_recorder *recorder, uint64_t key1, uint64_t key2);
void optrace_cache_add(optrace_recorder *recorder, uint64_t key1, uint64_t key2, uint32_t id);

// ---- Records -------------------------------------------------------------------------------------------------------
// Each takes the time, finds the thread's chunk and stores the record; lock-free unless a new chunk is needed.

void optrace_emit1(optrace_recorder *recorder, uint8_t kind, uint32_t subject);
void optrace_emit2(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1);
// `created`, the first record of an operation. What is known of it gives `word1` its age, from bit 24 on, with no other look at
// the clock than the record's own; and where it was made. Null: neither.
void optrace_emit_created(optrace_recorder *recorder, uint32_t serial, uint64_t word1, const optrace_operation *operation);
// The same with `enqueued` in one record, of an operation that is given to a queue at first sight. `kind`: what stands in it besides.
void optrace_emit_added(optrace_recorder *recorder, uint8_t kind, uint32_t serial, uint64_t created, uint64_t enqueued,
                        const optrace_operation *operation, uint32_t stack);
// A record of three words as they are: for tests, which write what no recorder would.
void optrace_emit3(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t word2);
// A record with text. `high` are the bits 32 to 63 of word 1; `word2` is written when `has_word2`.
void optrace_emit_text(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t high, bool has_word2,
                       uint64_t word2, const uint8_t *text, size_t length);
// The same with where the thread stands (`optrace_caller_stack`), which stands behind the record and goes with it.
void optrace_emit1_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t stack);
void optrace_emit2_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint32_t stack);
void optrace_emit_text_at(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint32_t high, bool has_word2,
                          uint64_t word2, const uint8_t *text, size_t length, uint32_t stack);
// Tells that the work of this number is submitted within a span, where it is.
void optrace_record_within(optrace_recorder *recorder, uint32_t number);
// The same about the operation that executes on this thread, where it is one of this recorder's; else about none.
void optrace_emit_here(optrace_recorder *recorder, uint8_t kind, uint32_t high, const uint8_t *text, size_t length);
// A definition, into a chunk that is never recycled and as no thread's: three words, or those with a text behind them (of
// `word1` the bits 32 to 63 alone); a string has no `word2`. Takes the recorder's lock. False when there was no room.
bool optrace_define(optrace_recorder *recorder, uint8_t kind, uint32_t subject, uint64_t word1, uint64_t word2,
                    const uint8_t *text, size_t length);
// Only inside the `carry` callback: appends whole records of `thread` that begin at `base_ticks`.
bool optrace_carry(optrace_recorder *recorder, uint32_t thread, uint32_t thread_tid, uint64_t base_ticks,
                   const uint8_t *records, uint32_t bytes);

// ---- Operations ----------------------------------------------------------------------------------------------------

// Never null in practice; null when memory is out, and then nothing of this operation is recorded.
optrace_operation *optrace_operation_create(void);
void optrace_operation_destroy(optrace_operation *operation);
// The same in memory of the caller's, which holds so many words and stays in its place: nothing is allocated, and nothing
// has to be destroyed.
enum { optrace_operation_words = 8 };
optrace_operation *optrace_operation_init_in(uint64_t *words);
// Whether none of its events is recorded: it belongs to no recorder, or is still being described. Inline, for the many
// calls that end here.
static inline bool optrace_operation_is_silent(const optrace_operation *operation) {
  // The recorder is the first field.
  return !operation || !__atomic_load_n((optrace_recorder *const *)(const void *)operation, __ATOMIC_ACQUIRE);
}
uint64_t optrace_operation_created(const optrace_operation *operation);
// The recorder it records to; null until it has been described there.
optrace_recorder *optrace_operation_recorder(const optrace_operation *operation);
// The recorder that it belongs to, stopped or not.
optrace_recorder *optrace_operation_owner(const optrace_operation *operation);
uint32_t optrace_operation_serial(const optrace_operation *operation);
// Its number in this recorder; 0: it has not been described there.
uint32_t optrace_operation_known(const optrace_operation *operation, const optrace_recorder *recorder);
// Gives the operation its number, once: true for the one caller that did it, who writes its description and then publishes
// it for the recorder. The others wait for that here, so that no event of theirs comes before the description: in between
// nothing may be called that is the program's.
bool optrace_operation_attach(optrace_operation *operation, uint32_t serial);
void optrace_operation_publish(optrace_operation *operation, optrace_recorder *recorder);
// Gives what is attached already to another recorder, under the caller's lock; to be described and published anew.
void optrace_operation_move(optrace_operation *operation, optrace_recorder *recorder, uint32_t serial);
// Remembers that this has been done; true for the first caller.
bool optrace_operation_claim(optrace_operation *operation, uint32_t bit);
// Notes a bit's value once the operation is published; true when it has turned from false to true.
bool optrace_operation_turn(optrace_operation *operation, uint32_t bit, bool value);
static inline bool optrace_operation_has(const optrace_operation *operation, uint32_t bit) {
  enum { offset_of_bits = 20 };
  return operation &&
         (__atomic_load_n((const uint32_t *)(const void *)((const uint8_t *)operation + offset_of_bits), __ATOMIC_ACQUIRE) & bit);
}
// Takes a bit back; true for the caller that did it.
bool optrace_operation_release(optrace_operation *operation, uint32_t bit);
// The bits.
enum {
  optrace_bit_has_dependencies = 1,
  optrace_bit_watched = 2,           // Its start was watched, so its finish will be recorded …
  optrace_bit_finish_recorded = 4,   // … and has been.
  optrace_bit_ready = 8,             // The last answer of `isReady`.
  // Of operations that are not ours.
  optrace_bit_began = 16,
  optrace_bit_enqueued = 32,
  optrace_bit_finish_seen = 64,      // It said "finished" without telling anybody.
  optrace_bit_external = 128,        // Only named by another operation so far.
  optrace_bit_own_ready = 512,       // One of ours with an `isReady` of its own, which is hooked: its answers count.
  optrace_bit_own_start = 4096,      // One of ours with a `start()` and states of its own, which are hooked: they tell.
  optrace_bit_partial = 8192,        // Described as seen in part.
  optrace_bit_own_executing = 16384, // Its class has an `isExecuting` of its own, which Foundation asks before the code begins.
  // Of ours, perhaps before they met a recorder.
  optrace_bit_used = 1024,           // Started or cancelled.
  optrace_bit_quality = 2048,        // Its quality of service was set.
  optrace_bit_finish_written = 256,  // The record of its finish stands: what others write now comes after it.
  // Foundation's own state says that it is finished, and the record of that stands. Neither turns back: who asks, or waits for it, is
  // told so without asking Foundation, which takes a lock to say it. Never where the class keeps its states itself.
  optrace_bit_over = 32768,
};
// Some recorder of this process wants to know where operations are made. Inline: it is what all others pay.
extern uint32_t optrace_makers_wanted;
static inline bool optrace_wants_makers(void) { return __atomic_load_n(&optrace_makers_wanted, __ATOMIC_RELAXED); }
// Who makes it: the whole stack outside of the function that has this `optrace_here()`, and is called to make one. Before others know it.
void optrace_operation_made(optrace_operation *operation, optrace_start here);
// Whether that is known of it, and the recorder tells it.
bool optrace_operation_has_maker(const optrace_operation *operation, const optrace_recorder *recorder);
// One-word record about the operation; nothing when it is not attached.
void optrace_operation_event(const optrace_operation *operation, uint8_t kind);
void optrace_operation_event2(const optrace_operation *operation, uint8_t kind, uint64_t word1);

// How one runs inside of Foundation's `start()`, in as few records as hold it. These four stand around its frame on this thread, in
// this order; the second and the third where they happen.
//
// `goes_on_to_code`: between here and `optrace_run_begin` nothing of the program's is called, and nothing can go wrong, so the start is
// told there. False where it is nested too deep for a frame of its own: then the other three tell nothing but its return.
bool optrace_run_start(optrace_operation *operation, bool goes_on_to_code);
// Its code begins. False, and nothing is told, where it is not the innermost one here, or has begun before.
bool optrace_run_begin(optrace_operation *operation);
// It is finished: its code ends, where it has begun. False, and nothing is told, where it is not the innermost one here, or was finished
// before.
bool optrace_run_finish(optrace_operation *operation);
// Its `start()` is about to return: nothing more of it comes on this thread, and its frame goes.
void optrace_run_return(optrace_operation *operation);

// ---- Who hears at once ----------------------------------------------------------------------------------------------

// An operation or a queue may have a companion: what somebody in this process keeps for it, who hears what becomes of it on
// the thread where that happens, right after its record, and stands around its code. Without one it costs one load for an event.
typedef struct {
  // `text`: of `finished_with_error`. Nothing comes after `released` and `queue_released`, and no more is told after
  // `optrace_companion_left`; a call on another thread may then still be on its way.
  void (*turned)(void *companion, uint8_t kind, const uint8_t *text, size_t length);
  // Calls `body` once.
  void (*run)(void *companion, void (*body)(void *argument), void *argument);
} optrace_companion_calls;
// The hooks have left, which told of the object. No kind of a record.
enum { optrace_companion_left = 0 };
// Once, before the first companion is given.
void optrace_companions_use(const optrace_companion_calls *calls);
// Whether somebody wants to accompany what is added to queues. Inline: it is what all others pay.
extern uint32_t optrace_companions_wanted;
static inline bool optrace_wants_companions(void) { return __atomic_load_n(&optrace_companions_wanted, __ATOMIC_RELAXED); }
void optrace_want_companions(bool wanted);
void *optrace_operation_companion(const optrace_operation *operation);
// False where it has one. `hears`: its turns; else only the last of them, and it stands around the code.
bool optrace_operation_accompany(optrace_operation *operation, void *companion, bool is_notified);
// For what is recorded past `optrace_operation_event`.
void optrace_operation_notify(const optrace_operation *operation, uint8_t kind, const uint8_t *text, size_t length);
// Calls `body` once, by its companion where it has one.
void optrace_operation_run(const optrace_operation *operation, void (*body)(void *argument), void *argument);
// Whether this thread is inside of a companion's `turned`.
bool optrace_companion_is_notified(void);

// ---- Calls that add to a queue -------------------------------------------------------------------------------------

// Around Foundation's own call that adds an operation, of several the first, or a barrier: it costs some stores, and
// leaves a record only where the call lasts, as one that never returns does. What `begin` gives back is for `end`, on the
// same thread.
typedef struct {
  optrace_recorder *recorder;  // Null: nothing was noted.
  uint64_t outer_object, outer_since;
  uint32_t outer_serial;
} optrace_adding;
optrace_adding optrace_adding_begin(optrace_recorder *recorder, const void *queue, uint32_t serial, bool is_barrier);
void optrace_adding_end(const optrace_adding *adding);

// From here on the processor time that a thread has used stands behind the records of where an operation's code begins and
// ends: one more look at a clock for each, some 200 ns.
void optrace_recorder_record_cpu(optrace_recorder *recorder);

// ---- Where threads stand -------------------------------------------------------------------------------------------

// Which stacks are walked: none; those of long waits, and of what adds an operation the program's innermost frame; whole ones.
enum { optrace_stacks_off, optrace_stacks_waits, optrace_stacks_all };
// From here on stacks are recorded. `define` gives a stack (addresses, the innermost first; from `guessed` on they are
// guessed) a number in the trace, once for each; it may lock. `context` lives as long as the process. Once for a recorder.
void optrace_recorder_use_stacks(optrace_recorder *recorder, uint32_t which, void *context,
                                 uint32_t (*define)(void *context, const uint64_t *addresses, size_t count, size_t guessed));
// Around what the program calls: `here` is that function's own `optrace_here()`, `caller` its `optrace_caller()`; 0: not known. Inside of
// another one nothing changes. What `begin` gives back is for `end`, in the same function.
bool optrace_entry_begin(optrace_start here, uint64_t caller);
void optrace_entry_end(bool has_begun);
// The number of the program's own place that called there; 0: not known, or not wanted. Some 10 ns for each frame between.
uint32_t optrace_caller_stack(optrace_recorder *recorder);

// A wait of this thread for an operation or a queue, by its number: records its beginning, and its end with where it is when
// it lasts. `begin` notes where its caller stands, who must not return before `end`.
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
// Inside: this thread's waits are recorded as ones on an operation or a queue, so what they block in is not told of.
void optrace_frame_waits(bool inside);
bool optrace_frame_is_waiting(void);

// ---- Layout --------------------------------------------------------------------------------------------------------

// A checksum as the format has them. `seed`: what it goes on from.
uint64_t optrace_checksum(uint64_t seed, const void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
