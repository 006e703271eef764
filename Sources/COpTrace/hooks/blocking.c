// Hooks of the calls that block. Each hook makes the original call, once and unchanged, and notes its beginning and end. Outside of
// operations only calls that let other threads continue are noted.
#include "blocking.h"

#include "../book/book.h"
#include "../dispatch/queues.h"
#include "../dispatch/submitted.h"
#include "../objects/foundation.h"
#include "../objects/state.h"
#include "../operations/frames.h"
#include "../orders/handovers.h"
#include "../orders/orders.h"
#include "../pauses/pauses.h"
#include "../stacks/modules.h"
#include "../waits/signals.h"
#include "../waits/waits.h"
#include "blocks.h"

#if OPTRACE_HAS_HOOKS
#include <pthread.h>
#include <string.h>
#include <time.h>

enum {
  index_semaphore_wait, index_semaphore_signal, index_semaphore_create, index_group_wait, index_group_leave,
  index_group_create, index_block_wait, index_sync, index_sync_f, index_barrier_sync, index_barrier_sync_f,
  index_async_and_wait, index_async_and_wait_f, index_barrier_async_and_wait, index_barrier_async_and_wait_f,
  index_queue_create, index_queue_create_with_target, index_cond_wait, index_cond_timedwait, index_cond_clockwait,
  index_cond_signal, index_cond_broadcast, index_cond_init, index_cond_destroy,
};

static ORDERED_BY_EXCHANGE void *real(uint32_t index) { return blocking_imports[index].real; }

// Null: the wait is not recorded. Always inlined into the hook, because the stack is walked from the hook's frame.
static inline __attribute__((always_inline)) thread_buffer *begin(const void *object, uint8_t kind) {
  work inside = frame_that_blocks();
  return inside.recorder && hooks_active() ? wait_begin(inside, waited_object(object, kind), stack_here()) : NULL;
}

// The same also for threads that run no work: waits of the program on its own objects.
static inline __attribute__((always_inline)) thread_buffer *begin_anywhere(const void *object, uint8_t kind) {
  work inside = frame_that_blocks();
  if (!inside.recorder && !optrace_frame_is_waiting()) inside.recorder = hooks_watching_core();
  return inside.recorder && hooks_active() ? wait_begin(inside, waited_object(object, kind), stack_here()) : NULL;
}

static void end(thread_buffer *wait) {
  if (wait) wait_end(wait);
}

static uint64_t address(const void *object) { return (uint64_t)(uintptr_t)object; }

static void signalled(const void *object, uint8_t kind) {
  if (hooks_active()) signal_note(waited_object(object, kind), frame_work());
}

// A new object at the address of an old one must not inherit the old one's signals.
static void *created(void *object, uint8_t kind) {
  if (object && hooks_active()) signal_forget(waited_object(object, kind));
  if (object && orders_are_wanted()) {
    orders_forget(address(object));
    handover_forget(address(object));
  }
  if (object && kind == optrace_object_queue) dispatch_queue_is_new(object);
  return object;
}

// Not inlined, so that the compiler moves no part into a function of its own: from there the caller could not be told.
#define HOOK static __attribute__((noinline))

// ---- Semaphores, groups, blocks ------------------------------------------------------------------------------------

// With DISPATCH_TIME_NOW the call only asks, and does not wait.
enum { now = 0 };

enum { never = -1 };

static inline __attribute__((always_inline)) intptr_t wait_for(uint32_t index, void *object, uint64_t timeout, uint8_t kind) {
  bool is_order = timeout != now && orders_are_wanted(), is_timed = timeout != (uint64_t)never;
  uint8_t held_kind = kind == optrace_object_semaphore ? optrace_held_semaphore : optrace_held_group;
  place at = is_order ? place_here() : (place){0, 0, 0};
  uint64_t before = 0;
  if (is_order) {
    orders_want(address(object), held_kind, is_timed ? held_timed : 0, at);
    before = handover_waits(address(object));
    pauses_before(address(object), held_kind, at);
  }
  thread_buffer *wait = timeout == now ? NULL : begin_anywhere(object, kind);
  intptr_t result = ((intptr_t (*)(void *, uint64_t))real(index))(object, timeout);
  end(wait);
  if (is_order && result == 0) handover_waited(address(object), held_kind, is_timed, before, at);
  return result;
}

