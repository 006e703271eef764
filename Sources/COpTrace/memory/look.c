// What the flusher does: it writes what the program's threads have noted, looks at the types of objects that live, and once a second at what
// the process has in memory.
#include "memory.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "../base/filter.h"
#include "../base/own_lock.h"
#include "../base/small_file.h"
#include "../base/wiped.h"
#include "../book/book.h"
#include "../records/emit.h"
#include "../records/thread_numbers.h"
#include "../stacks/peek.h"
#include "../stacks/unloaded.h"
#include "COpTraceFields.h"
#include "COpTraceHooks.h"
#include "hooks.h"
#include "sample.h"

#if OPTRACE_HAS_HOOKS

enum { busy_pause = 10000000, idle_pause = 80000000, a_second = 1000000000, most_stacks = 65536, stack_bytes = 32 << 20 };

// Of the flusher, and of whoever stops the recorder. `lock` is held while notes are taken out, and while sampling ends.
static struct {
  pthread_mutex_t lock;
  optrace_recorder *_Atomic recorder;  // Null: nothing is sampled.
  uint64_t pause, looked_at;
  uint32_t ended;  // The generation of modules whose stacks have ended.
  uint32_t tid, thread;  // Of the last sample.
} own = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool memory_is_sampled(const optrace_recorder *recorder) { return atomic_load_explicit(&own.recorder, memory_order_acquire) == recorder; }

// ---- Writing -------------------------------------------------------------------------------------------------------

static uint32_t frame_of(optrace_recorder *recorder, uint32_t stack) {
  size_t count, guessed;
  uint64_t addresses[stack_table_deepest];
  const uint64_t *found = stack_table_get(memory_stacks, stack, &count, &guessed);
  if (!found || !count || !recorder->define_sample) return 0;
  memcpy(addresses, found, count * sizeof *addresses);
  // A sample's innermost address is an instruction, and this one a return address: the call is before it.
  addresses[0]--;
  uint64_t ended = stack_table_ended(memory_stacks, stack);
  return recorder->define_sample(recorder, addresses, count, guessed, false, ended ? ended : code_now);
}

static uint32_t thread_of(optrace_recorder *recorder, uint32_t tid) {
  if (own.tid == tid && own.thread) return own.thread;
  own.tid = tid;
  return own.thread = thread_number_named(recorder, tid, false);
}

static uint64_t at_most(uint64_t value, uint64_t most) { return value < most ? value : most; }

// The block may be freed meanwhile, and its memory be another object's: the entry is taken out first, so if it is still there, it was.
static uint16_t type_at(optrace_recorder *recorder, uint64_t address, uint32_t number) {
  uint64_t word;
  if (!recorder->types || !peek_all(address, &word, sizeof word)) return 0;
  return live_is(&memory_here->live, address, number) ? recorder->types->name(recorder, word) : 0;
}

static const uint64_t largest_size = ((uint64_t)1 << 40) - 1;

static void write_note(optrace_recorder *recorder, const memory_note *note) {
  switch (note->kind) {
    case note_allocated: {
      uint32_t frame = frame_of(recorder, note->stack);
      optrace_allocated_fields fields = {.size = at_most(note->size, largest_size), .thread = thread_of(recorder, note->tid),
                                         .number = note->number, .call = note->call, .object = note->is_object};
      uint64_t words[] = {optrace_allocated_word1(fields), optrace_allocated_word2(fields)};
      emit_aged(recorder, optrace_kind_allocated, frame, words, 2, (age_place){.since = note->ticks, .word = 1, .shift = 37, .bits = 27});
      return;
    }
    case note_freed: {
      uint64_t word = optrace_freed_word1((optrace_freed_fields){.class_ = recorder->types ? recorder->types->name(recorder, note->size) : 0});
      emit_aged(recorder, optrace_kind_freed, note->number, &word, 1, (age_place){.since = note->ticks, .word = 0, .shift = 24, .bits = 40});
      return;
    }
    case note_resized: {
      uint64_t word = optrace_resized_word1((optrace_resized_fields){.size = at_most(note->size, largest_size)});
      emit_aged(recorder, optrace_kind_resized, note->number, &word, 1, (age_place){.since = note->ticks, .word = 0, .shift = 40, .bits = 24});
      return;
    }
    default: return;
  }
}

