// Hooks of dispatch queues: who submits each block, and when and where it runs. Each hook makes the original call once. What is
// submitted is wrapped, so that its run is recorded.
//
// The copy of an ordinary block stores its number in a reserved field, and is submitted as a function with a context, as libdispatch
// itself does. If that is not possible, the block is wrapped in a block of ours. A block of `dispatch_block_create` must be submitted
// unchanged, or it would lose its flags and could not be cancelled; so what it runs is wrapped when it is created (`items.c`). What
// system libraries submit is not recorded.
#include "dispatch.h"

#include "../dispatch/queues.h"
#include "../dispatch/submitted.h"
#include "../objects/state.h"
#include "../operations/frames.h"
#include "../records/emit.h"
#include "../records/stack_ids.h"
#include "../stacks/events.h"
#include "../stacks/modules.h"
#include "blocks.h"
#include "items.h"
#include "tasks.h"
#include "timers.h"

#if OPTRACE_HAS_HOOKS
#include <stdlib.h>

enum {
  index_async, index_barrier_async, index_group_async, index_group_notify, index_after, index_async_f, index_barrier_async_f,
  index_group_async_f, index_group_notify_f, index_after_f, index_apply, index_block_create, index_block_create_with_qos_class,
  index_block_cancel, index_block_notify, index_source_create, index_source_set_event_handler,
  index_source_set_cancel_handler,
};

static ORDERED_BY_EXCHANGE void *real(uint32_t index) { return dispatch_imports[index].real; }

// ---- What is submitted ---------------------------------------------------------------------------------------------

// A block that runs another one. `number` 0: it is not a submission of its own, and what it runs belongs to `inside`.
typedef struct {
  block head;
  const block *body;
  optrace_recorder *recorder;
  uint32_t number;
  _Atomic uint32_t has_run;
} caught;

static void caught_copy(void *to, const void *from) { ((caught *)to)->body = block_copy(((const caught *)from)->body); }

static void caught_dispose(const void *block) {
  const caught *c = block;
  if (!atomic_load_explicit(&c->has_run, memory_order_relaxed)) submitted_dropped(c->recorder, c->number);
  block_release(c->body);
}

static void run_caught(void *block) {
  caught *c = block;
  atomic_store_explicit(&c->has_run, 1, memory_order_relaxed);
  submitted_begins(c->recorder, c->number);
  c->body->invoke((void *)(uintptr_t)c->body);
  submitted_ends(c->recorder, c->number);
}

static const block_descriptor caught_descriptor = {0, sizeof(caught), caught_copy, caught_dispose};

// The recorder of blocks that store their number: the first one of the process.
static optrace_recorder *_Atomic marking;

// Makes the copy that libdispatch would make, and stores the number in it. Null: the block already has a number, because it was submitted
// before and has not run; or it is read-only; or this is not the first recorder.
static block *marked(optrace_recorder *recorder, const block *body, uint32_t number) {
  uint32_t none = 0;
  if (body->flags & block_is_global) return NULL;
  optrace_recorder *first = atomic_load_explicit(&marking, memory_order_acquire);
  if (!first && atomic_compare_exchange_strong_explicit(&marking, &first, recorder, memory_order_acq_rel, memory_order_acquire))
    first = recorder;
  if (first != recorder) return NULL;
  block *copied = block_copy(body);
  if (!copied) return NULL;
  if (atomic_compare_exchange_strong_explicit(&copied->reserved, &none, number, memory_order_acq_rel, memory_order_relaxed)) return copied;
  block_release(copied);
  return NULL;
}

static void run_marked(void *context) {
  block *body = context;
  optrace_recorder *recorder = atomic_load_explicit(&marking, memory_order_acquire);
  // Another thread may submit the same block at this moment, but it stores its number only if there is none.
  uint32_t number = atomic_load_explicit(&body->reserved, memory_order_acquire);
  atomic_store_explicit(&body->reserved, 0, memory_order_release);
  submitted_begins(recorder, number);
  body->invoke(body);
  submitted_ends(recorder, number);
  block_release(body);
}

static block *unmarked(optrace_recorder *recorder, const block *body, uint32_t number) {
  (void)recorder, (void)body, (void)number;
  return NULL;
}

// Calls `call_function` with the block that stores its number, or `call` with a block that is submitted as it is.
#define SUBMIT_BLOCK(queue, body, how, call, mark, call_function)                                                  \
  optrace_recorder *recorder = submission_recorder();                                                              \
  const block *own = body;                                                                                         \
  if (!recorder || !own) { call(body); return; }                                                                   \
  if (block_is_special(own)) {                                                                                     \
    item_submitted(recorder, own, queue, how, optrace_here());                                                     \
    call(body);                                                                                                    \
    return;                                                                                                        \
  }                                                                                                                \
  uint64_t code = block_code(own);                                                                                 \
  if (!block_code_is_programs(code)) { call(body); return; }                                                       \
  uint32_t number = submitted(recorder, queue, how, code, optrace_here());                                         \
  if (!number) { call(body); return; }                                                                             \
  block *copied = mark(recorder, own, number);                                                                     \
  if (copied) { call_function(copied); return; }                                                                   \
  caught wrapped = {block_on_stack(run_caught, &caught_descriptor), own, recorder, number, 0};                     \
  call(&wrapped)

