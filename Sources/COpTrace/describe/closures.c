// A closure is a function and a context. The function receives the context in the register of `self`. The context is an object of the
// Swift runtime. Its metadata contains the function that frees it, and marks it as no instance of a class.
#include "closures.h"

#include "../objects/fields.h"
#include "../objects/layout.h"

#if OPTRACE_HAS_HOOKS
#include <string.h>

static bool is_proven;

static closure none(void) { return (closure){NULL, NULL}; }

static void *make(const context_metadata *metadata, size_t size) {
  void *object = runtime_allocate(&metadata->kind, size);
  if (object) memset((uint64_t *)object + object_header_words, 0, size - object_header_words * sizeof(uint64_t));
  return object;
}

// ---- Closures that call C ------------------------------------------------------------------------------------------

typedef struct {
  uint64_t header[object_header_words];
  const optrace_closure_kind *kind;
  uint64_t words[optrace_closure_words];
} c_context;

static SWIFT void c_free(SELF) {
  c_context *own = self;
  own->kind->end(own->words);
  runtime_free(own, sizeof *own);
}

static SWIFT void c_run(SELF) {
  c_context *own = self;
  own->kind->run(own->words);
}

static const context_metadata c_metadata = {.free = (void *)c_free, .kind = kind_of_contexts, .first_capture = 16};

bool closure_make(const optrace_closure_kind *kind, uint64_t **words, void **function, void **context) {
  c_context *own = is_proven ? make(&c_metadata, sizeof *own) : NULL;
  if (!own) return false;
  own->kind = kind;
  // Objects do not move.
  *words = own->words;
  *function = (void *)c_run;
  *context = own;
  return true;
}

// ---- The functions of block operations -----------------------------------------------------------------------------

static const void *block_class;
static uint32_t block_offset;

bool is_block_operation(const void *metadata) {
  for (; metadata && block_class; metadata = ((const class_metadata *)metadata)->superclass)
    if (metadata == block_class) return true;
  return false;
}

uint64_t block_function(void *operation) {
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

static const context_metadata trial_metadata = {.free = (void *)trial_free, .kind = kind_of_contexts, .first_capture = 16};

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