static void end_unloaded_stacks(const optrace_recorder *recorder) {
  if (own.ended == modules_generation()) return;
  unloaded_modules unloaded;
  modules_find_unloaded(own.ended, &unloaded);
  stack_table_end(memory_stacks, &unloaded);
  own.ended = unloaded.generation;
  // A type may have been a library's that is gone.
  if (recorder->types) recorder->types->forget();
}

// The caller holds the lock. Not for ever: while the program allocates faster than this writes, other sources wait.
static bool drain(optrace_recorder *recorder) {
  memory_note note;
  uint32_t count = 0;
  own.tid = own.thread = 0;
  for (; count < 4 * notes_most && notes_take(&memory_here->notes, &note); count++) write_note(recorder, &note);
  return count;
}

// ---- Once a second -------------------------------------------------------------------------------------------------

static uint64_t status_number(const char *status, const char *name) {
  const char *line = strstr(status, name);
  return line ? strtoull(line + strlen(name), NULL, 10) : 0;
}

static void write_use(optrace_recorder *recorder) {
  char status[4096];
  if (!small_file_read("/proc/self/status", status, sizeof status)) return;
  optrace_memory_use_fields fields = {
    .resident = (uint32_t)at_most(status_number(status, "\nVmRSS:"), UINT32_MAX),
    .anonymous = (uint32_t)at_most(status_number(status, "\nRssAnon:"), UINT32_MAX),
    .peak = (uint32_t)at_most(status_number(status, "\nVmHWM:"), UINT32_MAX),
    .lost = atomic_load_explicit(&memory_here->lost, memory_order_relaxed)};
  optrace_emit3(recorder, optrace_kind_memory_use, 0, optrace_memory_use_word1(fields), optrace_memory_use_word2(fields));
}

// ---- Rings ---------------------------------------------------------------------------------------------------------

// A ring forgets what is old, and so that a block was allocated. Those that live are written again before half of what the ring holds has
// been overwritten, so that the newer half of it knows all that live.
static struct {
  uint64_t older_than;  // Ticks; 0: nothing is written.
  uint64_t now;
  uint32_t room;        // How many may be written now.
} retelling;

static void prepare_retelling(optrace_recorder *recorder) {
  enum { record_bytes = 200 };
  retelling.older_than = 0;
  uint64_t complete = recorder->options.ring ? atomic_load_explicit(header_word(recorder, optrace_header_complete_since), memory_order_relaxed) : 0;
  if (!complete) return;
  retelling.now = recorder_now(recorder);
  uint64_t held = retelling.now > complete ? retelling.now - complete : 0;
  retelling.older_than = retelling.now - held / 2;
  // An eighth of the ring, spread over the time that it holds.
  double seconds = (double)held / (double)(recorder->use_counter ? optrace_clock_frequency() : a_second);
  double room = (double)recorder->mapped / 8 / record_bytes / (seconds > 1 ? seconds : 1) * 2;
  retelling.room = (uint32_t)at_most((uint64_t)room + 1, live_most);
}

static void retell(optrace_recorder *recorder, uint64_t address, const live_block *block, live_block *original) {
  uint64_t told = atomic_load_explicit(&block->told, memory_order_relaxed);
  if (!retelling.older_than || (told ? told : block->ticks) >= retelling.older_than) return;
  if (!retelling.room) {
    atomic_fetch_add_explicit(&memory_here->lost, 1, memory_order_relaxed);
    return;
  }
  retelling.room--;
  double age = (double)(retelling.now - block->ticks) / (double)(recorder->use_counter ? optrace_clock_frequency() : a_second);
  uint32_t frame = frame_of(recorder, block->stack), thread = thread_of(recorder, block->tid);
  optrace_allocation_lives_fields fields = {
    .size = at_most(block->size, largest_size), .lived = (uint32_t)at_most((uint64_t)(age * 100), 0xFFFFFF), .number = block->number,
    .class_ = block->is_object ? type_at(recorder, address, block->number) : 0, .thread = thread <= UINT16_MAX ? (uint16_t)thread : 0};
  optrace_emit3(recorder, optrace_kind_allocation_lives, frame, optrace_allocation_lives_word1(fields), optrace_allocation_lives_word2(fields));
  atomic_store_explicit(&original->told, retelling.now, memory_order_relaxed);
}