HOOK intptr_t hook_semaphore_wait(void *semaphore, uint64_t timeout) {
  return wait_for(index_semaphore_wait, semaphore, timeout, optrace_object_semaphore);
}

HOOK intptr_t hook_group_wait(void *group, uint64_t timeout) {
  return wait_for(index_group_wait, group, timeout, optrace_object_group);
}

// Waiting for a block of `dispatch_block_create` is like waiting for a group with one member.
HOOK intptr_t hook_block_wait(void *block, uint64_t timeout) {
  return wait_for(index_block_wait, block, timeout, optrace_object_group);
}

static void lets_go_on(const void *object, place at) {
  pauses_before_signal(at);
  handover_signals(address(object), at);
}

// Note the signal before the call, because the woken thread looks for it at once.
HOOK intptr_t hook_semaphore_signal(void *semaphore) {
  signalled(semaphore, optrace_object_semaphore);
  if (orders_are_wanted()) lets_go_on(semaphore, place_here());
  return ((intptr_t (*)(void *))real(index_semaphore_signal))(semaphore);
}

HOOK void hook_group_leave(void *group) {
  signalled(group, optrace_object_group);
  if (orders_are_wanted()) lets_go_on(group, place_here());
  ((void (*)(void *))real(index_group_leave))(group);
}

static void *hook_semaphore_create(intptr_t value) {
  return created(((void *(*)(intptr_t))real(index_semaphore_create))(value), optrace_object_semaphore);
}

static void *hook_group_create(void) { return created(((void *(*)(void))real(index_group_create))(), optrace_object_group); }

// ---- Dispatch queues -----------------------------------------------------------------------------------------------

typedef void (*submit)(void *queue, void *context, function run);

// If blocks are recorded, the closure of a `sync` is one, too: its submitter waits for it, and it holds the queue while it runs.
typedef struct {
  void *context;
  function run;
  uint64_t queue;
  work inside;
  pthread_t caller;
  thread_buffer *wait;
  optrace_recorder *recorder;
  uint32_t number;
  // What is held meanwhile, as orders have it; 0: nothing.
  uint32_t held;
  uint8_t how;
  place at;
} use;

static void run_used(void *context) {
  use *u = context;
  // The wait ends when the work begins. But if the work runs on another thread (the main queue's), this thread waits until it has ended.
  if (pthread_equal(u->caller, pthread_self()) && u->wait) {
    wait_end(u->wait);
    u->wait = NULL;
  }
  signal_note(u->queue, u->inside);
  submitted_begins(u->recorder, u->number);
  if (u->held) orders_take((wish){held_here(), -1}, u->held, optrace_held_queue, u->how, u->at);
  u->run(u->context);
  if (u->held) orders_give(u->held, optrace_held_queue);
  submitted_ends(u->recorder, u->number);
  signal_note(u->queue, u->inside);
}

// Whether a call comes from the program itself, or from Swift's overlay on its behalf.
static bool is_programs(const void *caller) {
  static _Atomic uint32_t overlay;
  uint64_t address = (uint64_t)(uintptr_t)caller - 1;
  if (module_is_own(address) || book_is_overlay(address)) return true;
  uint32_t number = module_of(address), known = atomic_load_explicit(&overlay, memory_order_relaxed);
  if (known) return number == known;
  const module *from = module_at(number);
  if (!from || !strstr(from->path, "/libswiftDispatch.so")) return false;
  atomic_store_explicit(&overlay, number, memory_order_relaxed);
  return true;
}

