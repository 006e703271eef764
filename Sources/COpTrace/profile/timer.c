#include "timer.h"

#include <errno.h>

#include "../stacks/supported.h"

#if OPTRACE_STACKS && defined(__linux__)

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "../base/filter.h"
#include "../stacks/peek.h"
#include "COpTrace.h"

// The only one that libdispatch leaves unblocked in its threads. By default it ends the process, so the hooks of `sigaction` leave our handler
// where a program resets it (hooks/system.c).
enum { signal_of_timers = SIGPROF };

// If a signal stands for more periods than this, the clock has jumped.
enum { most_overrun = 1000 };

// A signal handler takes a free slot and fills it; the flusher empties it.
enum { slot_free, slot_taken, slot_full };
typedef struct {
  _Atomic uint32_t state;
  cpu_sample sample;
  uint8_t *stack;
} timer_slot;

typedef struct {
  uint32_t tid;
  bool is_there;
  int timer;  // The kernel's number; -1: it could not be made.
} timed_thread;

struct cpu_timer {
  uint64_t period;
  uint32_t stack_bytes;
  _Atomic uint64_t next, lost;
  uint32_t missing;
  timed_thread *threads;
  uint32_t count, room;
  timer_slot slots[timer_slots];
  uint8_t stacks[];
};

// Signal handlers may run at any time, so the memory that they use is never freed.
static cpu_timer *_Atomic active;

static size_t size_of(uint32_t stack_bytes) { return sizeof(cpu_timer) + (size_t)timer_slots * stack_bytes; }

// ---- In the program's threads ----------------------------------------------------------------------------------------

static void read_registers(const ucontext_t *at, cpu_sample *out) {
#if defined(__x86_64__)
  out->pc = (uint64_t)at->uc_mcontext.gregs[REG_RIP];
  out->sp = (uint64_t)at->uc_mcontext.gregs[REG_RSP];
  out->bp = (uint64_t)at->uc_mcontext.gregs[REG_RBP];
#else
  out->pc = at->uc_mcontext.pc;
  out->sp = at->uc_mcontext.sp;
  out->bp = at->uc_mcontext.regs[29];
#endif
}

// Uses only system calls and atomics, because it may have interrupted any code.
static void on_signal(int number, siginfo_t *info, void *context) {
  (void)number;
  int error = errno;
  cpu_timer *timer = atomic_load_explicit(&active, memory_order_acquire);
  // A forked child inherits the handler, and not the timers.
  if (!timer || info->si_code != SI_TIMER || info->si_value.sival_ptr != timer) {
    errno = error;
    return;
  }
  timer_slot *slot = &timer->slots[atomic_fetch_add_explicit(&timer->next, 1, memory_order_relaxed) % timer_slots];
  uint32_t expected = slot_free;
  if (!atomic_compare_exchange_strong_explicit(&slot->state, &expected, slot_taken, memory_order_acquire, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&timer->lost, 1, memory_order_relaxed);
  } else {
    // The kernel checks these timers at its own tick, which may be longer than the period. Then a signal stands for several periods.
    uint32_t more = info->si_overrun > 0 && info->si_overrun < most_overrun ? (uint32_t)info->si_overrun : 0;
    slot->sample = (cpu_sample){.tid = optrace_thread_id(), .time = optrace_clock_monotonic(), .times = 1 + more};
    read_registers(context, &slot->sample);
    slot->sample.stack = slot->stack;
    // The stack may end earlier; then only the bytes up to its end are copied.
    slot->sample.bytes = peek(slot->sample.sp, slot->stack, timer->stack_bytes);
    atomic_store_explicit(&slot->state, slot_full, memory_order_release);
  }
  errno = error;
}

// ---- In the flusher --------------------------------------------------------------------------------------------------