static void look_at_block(void *context, uint64_t address, const live_block *block, live_block *original) {
  optrace_recorder *recorder = context;
  if (address) retell(recorder, address, block, original);
  if (!address) {
    uint64_t word = 0;
    return emit_aged(recorder, optrace_kind_freed, block->number, &word, 1, (age_place){.since = UINT64_MAX, .shift = 24, .bits = 40});
  }
  if (!block->is_object || atomic_load_explicit(&block->is_typed, memory_order_relaxed)) return;
  uint16_t name = type_at(recorder, address, block->number);
  if (!name) return;
  atomic_store_explicit(&original->is_typed, true, memory_order_relaxed);
  optrace_emit2(recorder, optrace_kind_allocation_class, block->number,
                optrace_allocation_class_word1((optrace_allocation_class_fields){.class_ = name}));
}

static void describe(optrace_recorder *recorder, uint16_t refused) {
  optrace_memory_fields fields = {.interval = refused ? 0 : atomic_load(&memory_here->interval), .allocator = memory_hooks_allocator(),
                                  .refused = refused, .room = live_most};
  optrace_define(recorder, optrace_kind_memory, 0, optrace_memory_word1(fields), optrace_memory_word2(fields), NULL, 0);
}

// When the table is three quarters full, only half as many bytes are chosen from now on. What lives keeps its chance.
static void widen(optrace_recorder *recorder) {
  static uint32_t widened_at;
  uint32_t count = atomic_load_explicit(&memory_here->live.count, memory_order_relaxed);
  if (count < live_most / 4 * 3) widened_at = 0;
  if (count < live_most / 4 * 3 || count < widened_at + live_most / 32) return;
  widened_at = count;
  atomic_store(&memory_here->interval, atomic_load(&memory_here->interval) * 2);
  describe(recorder, 0);
}

static void look(optrace_recorder *recorder, uint64_t now) {
  write_use(recorder);
  prepare_retelling(recorder);
  live_visit(&memory_here->live, look_at_block, recorder);
  own.looked_at = now;
}

// ---- A source of the flusher ---------------------------------------------------------------------------------------

bool memory_drain(optrace_recorder *recorder, flusher_beat beat) {
  (void)beat;
  if (!memory_is_sampled(recorder) || pthread_mutex_trylock(&own.lock) != 0) return false;
  countdown_here.is_quiet = true;
  bool has_written = false;
  if (memory_is_sampled(recorder)) {
    modules_refresh();
    end_unloaded_stacks(recorder);
    has_written = drain(recorder);
    widen(recorder);
    own.pause = has_written ? busy_pause : at_most(own.pause * 2, idle_pause);
    uint64_t now = optrace_clock_monotonic();
    if (now - own.looked_at >= a_second) look(recorder, now), has_written = true;
  }
  pthread_mutex_unlock(&own.lock);
  return has_written;
}

uint64_t memory_due(optrace_recorder *recorder, uint64_t now) { return memory_is_sampled(recorder) ? now + own.pause : UINT64_MAX; }

void memory_before_unload(void) {
  optrace_recorder *recorder = atomic_load_explicit(&own.recorder, memory_order_acquire);
  if (!recorder || pthread_mutex_trylock(&own.lock) != 0) return;
  bool was = countdown_here.is_inside;
  countdown_here.is_inside = true;
  if (memory_is_sampled(recorder)) drain(recorder);
  countdown_here.is_inside = was;
  pthread_mutex_unlock(&own.lock);
}