// A block in a queue that lets several in is like a reader of a lock.
static __attribute__((noinline)) void want_queue(use *u, void *queue, uint32_t how, place at) {
  uint32_t number = dispatch_queue_number(u->recorder, queue);
  dispatch_queue_shape shape = number == dispatch_queue_not_ours ? dispatch_queue_global : dispatch_queue_shape_of(number);
  if (shape == dispatch_queue_global) return;
  u->held = number;
  u->how = shape == dispatch_queue_concurrent && !(how & submitted_alone) ? held_reader : 0;
  u->at = at;
  orders_want(number, optrace_held_queue, u->how, at);
  pauses_before(number, optrace_held_queue, at);
}

static inline __attribute__((always_inline)) void use_queue(uint32_t index, void *queue, void *context, function run,
                                                            uint64_t code, uint32_t how) {
  submit call = (submit)real(index);
  optrace_recorder *recorder = submission_recorder();
  if (!hooks_active() && !recorder) return call(queue, context, run);
  use u = {context, run, waited_object(queue, optrace_object_queue), frame_work(), pthread_self(), NULL, recorder, 0, 0, 0, {0, 0, 0}};
  if (recorder && is_programs(__builtin_return_address(0)))
    u.number = submitted(recorder, queue, how, module_is_own(code) ? code : 0, optrace_here());
  if (u.number && orders_are_wanted()) want_queue(&u, queue, how, place_here());
  u.wait = begin(queue, optrace_object_queue);
  call(queue, &u, run_used);
  end(u.wait);
}

// Calls a block's function with the block, as libdispatch does with ordinary blocks.
static inline __attribute__((always_inline)) void use_queue_by_block(uint32_t index, uint32_t by_function, void *queue,
                                                                     block *body, uint32_t how) {
  if (block_is_special(body) || !real(by_function))
    return ((void (*)(void *, void *))real(index))(queue, body);
  use_queue(by_function, queue, body, body->invoke, block_code(body), how);
}

#define QUEUE_HOOKS(name, how)                                                           \
  HOOK void hook_##name##_f(void *queue, void *context, function run) {               \
    use_queue(index_##name##_f, queue, context, run, (uint64_t)(uintptr_t)run, how);     \
  }                                                                                      \
  HOOK void hook_##name(void *queue, void *body) {                                       \
    use_queue_by_block(index_##name, index_##name##_f, queue, body, how);                \
  }
QUEUE_HOOKS(sync, submitted_sync)
QUEUE_HOOKS(barrier_sync, submitted_sync | submitted_alone)
QUEUE_HOOKS(async_and_wait, submitted_sync)
QUEUE_HOOKS(barrier_async_and_wait, submitted_sync | submitted_alone)

static void *hook_queue_create(const char *label, void *attributes) {
  return created(((void *(*)(const char *, void *))real(index_queue_create))(label, attributes), optrace_object_queue);
}

static void *hook_queue_create_with_target(const char *label, void *attributes, void *target) {
  void *(*create)(const char *, void *, void *) = real(index_queue_create_with_target);
  return created(create(label, attributes, target), optrace_object_queue);
}

static const char *(*get_label)(const void *queue);
static const char *queue_name(const void *queue) { return get_label(queue); }

void blocking_prepare(void) {
  signals_prepare();
  foundation_prepare();
  get_label = (const char *(*)(const void *))book_find("dispatch_queue_get_label");
  if (get_label) waits_set_queue_name(queue_name);
  blocks_prepare();
}

// ---- Conditions ----------------------------------------------------------------------------------------------------

// Each of Foundation's operations creates, signals and destroys a condition. Signals of these are noted only after an operation has waited
// for a condition. Signals by the program are always noted, because their waiters may come later. A method of NSCondition ends with a jump
// to the C library's function, which therefore returns to the method's caller. Both are written once.
static _Atomic bool has_waited, has_signalled;

static bool is_set(const _Atomic bool *flag) { return atomic_load_explicit(flag, memory_order_relaxed); }
static void set(_Atomic bool *flag) {
  if (!is_set(flag)) atomic_store(flag, true);
}