int timer_open(cpu_timer **out, uint64_t period, uint32_t stack_bytes) {
  struct sigaction before;
  if (sigaction(signal_of_timers, NULL, &before) != 0) return errno;
  bool is_used = before.sa_flags & SA_SIGINFO ? before.sa_sigaction != on_signal : before.sa_handler != SIG_DFL;
  if (is_used) return EBUSY;
  cpu_timer *timer = mmap(NULL, size_of(stack_bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (timer == MAP_FAILED) return errno;
  timer->period = period;
  timer->stack_bytes = stack_bytes;
  for (uint32_t i = 0; i < timer_slots; i++) timer->slots[i].stack = timer->stacks + (size_t)i * stack_bytes;
  cpu_timer *none = NULL;
  if (!atomic_compare_exchange_strong(&active, &none, timer)) {
    munmap(timer, size_of(stack_bytes));
    return EBUSY;
  }
  struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  ours.sa_sigaction = on_signal;
  sigfillset(&ours.sa_mask);
  if (sigaction(signal_of_timers, &ours, NULL) != 0) {
    int error = errno;
    atomic_store(&active, NULL);
    munmap(timer, size_of(stack_bytes));
    return error;
  }
  *out = timer;
  return 0;
}

// Uses the system call directly, because the C library's function has its own timer ids.
static int make_timer(const cpu_timer *timer, uint32_t tid) {
  enum { per_thread = 4, of_scheduler = 2 };
  clockid_t clock = (clockid_t)(~tid << 3 | per_thread | of_scheduler);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_of_timers};
  event._sigev_un._tid = (pid_t)tid;
  event.sigev_value.sival_ptr = (void *)(uintptr_t)timer;
  int made = -1;
  if (syscall(SYS_timer_create, clock, &event, &made) != 0) return -1;
  struct timespec period = {(time_t)(timer->period / 1000000000), (long)(timer->period % 1000000000)};
  struct itimerspec times = {period, period};
  if (syscall(SYS_timer_settime, made, 0, &times, NULL) == 0) return made;
  syscall(SYS_timer_delete, made);
  return -1;
}

static timed_thread *thread_with(cpu_timer *timer, uint32_t tid) {
  for (uint32_t i = 0; i < timer->count; i++)
    if (timer->threads[i].tid == tid) return &timer->threads[i];
  if (timer->count == timer->room) {
    uint32_t room = timer->room ? timer->room * 2 : 64;
    timed_thread *threads = realloc(timer->threads, room * sizeof *threads);
    if (!threads) return NULL;
    timer->threads = threads;
    timer->room = room;
  }
  timed_thread *added = &timer->threads[timer->count++];
  *added = (timed_thread){.tid = tid, .timer = make_timer(timer, tid)};
  timer->missing += added->timer < 0;
  return added;
}

void timer_add(cpu_timer *timer, uint32_t tid) { thread_with(timer, tid); }

// Deletes the timers of threads that have ended. The kernel keeps such a timer, although it never fires.
static void forget_ended(cpu_timer *timer) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < timer->count; i++) {
    timed_thread *thread = &timer->threads[i];
    if (thread->is_there) timer->threads[kept++] = *thread;
    else if (thread->timer >= 0) syscall(SYS_timer_delete, thread->timer);
  }
  timer->count = kept;
}

// Asks the system itself, because the hook of the C library's function hides our handler.
static bool is_ours(void) {
  struct {
    void (*handler)(int, siginfo_t *, void *);
    uint64_t rest[8];
  } is = {0};
  return syscall(SYS_rt_sigaction, signal_of_timers, NULL, &is, 8ul) == 0 && is.handler == on_signal;
}

// Under a filter of system calls they go on, and the handler does nothing.
static void end_timers(cpu_timer *timer) {
  bool may_delete = system_call_begins();
  for (uint32_t i = 0; i < timer->count; i++)
    if (may_delete && timer->threads[i].timer >= 0) syscall(SYS_timer_delete, timer->threads[i].timer);
  if (may_delete) system_call_ends();
  timer->count = 0;
}

void timer_cover(cpu_timer *timer, uint32_t but) {
  if (!is_ours()) {
    timer->missing += timer->count;
    end_timers(timer);
    return;
  }
  DIR *threads = opendir("/proc/self/task");
  if (!threads) return;
  for (uint32_t i = 0; i < timer->count; i++) timer->threads[i].is_there = false;
  for (const struct dirent *entry; (entry = readdir(threads));) {
    uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
    timed_thread *thread = tid && tid != but ? thread_with(timer, tid) : NULL;
    if (thread) thread->is_there = true;
  }
  closedir(threads);
  forget_ended(timer);
}

bool timer_keeps_signal(int number) { return number == signal_of_timers && atomic_load(&active) && is_ours(); }

bool timer_has_any(const cpu_timer *timer) {
  for (uint32_t i = 0; i < timer_slots; i++)
    if (atomic_load_explicit(&timer->slots[i].state, memory_order_relaxed) == slot_full) return true;
  return false;
}

uint32_t timer_drain(cpu_timer *timer, cpu_sample_taker take, void *context) {
  uint32_t taken = 0;
  for (uint32_t i = 0; i < timer_slots; i++) {
    timer_slot *slot = &timer->slots[i];
    if (atomic_load_explicit(&slot->state, memory_order_acquire) != slot_full) continue;
    take(context, &slot->sample);
    taken++;
    atomic_store_explicit(&slot->state, slot_free, memory_order_release);
  }
  return taken;
}

uint64_t timer_lost(const cpu_timer *timer) { return atomic_load_explicit(&timer->lost, memory_order_relaxed); }
uint32_t timer_missing(const cpu_timer *timer) { return timer->missing; }

// The handler stays installed, because without it a signal that is already on its way would end the program.
void timer_close(cpu_timer *timer) {
  end_timers(timer);
  free(timer->threads);
  timer->threads = NULL;
  timer->room = 0;
  atomic_store(&active, NULL);
}

#else

int timer_open(cpu_timer **out, uint64_t period, uint32_t stack_bytes) { return (void)out, (void)period, (void)stack_bytes, ENOSYS; }
void timer_add(cpu_timer *timer, uint32_t tid) { (void)timer, (void)tid; }
void timer_cover(cpu_timer *timer, uint32_t but) { (void)timer, (void)but; }
bool timer_has_any(const cpu_timer *timer) { return (void)timer, false; }
bool timer_keeps_signal(int number) { return (void)number, false; }
uint32_t timer_drain(cpu_timer *timer, cpu_sample_taker take, void *context) {
  return (void)timer, (void)take, (void)context, 0u;
}
uint64_t timer_lost(const cpu_timer *timer) { return (void)timer, 0u; }
uint32_t timer_missing(const cpu_timer *timer) { return (void)timer, 0u; }
void timer_close(cpu_timer *timer) { (void)timer; }

#endif
