#include "report.h"

#include "../describe/released.h"
#include "../objects/arrays.h"
#include "../objects/asked.h"
#include "../objects/readers.h"
#include "../objects/state.h"
#include "COpTraceBegin.h"
#include "COpTraceFields.h"

#if OPTRACE_HAS_HOOKS

static optrace_recorder *recording(optrace_recorder *core) {
  return core && optrace_recorder_is_recording(core) ? core : NULL;
}

static optrace_recorder *watching(void) { return recording(hooks_watching_core()); }

// ---- Operations ----------------------------------------------------------------------------------------------------

void report_met(void *operation, bool is_running) {
  const optrace_operation *own = own_entry(operation);
  optrace_recorder *core = recording(optrace_operation_owner(own ? own : optrace_object_find(operation)));
  // Our own operations go to the default recorder, as they do if they record their start themselves.
  if (!core) core = own ? recording(readers.fallback()) : watching();
  if (core) optrace_introduce(core, operation, is_running ? optrace_sight_running : optrace_sight_started);
}

typedef struct {
  void *operation, *dependencies;
} unmet;

static void describe_unmet(void *context, int64_t number, const uint8_t *text, size_t length) {
  (void)number;
  const unmet *u = context;
  released_unmet(u->operation, NULL, text, length, array_elements(u->dependencies), array_count(u->dependencies));
}

void report_unmet(void *operation) {
  uint64_t name[2];
  unmet u = {.operation = operation};
  // Foundation's own values: overrides are the program's code, and parts of the object may be gone.
  if (!asked_operation(operation, name, &u.dependencies)) return;
  // Consumes the name.
  readers.take_text(name[0], name[1], &u, describe_unmet);
  readers.release(u.dependencies);
}

typedef struct {
  const optrace_operation *operation;
  uint8_t kind;
} change;

static void record_change(void *context, int64_t number, const uint8_t *text, size_t length) {
  const change *c = context;
  optrace_recorder *core = optrace_operation_recorder(c->operation);
  if (c->kind != optrace_kind_operation_named) return optrace_operation_event2(c->operation, c->kind, (uint64_t)number);
  if (core && text)
    optrace_emit_text(core, c->kind, optrace_operation_serial(c->operation), 0, false, 0, text, optrace_text_length(text, length));
}

void report_operation_change(const optrace_operation *operation, uint8_t kind, const void *value) {
  readers.read_value(kind, value, &(change){operation, kind}, record_change);
}

// ---- Closures ------------------------------------------------------------------------------------------------------

static closure make(const optrace_closure_kind *kind, uint64_t **words) {
  closure made = {0};
  return readers.make_closure(kind, words, &made.function, &made.context) ? made : (closure){0};
}

static closure keep(closure block) {
  if (block.context) readers.retain(block.context);
  return block;
}

static void let_go(closure block) {
  if (block.context) readers.release(block.context);
}

static void run(closure block) { ((method)block.function)(block.context); }

typedef struct {
  closure block;
  optrace_completion completion;
} completion;
_Static_assert(sizeof(completion) <= optrace_closure_words * sizeof(uint64_t), "a closure has room for it");

static void completion_run(void *words) {
  const completion *own = words;
  optrace_completion_begins(own->completion);
  run(own->block);
  optrace_completion_ends(own->completion);
}

static void completion_end(void *words) { let_go(((const completion *)words)->block); }

closure report_completion(const optrace_operation *operation, closure block) {
  static const optrace_closure_kind kind = {completion_run, completion_end};
  uint64_t *words;
  if (!optrace_operation_recorder(operation)) return (closure){0};
  closure made = make(&kind, &words);
  if (!made.function) return made;
  completion *own = (completion *)(void *)words;
  own->block = keep(block);
  optrace_completion_is_queued(operation, &own->completion);
  return made;
}

typedef struct {
  closure block;
  // Inside the closure's memory, because objects do not move.
  uint64_t entry[optrace_operation_words];
  optrace_operation *operation;
  bool has_run;  // Set when the block runs, at most once. Read when the closure is released, which is later.
} barrier;
_Static_assert(sizeof(barrier) <= optrace_closure_words * sizeof(uint64_t), "a closure has room for it");

