// A closure is a function and a context. The function receives the context in the register of `self`. The context is an object of the
// Swift runtime. Its metadata contains the function that frees it, and marks it as no instance of a class
// (include/swift/ABI/Metadata.h in the Swift repository).
#include "closures.h"

#include "../hooks/fields.h"
#include "../hooks/layout.h"

#if OPTRACE_HAS_HOOKS
#include <string.h>

// The metadata of all contexts of one kind. The runtime's pointer to it points to `kind`.
typedef struct {
  closure_function free;
  const void *witnesses;
  uintptr_t kind;
  uint32_t first_capture;
  const char *captures;
} context_metadata;

enum { kind_of_contexts = 0x400, object_header_words = 2 };

static bool is_proven;

static closure none(void) { return (closure){NULL, NULL}; }

static void *make(const context_metadata *metadata, size_t size) {
  void *object = runtime_allocate(&metadata->kind, size);
  if (object) memset((uint64_t *)object + object_header_words, 0, size - object_header_words * sizeof(uint64_t));
  return object;
}

static void keep(closure *to, closure block) {
  *to = block;
  runtime_retain(block.context);
}

// ---- Completion blocks ---------------------------------------------------------------------------------------------

typedef struct {
  uint64_t header[object_header_words];
  closure block;
  optrace_recorder *core;
  uint32_t serial;
} completion;

static SWIFT void completion_free(SELF) {
  completion *own = self;
  runtime_release(own->block.context);
  runtime_free(own, sizeof *own);
}

static SWIFT void completion_run(SELF) {
  completion *own = self;
  optrace_emit1(own->core, optrace_kind_completion_began, own->serial);
  own->block.function(own->block.context);
  optrace_emit1(own->core, optrace_kind_completion_ended, own->serial);
}

static const context_metadata completion_metadata = {.free = completion_free, .kind = kind_of_contexts, .first_capture = 16};

closure completion_closure(optrace_operation *operation, closure block) {
  optrace_recorder *core = optrace_operation_recorder(operation);
  completion *own = core && is_proven ? make(&completion_metadata, sizeof *own) : NULL;
  if (!own) return none();
  keep(&own->block, block);
  own->core = core;
  own->serial = optrace_operation_serial(operation);
  optrace_operation_event(operation, optrace_kind_completion_queued);
  return (closure){completion_run, own};
}

// ---- Barrier blocks ------------------------------------------------------------------------------------------------

typedef struct {
  uint64_t header[object_header_words];
  closure block;
  optrace_operation *operation;
  uint64_t words[optrace_operation_words];
  bool has_run;  // Set when the block runs, at most once. Read when the context is freed, which is later.
} barrier;

static SWIFT void barrier_free(SELF) {
  barrier *own = self;
  if (!own->has_run) {
    optrace_operation_event(own->operation, optrace_kind_cancel_requested);
    optrace_operation_event(own->operation, optrace_kind_finished);
  }
  if (!optrace_operation_is_silent(own->operation)) optrace_operation_event(own->operation, optrace_kind_released);
  runtime_release(own->block.context);
  runtime_free(own, sizeof *own);
}

static void call(void *argument) {
  const closure *block = argument;
  block->function(block->context);
}

static SWIFT void barrier_run(SELF) {
  barrier *own = self;
  own->has_run = true;
  optrace_run_start(own->operation, true);
  optrace_run_begin(own->operation);
  optrace_frame_set_phase(optrace_phase_block);
  optrace_operation_run(own->operation, call, &own->block);
  optrace_frame_set_phase(optrace_phase_executing);
  optrace_run_finish(own->operation);
  optrace_run_return(own->operation);
}

static const context_metadata barrier_metadata = {.free = barrier_free, .kind = kind_of_contexts, .first_capture = 16};

closure barrier_closure(closure block, optrace_operation **operation) {
  barrier *own = is_proven ? make(&barrier_metadata, sizeof *own) : NULL;
  if (!own) return none();
  keep(&own->block, block);
  // The entry may be inside the context, because objects do not move.
  *operation = own->operation = optrace_operation_init_in(own->words);
  return (closure){barrier_run, own};
}

// ---- The functions of block operations -----------------------------------------------------------------------------

static const void *block_class;
static uint32_t block_offset;

bool is_block_operation(const void *metadata) {
  for (; metadata && block_class; metadata = ((const class_metadata *)metadata)->superclass)
    if (metadata == block_class) return true;
  return false;
}

uint64_t block_function(const void *operation) {
  uint64_t function = 0;
  // The first word of a closure is its function. It is 0 for a plain block operation without a block.
  if (block_offset) memcpy(&function, (const uint8_t *)operation + block_offset, sizeof function);
  return function;
}

// ---- Proof ---------------------------------------------------------------------------------------------------------

typedef struct {
  uint64_t header[object_header_words];
  uint32_t *runs, *frees;
} trial;

static SWIFT void trial_free(SELF) {
  trial *own = self;
  *own->frees += 1;
  runtime_free(own, sizeof *own);
}

static SWIFT void trial_run(SELF) { *((trial *)self)->runs += 1; }

static const context_metadata trial_metadata = {.free = trial_free, .kind = kind_of_contexts, .first_capture = 16};

// Gives a closure to a Foundation operation, which must keep it at the expected offset, run it once and free it.
static const char *prove(void) {
  // Only an offset that was verified is used.
  const uint32_t expected = block_offset;
  block_offset = 0;
  SWIFT void *(*make_operation)(closure_function, void *, SELF) =
    (SWIFT void *(*)(closure_function, void *, SELF))runtime_find("$s10Foundation14BlockOperationC5blockACyyYbc_tcfC");
  method run = (method)runtime_find("$s10Foundation14BlockOperationC4mainyyF");
  if (!make_operation || !run || !block_class) return "this Foundation has no BlockOperation with known functions";
  uint32_t runs = 0, frees = 0, runs_before, frees_before;
  trial *own = make(&trial_metadata, sizeof *own);
  if (!own) return "the Swift runtime gives no memory";
  own->runs = &runs;
  own->frees = &frees;
  void *operation = make_operation(trial_run, own, (void *)(uintptr_t)block_class);
  closure kept = none();
  if (operation && expected) memcpy(&kept, (const uint8_t *)operation + expected, sizeof kept);
  if (kept.function == trial_run && kept.context == own) block_offset = expected;
  // So far the operation must have kept the closure, and neither run nor freed it.
  runs_before = runs;
  frees_before = frees;
  if (operation) run(operation);
  runtime_release(operation);
  is_proven = !runs_before && !frees_before && runs == 1 && frees == 1;
  if (!is_proven) return "this Swift runtime keeps closures in another way";
  return block_offset ? NULL : "this Foundation keeps the block of a BlockOperation elsewhere";
}

const char *closures_prove(void) {
  block_class = runtime_find("$s10Foundation14BlockOperationCN");
  if (block_class && !is_class(block_class, runtime_find("$s10Foundation9OperationCN"))) block_class = NULL;
  if (block_class) block_offset = class_field_offset(block_class, "_block");
  return prove();
}
#endif
