#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include "sleeping.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../Sources/COpTrace/stacks/bounds.h"
#include "../../Sources/COpTrace/stacks/modules.h"
#include "../../Sources/COpTrace/stacks/unwind.h"
#include "../CStackTestSupport/shapes.h"
#include "COpTrace.h"

#if defined(__x86_64__)
uint64_t machine_pc(const void *context) { return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]; }
uint64_t machine_sp(const void *context) { return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP]; }
void machine_skip(void *context, size_t bytes) { ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += (long)bytes; }
#else
uint64_t machine_pc(const void *context) { return ((const ucontext_t *)context)->uc_mcontext.pc; }
uint64_t machine_sp(const void *context) { return ((const ucontext_t *)context)->uc_mcontext.sp; }
void machine_skip(void *context, size_t bytes) { ((ucontext_t *)context)->uc_mcontext.pc += bytes; }
#endif

typedef struct {
  uint64_t seed;
  void (*sleep)(void *context);
  void *context;
  sleeping_stack *out;
  _Atomic bool is_there, is_over;
} sleeper;

// What the handler takes; one thread at a time.
static struct {
  uint64_t pc, sp, high;
  size_t bytes;
  _Atomic bool is_taken;
} interrupted;
static _Alignas(16) uint8_t copy[256 * 1024];

__attribute__((no_sanitize("address", "thread"))) static void on_signal(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  interrupted.pc = machine_pc(context);
  interrupted.sp = machine_sp(context);
  size_t bytes = (size_t)(interrupted.high - interrupted.sp);
  interrupted.bytes = bytes < sizeof copy ? bytes : sizeof copy;
  const volatile uint8_t *from = (const volatile uint8_t *)(uintptr_t)interrupted.sp;
  for (size_t i = 0; i < interrupted.bytes; i++) copy[i] = from[i];
  interrupted.is_taken = true;
}

static __attribute__((noinline)) void fall_asleep(void *argument) {
  sleeper *s = argument;
  s->out->taken_count = unwinder_walk(s->out->taken, sizeof s->out->taken / 8);
  s->out->id = optrace_thread_id();
  s->is_there = true;
  s->sleep(s->context);
  __asm__ volatile("" ::: "memory");
}

static void *run(void *argument) {
  static char other[64 * 1024];
  sleeper *s = argument;
  // The handler must not write over what it copies.
  stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
  sigaltstack(&stack, NULL);
  interrupted.high = stack_own_bounds().high;
  shapes_call(s->seed, (int)(s->seed % 9), fall_asleep, s);
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, NULL);
  s->is_over = true;
  return NULL;
}

sleeping_stack sleeping_look(uint64_t seed, void (*sleep)(void *context), void (*wake)(void *context), void *context) {
  sleeping_stack out = {0};
  sleeper s = {.seed = seed, .sleep = sleep, .context = context, .out = &out};
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
  pthread_t thread;
  sigaction(SIGUSR2, &action, NULL);
  modules_refresh();
  if (pthread_create(&thread, NULL, run, &s) != 0) abort();
  while (!s.is_there) usleep(100);
  // Whether it sleeps by now is for who compares to see: on the way there its stack is sound, too.
  usleep(20000);
  interrupted.is_taken = false;
  pthread_kill(thread, SIGUSR2);
  while (!interrupted.is_taken) usleep(100);
  stack_memory memory = {interrupted.sp, interrupted.sp + interrupted.bytes, copy, true, true};
  stack_start start = {interrupted.pc, interrupted.sp, 0};
  out.count = stack_walk(&start, &memory, out.pcs, sizeof out.pcs / 8, &out.guessed);
  wake(context);
  // What sleeps for a time has to be told.
  for (int i = 0; !s.is_over; i++, usleep(1000))
    if (i % 16 == 15) pthread_kill(thread, SIGUSR2);
  pthread_join(thread, NULL);
  return out;
}

// The walk's frames without its first ones, which were called since, are the unwinder's, without its first (another place of the same
// function) and those that nobody knows of.
const char *sleeping_compare(const sleeping_stack *stack, size_t lost) {
  const uint64_t *theirs = stack->taken + 1 + lost;
  size_t count = stack->taken_count - 1 - lost, known = lost ? stack->count : stack->guessed, most = sizeof stack->pcs / 8;
  if (stack->count < 2) return complain("it has %zu frames", stack->count);
  bool is_whole = known == stack->count && stack->count < most;
  for (size_t own = 1; own < 16 && own <= known; own++) {
    size_t rest = known - own;
    if (is_whole ? rest != count : rest > count) continue;
    if (memcmp(stack->pcs + own, theirs, rest * 8) == 0) return NULL;
  }
  return complain("its %zu frames, from %zu on guessed, are not the unwinder's %zu", stack->count, stack->guessed, stack->taken_count);
}
#endif