#define AS_IT_IS(body) ((void (*)(void *, const void *))real(index))(queue, body)
#define BY_FUNCTION(body) ((void (*)(void *, void *, function))real(index_f))(queue, body, run_marked)
static inline __attribute__((always_inline))
void submit_block(uint32_t index, uint32_t index_f, void *queue, void *body, uint32_t how) {
  SUBMIT_BLOCK(queue, body, how, AS_IT_IS, marked, BY_FUNCTION);
}
#undef AS_IT_IS
#undef BY_FUNCTION

static void hook_async(void *queue, void *body) { submit_block(index_async, index_async_f, queue, body, submitted_async); }
static void hook_barrier_async(void *queue, void *body) {
  submit_block(index_barrier_async, index_barrier_async_f, queue, body, submitted_barrier);
}

#define AS_IT_IS(body) ((void (*)(void *, void *, const void *))real(index))(group, queue, body)
#define BY_FUNCTION(body) ((void (*)(void *, void *, void *, function))real(index_f))(group, queue, body, run_marked)
static inline __attribute__((always_inline))
void submit_in_group(uint32_t index, uint32_t index_f, void *group, void *queue, void *body, uint32_t how) {
  SUBMIT_BLOCK(queue, body, how, AS_IT_IS, marked, BY_FUNCTION);
}
#undef AS_IT_IS
#undef BY_FUNCTION

static void hook_group_async(void *group, void *queue, void *body) {
  submit_in_group(index_group_async, index_group_async_f, group, queue, body, submitted_async | submitted_in_group);
}

static void hook_group_notify(void *group, void *queue, void *body) {
  submit_in_group(index_group_notify, index_group_notify_f, group, queue, body, submitted_notify);
}

#define AS_IT_IS(body) ((void (*)(void *, void *, const void *))real(index_block_notify))(item, queue, body)
#define BY_FUNCTION(body) (void)body
static void hook_block_notify(void *item, void *queue, void *body) {
  SUBMIT_BLOCK(queue, body, submitted_notify, AS_IT_IS, unmarked, BY_FUNCTION);
}
#undef AS_IT_IS
#undef BY_FUNCTION

#define AS_IT_IS(body) ((void (*)(uint64_t, void *, const void *))real(index_after))(when, queue, body)
#define BY_FUNCTION(body) ((void (*)(uint64_t, void *, void *, function))real(index_after_f))(when, queue, body, run_marked)
static void hook_after(uint64_t when, void *queue, void *body) {
  // Timers of system libraries are not recorded.
  if (!body || !block_code_is_programs(block_code(body))) events_timer_made();
  SUBMIT_BLOCK(queue, body, submitted_after, AS_IT_IS, marked, BY_FUNCTION);
}
#undef AS_IT_IS
#undef BY_FUNCTION

// ---- Functions -----------------------------------------------------------------------------------------------------

typedef struct {
  function run;
  void *context;
  optrace_recorder *recorder;
  uint32_t number;
} called;

static void run_called(void *context) {
  called c = *(called *)context;
  free(context);
  submitted_begins(c.recorder, c.number);
  c.run(c.context);
  submitted_ends(c.recorder, c.number);
}

// Whether to record the submission of a function. If this recorder is linked into the program, the function with which it runs tasks'
// jobs is the program's code by its address, too, so it is excluded.
static bool is_programs(function run) { return module_is_own((uint64_t)(uintptr_t)run) && !tasks_run_by(run); }

// Null: the function is submitted as it is.
static inline __attribute__((always_inline)) called *call_of(void *queue, void *context, function run, uint32_t how) {
  optrace_recorder *recorder = submission_recorder();
  if (!recorder || !is_programs(run)) return NULL;
  called *made = malloc(sizeof *made);
  if (!made) return NULL;
  *made = (called){run, context, recorder, submitted(recorder, queue, how, (uint64_t)(uintptr_t)run, optrace_here())};
  if (made->number) return made;
  free(made);
  return NULL;
}

#define SUBMIT_FUNCTION(how, type, ...)                                                     \
  called *made = call_of(queue, context, run, how);                                         \
  type(__VA_ARGS__ made ? (void *)made : context, made ? run_called : run)