static inline __attribute__((always_inline)) thread_buffer *begin_condition(const void *condition) {
  thread_buffer *wait = begin(condition, optrace_object_condition);
  if (wait) set(&has_waited);
  return wait;
}

static void condition_signalled(const void *condition, const void *caller) {
  if (!is_set(&has_waited) && foundation_calls(caller)) return;
  set(&has_signalled);
  signalled(condition, optrace_object_condition);
}

// Only conditions that were signalled need to be forgotten.
static void condition_is_new(void *condition) {
  if (is_set(&has_signalled)) created(condition, optrace_object_condition);
}

static int hook_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  thread_buffer *wait = begin_condition(condition);
  int result = ((int (*)(pthread_cond_t *, pthread_mutex_t *))real(index_cond_wait))(condition, mutex);
  end(wait);
  return result;
}

static int hook_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  int (*call)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *) = real(index_cond_timedwait);
  thread_buffer *wait = begin_condition(condition);
  int result = call(condition, mutex, until);
  end(wait);
  return result;
}

static int hook_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                               const struct timespec *until) {
  int (*call)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *) = real(index_cond_clockwait);
  thread_buffer *wait = begin_condition(condition);
  int result = call(condition, mutex, clock, until);
  end(wait);
  return result;
}

int blocking_cond_wait(void *condition, void *mutex) { return hook_cond_wait(condition, mutex); }
int blocking_cond_timedwait(void *condition, void *mutex, const struct timespec *until) {
  return hook_cond_timedwait(condition, mutex, until);
}
int blocking_cond_clockwait(void *condition, void *mutex, int clock, const struct timespec *until) {
  return hook_cond_clockwait(condition, mutex, clock, until);
}

HOOK int hook_cond_signal(pthread_cond_t *condition) {
  if (unlikely(pauses_are_wanted())) pauses_before_signal(place_here());
  condition_signalled(condition, __builtin_return_address(0));
  return ((int (*)(pthread_cond_t *))real(index_cond_signal))(condition);
}

HOOK int hook_cond_broadcast(pthread_cond_t *condition) {
  if (unlikely(pauses_are_wanted())) pauses_before_signal(place_here());
  condition_signalled(condition, __builtin_return_address(0));
  return ((int (*)(pthread_cond_t *))real(index_cond_broadcast))(condition);
}

static int hook_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
  condition_is_new(condition);
  return ((int (*)(pthread_cond_t *, const pthread_condattr_t *))real(index_cond_init))(condition, attributes);
}

// A condition that is initialised without a call, such as one of C++, is at least destroyed by a call.
static int hook_cond_destroy(pthread_cond_t *condition) {
  condition_is_new(condition);
  return ((int (*)(pthread_cond_t *))real(index_cond_destroy))(condition);
}

#define DISPATCH(name) [index_##name] = {"dispatch_" #name, hook_##name}
#define CONDITION(name) [index_##name] = {"pthread_" #name, hook_##name}

hooked_import blocking_imports[] = {
  DISPATCH(semaphore_wait), DISPATCH(semaphore_signal), DISPATCH(semaphore_create), DISPATCH(group_wait),
  DISPATCH(group_leave), DISPATCH(group_create), DISPATCH(block_wait), DISPATCH(sync), DISPATCH(sync_f),
  DISPATCH(barrier_sync), DISPATCH(barrier_sync_f), DISPATCH(async_and_wait), DISPATCH(async_and_wait_f),
  DISPATCH(barrier_async_and_wait), DISPATCH(barrier_async_and_wait_f), DISPATCH(queue_create),
  DISPATCH(queue_create_with_target), CONDITION(cond_wait), CONDITION(cond_timedwait), CONDITION(cond_clockwait),
  CONDITION(cond_signal), CONDITION(cond_broadcast), CONDITION(cond_init), CONDITION(cond_destroy),
  {0},
};
#endif