static void run_block(void *argument) { run(*(const closure *)argument); }

static void barrier_run(void *words) {
  barrier *own = words;
  own->has_run = true;
  optrace_barrier_begins(own->operation);
  optrace_operation_run(own->operation, run_block, &own->block);
  optrace_barrier_ends(own->operation);
}

static void barrier_end(void *words) {
  const barrier *own = words;
  optrace_barrier_is_released(own->operation, own->has_run);
  let_go(own->block);
}

// ---- Queues --------------------------------------------------------------------------------------------------------

uint32_t report_queue(void *queue, optrace_recorder **core) {
  *core = watching();
  return *core ? optrace_queue_introduce(*core, queue, optrace_object_know(queue, true)) : 0;
}

static uint32_t add(optrace_recorder *core, void *queue, void *operation) {
  return optrace_add(core, operation, NULL, NULL, queue, optrace_object_know(queue, true)).serial;
}

static optrace_adding begin_adding(optrace_recorder *core, void *queue, uint32_t serial, bool is_barrier) {
  return serial ? optrace_adding_begin(core, queue, serial, is_barrier) : (optrace_adding){0};
}

optrace_adding report_add(void *queue, void *operation) {
  optrace_recorder *core = watching();
  return core ? begin_adding(core, queue, add(core, queue, operation), false) : (optrace_adding){0};
}

optrace_adding report_add_all(void *queue, void *operations) {
  optrace_recorder *core = watching();
  uint32_t first = 0;
  for (size_t i = 0; core && i < array_count(operations); i++) {
    uint32_t serial = add(core, queue, array_object(operations, i));
    if (!first) first = serial;
  }
  return begin_adding(core, queue, first, false);
}

closure report_barrier(void *queue, closure block, optrace_adding *adding) {
  static const optrace_closure_kind kind = {barrier_run, barrier_end};
  uint64_t *words;
  optrace_recorder *core;
  if (!report_queue(queue, &core)) return (closure){0};
  closure made = make(&kind, &words);
  if (!made.function) return made;
  barrier *own = (barrier *)(void *)words;
  own->block = keep(block);
  own->operation = optrace_operation_init_in(own->entry);
  uint32_t serial = optrace_barrier_add(core, own->operation, (uint64_t)(uintptr_t)block.function, queue,
                                        optrace_object_know(queue, true));
  *adding = begin_adding(core, queue, serial, true);
  return made;
}

void report_queue_event(void *queue, uint8_t kind) {
  optrace_recorder *core;
  uint32_t number = report_queue(queue, &core);
  if (number) optrace_emit1(core, kind, number);
}

static void record_queue_change(optrace_recorder *core, void *queue, uint32_t queue_number, uint8_t kind, int64_t number,
                                const uint8_t *text, size_t length) {
  if (kind == optrace_kind_queue_renamed)
    optrace_emit_text(core, kind, queue_number, 0, false, 0, text, optrace_text_length(text, length));
  else optrace_emit2(core, kind, queue_number, (uint64_t)number);
  if (optrace_wants_companions()) optrace_queue_changes(optrace_object_find(queue), kind, number, text, length);
}

typedef struct {
  void *queue;
  uint8_t kind;
} queue_change;

static void take_queue_change(void *context, int64_t number, const uint8_t *text, size_t length) {
  const queue_change *c = context;
  optrace_recorder *core;
  uint32_t queue_number = report_queue(c->queue, &core);
  if (queue_number) record_queue_change(core, c->queue, queue_number, c->kind, number, text, length);
}

void report_queue_change(void *queue, uint8_t kind, const void *value) {
  readers.read_value(kind, value, &(queue_change){queue, kind}, take_queue_change);
}

void report_limit(void *queue, int64_t limit) {
  take_queue_change(&(queue_change){queue, optrace_kind_limit_changed}, limit, NULL, 0);
}
#endif