#define PLAIN(index) ((void (*)(void *, void *, function))real(index))
#define GROUPED(index) ((void (*)(void *, void *, void *, function))real(index))
static void hook_async_f(void *queue, void *context, function run) {
  SUBMIT_FUNCTION(submitted_async, PLAIN(index_async_f), queue, );
}
static void hook_barrier_async_f(void *queue, void *context, function run) {
  SUBMIT_FUNCTION(submitted_barrier, PLAIN(index_barrier_async_f), queue, );
}
static void hook_group_async_f(void *group, void *queue, void *context, function run) {
  SUBMIT_FUNCTION(submitted_async | submitted_in_group, GROUPED(index_group_async_f), group, queue, );
}
static void hook_group_notify_f(void *group, void *queue, void *context, function run) {
  SUBMIT_FUNCTION(submitted_notify, GROUPED(index_group_notify_f), group, queue, );
}
static void hook_after_f(uint64_t when, void *queue, void *context, function run) {
  if (!is_programs(run)) events_timer_made();
  SUBMIT_FUNCTION(submitted_after, ((void (*)(uint64_t, void *, void *, function))real(index_after_f)), when, queue, );
}

// ---- Work that belongs to its submitter ----------------------------------------------------------------------------

// A block that runs several times, or on another thread, on behalf of `inside`.
typedef struct {
  block head;
  const block *body;
  work inside;
} lent;

static void lent_copy(void *to, const void *from) { ((lent *)to)->body = block_copy(((const lent *)from)->body); }
static void lent_dispose(const void *block) { block_release(((const lent *)block)->body); }
static const block_descriptor lent_descriptor = {0, sizeof(lent), lent_copy, lent_dispose};

static void run_iteration(void *block, size_t iteration) {
  lent *l = block;
  void (*run)(const void *, size_t) = (void (*)(const void *, size_t))(void *)l->body->invoke;
  // The calling thread takes part.
  work here = frame_work();
  bool is_another = here.recorder != l->inside.recorder || here.number != l->inside.number;
  if (is_another) frame_push_lent(l->inside);
  run(l->body, iteration);
  if (is_another) optrace_frame_pop();
}

static void hook_apply(size_t iterations, void *queue, void *body) {
  void (*call)(size_t, void *, const void *) = (void (*)(size_t, void *, const void *))real(index_apply);
  work inside = frame_work();
  // The caller is not checked, because Swift's overlay calls this for the program, with a closure of its own. The iterations belong to
  // the work that runs on this thread.
  if (!submission_recorder() || !inside.number || !body) return call(iterations, queue, body);
  lent wrapped = {block_on_stack((function)(void *)run_iteration, &lent_descriptor), body, inside};
  call(iterations, queue, &wrapped);
}

static void run_handler(void *block) {
  lent *l = block;
  frame_push_lent(l->inside);
  l->body->invoke((void *)(uintptr_t)l->body);
  optrace_frame_pop();
}

static void set_handler(uint32_t index, void *source, void *body) {
  void (*call)(void *, const void *) = (void (*)(void *, const void *))real(index);
  work inside = frame_work();
  if (!submission_recorder() || !inside.number || !body || block_is_special(body) || !module_is_own(block_code(body)))
    return call(source, body);
  lent wrapped = {block_on_stack(run_handler, &lent_descriptor), body, inside};
  call(source, &wrapped);
}

static void *hook_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
  timers_see_source(type, __builtin_return_address(0));
  return ((void *(*)(const void *, uintptr_t, uintptr_t, void *))real(index_source_create))(type, handle, mask, queue);
}

static void hook_source_set_event_handler(void *source, void *body) { set_handler(index_source_set_event_handler, source, body); }
static void hook_source_set_cancel_handler(void *source, void *body) { set_handler(index_source_set_cancel_handler, source, body); }

// ---- Work items ----------------------------------------------------------------------------------------------------

static void *hook_block_create(unsigned long flags, void *body) {
  void *(*create)(unsigned long, const void *) = (void *(*)(unsigned long, const void *))real(index_block_create);
  item made;
  return item_wrap(&made, body) ? item_created(create(flags, &made)) : create(flags, body);
}

static void *hook_block_create_with_qos_class(unsigned long flags, unsigned quality, int relative, void *body) {
  void *(*create)(unsigned long, unsigned, int, const void *) =
    (void *(*)(unsigned long, unsigned, int, const void *))real(index_block_create_with_qos_class);
  item made;
  return item_wrap(&made, body) ? item_created(create(flags, quality, relative, &made)) : create(flags, quality, relative, body);
}

static void hook_block_cancel(void *body) {
  item_cancelled(body);
  ((void (*)(void *))real(index_block_cancel))(body);
}

#define DISPATCH(name) [index_##name] = {"dispatch_" #name, hook_##name}

hooked_import dispatch_imports[] = {
  DISPATCH(async), DISPATCH(barrier_async), DISPATCH(group_async), DISPATCH(group_notify), DISPATCH(after), DISPATCH(async_f),
  DISPATCH(barrier_async_f), DISPATCH(group_async_f), DISPATCH(group_notify_f), DISPATCH(after_f), DISPATCH(apply),
  DISPATCH(block_create), DISPATCH(block_create_with_qos_class), DISPATCH(block_cancel), DISPATCH(block_notify),
  DISPATCH(source_create), DISPATCH(source_set_event_handler), DISPATCH(source_set_cancel_handler),
  {0},
};
#endif