void memory_after_unload(void) {
  const optrace_recorder *recorder = atomic_load_explicit(&own.recorder, memory_order_acquire);
  if (!recorder || pthread_mutex_trylock(&own.lock) != 0) return;
  if (memory_is_sampled(recorder)) end_unloaded_stacks(recorder);
  pthread_mutex_unlock(&own.lock);
}

// ---- Beginning and ending --------------------------------------------------------------------------------------------

static bool make_room(void) {
  memory_state *state = memory_here ? memory_here : wiped_pages(sizeof *state);
  if (state && !memory_stacks) memory_stacks = stack_table_create(most_stacks, stack_bytes);
  memory_here = state;
  return state && memory_stacks;
}

static void find_code(void) {
  book_entry found;
  enum { usual_size = 96 };
  memory_here->object_low = memory_here->object_high = 0;
  if (book_look_up("swift_allocObject", &found)) {
    memory_here->object_low = (uint64_t)(uintptr_t)found.address;
    memory_here->object_high = memory_here->object_low + (found.size ? found.size : usual_size);
  }
  const module *library = module_at(module_of((uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "getline")));
  memory_here->library_low = library ? library->low : 0;
  memory_here->library_high = library ? library->high : 0;
}

static const char *const refusals[] = {
  [memory_has_sanitizer] = "a sanitizer has its own allocator",
  [memory_links_allocator] = "its allocator is linked into the program",
  [memory_has_no_room] = "there is no memory for what is sampled",
};

const char *memory_begin(optrace_recorder *recorder, uint64_t interval) {
  if (!optrace_recorder_is_recording(recorder)) return NULL;
  const optrace_recorder *other = atomic_load(&own.recorder);
  if (other) return other == recorder ? NULL : "another recorder samples it";
  memory_obstacle obstacle = memory_hooks_prepare();
  if (!obstacle && !make_room()) obstacle = memory_has_no_room;
  if (obstacle) {
    describe(recorder, (uint16_t)obstacle);
    return refusals[obstacle];
  }
  modules_refresh();
  find_code();
  if (recorder->types) recorder->types->begin();
  own_lock(&own.lock);
  own.ended = modules_generation();
  own.pause = busy_pause;
  own.looked_at = optrace_clock_monotonic();
  memory_here->use_counter = recorder->use_counter;
  atomic_store(&memory_here->interval, interval);
  atomic_store(&memory_here->lost, 0);
  describe(recorder, 0);
  write_use(recorder);
  atomic_store(&own.recorder, recorder);
  pthread_mutex_unlock(&own.lock);
  // Before the first call is heard: a thread that finds nothing sampled does not ask again for long.
  atomic_store_explicit(&memory_here->is_open, 1, memory_order_release);
  return NULL;
}

void memory_stop(optrace_recorder *recorder) {
  if (!recorder->base || !memory_is_sampled(recorder)) return;
  bool was = countdown_here.is_inside;
  countdown_here.is_inside = true;
  own_lock(&own.lock);
  if (memory_is_sampled(recorder)) {
    atomic_store(&memory_here->is_open, 0);
    drain(recorder);
    look(recorder, optrace_clock_monotonic());
    atomic_store(&own.recorder, NULL);
    live_clear(&memory_here->live);
  }
  pthread_mutex_unlock(&own.lock);
  countdown_here.is_inside = was;
}

#else

bool memory_is_sampled(const optrace_recorder *recorder) { return (void)recorder, false; }
bool memory_drain(optrace_recorder *recorder, flusher_beat beat) { return (void)recorder, (void)beat, false; }
uint64_t memory_due(optrace_recorder *recorder, uint64_t now) { return (void)recorder, (void)now, UINT64_MAX; }
void memory_before_unload(void) {}
void memory_after_unload(void) {}
void memory_stop(optrace_recorder *recorder) { (void)recorder; }

#endif
