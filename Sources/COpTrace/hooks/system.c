// Three kinds of system calls: those that install a filter of system calls (base/filter.h), those that change the handler of the signal by
// which samples are taken, which would then end the program; and those that the system allows only to a
// process with one thread (life/pause.h). Programs make them by the C library's functions, or by number with `syscall`. A forked child, which
// has no recorder, just makes them.
#include "system.h"

#include "../base/filter.h"
#include "../life/pause.h"
#include "../objects/state.h"
#include "../profile/timer.h"
#include "contended.h"
#include "inside.h"

#if OPTRACE_HAS_HOOKS
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { index_prctl, index_syscall, index_unshare, index_setns, index_sigaction, index_signal };

// Foundation calls `syscall` at the very end of a thread, when the thread sanitizer has given up what it knew of the thread already.
#if defined(__clang__)
#define ALSO_AT_THE_END __attribute__((disable_sanitizer_instrumentation))
#else
#define ALSO_AT_THE_END
#endif

static ORDERED_BY_EXCHANGE ALSO_AT_THE_END void *real(uint32_t index) { return system_imports[index].real; }

// In the C library these two take any number of arguments, which are passed like these.
typedef int (*control)(int operation, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
typedef long (*numbered)(long number, long a, long b, long c, long d, long e, long f);

static void came(bool is_installed) {
  int error = errno;
  if (!is_installed) system_filter_failed();
  errno = error;
}

static int hook_prctl(int operation, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
  if (operation != PR_SET_SECCOMP || !hooks_active()) return ((control)real(index_prctl))(operation, a, b, c, d);
  system_filter_comes();
  int result = ((control)real(index_prctl))(operation, a, b, c, d);
  came(result == 0);
  return result;
}

// `setns` may need it, whatever it enters.
static ALSO_AT_THE_END bool needs_one_thread(long flags) {
  enum { new_time = 0x80 };
  return flags & (CLONE_NEWUSER | CLONE_NEWPID | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM | new_time);
}

static void back(bool has_paused) {
  int error = errno;
  if (has_paused) flushers_resume();
  errno = error;
}

static ALSO_AT_THE_END bool installs_filter(long number, long a) {
  return (number == SYS_seccomp && (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER)) ||
         (number == SYS_prctl && a == PR_SET_SECCOMP);
}

// The usual call is a jump, so that it leaves nothing on the stack: some of them return twice.
static ALSO_AT_THE_END long hook_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (contended_is_futex(number, b) && inside_are_holdups_wanted()) return contended_futex((numbered)real(index_syscall), number, a, b, c, d, e, f);
  bool filters = installs_filter(number, a), is_alone = number == SYS_setns || (number == SYS_unshare && needs_one_thread(a));
  if ((!filters && !is_alone) || !hooks_active()) __attribute__((musttail)) return ((numbered)real(index_syscall))(number, a, b, c, d, e, f);
  bool has_paused = is_alone && flushers_pause();
  if (filters) system_filter_comes();
  long result = ((numbered)real(index_syscall))(number, a, b, c, d, e, f);
  if (filters) came(result >= 0);
  back(has_paused);
  return result;
}

static int hook_unshare(int flags) {
  bool has_paused = hooks_active() && needs_one_thread(flags) && flushers_pause();
  int result = ((int (*)(int))real(index_unshare))(flags);
  back(has_paused);
  return result;
}

static int hook_setns(int file, int kind) {
  bool has_paused = hooks_active() && flushers_pause();
  int result = ((int (*)(int, int))real(index_setns))(file, kind);
  back(has_paused);
  return result;
}

// As long as our handler is installed, the program finds the signal as if it were not, and a reset changes nothing.
static int hook_sigaction(int number, const struct sigaction *to, struct sigaction *old) {
  bool keeps = hooks_active() && timer_keeps_signal(number);
  bool resets = keeps && to && !(to->sa_flags & SA_SIGINFO) && to->sa_handler == SIG_DFL;
  int result = resets ? 0 : ((int (*)(int, const struct sigaction *, struct sigaction *))real(index_sigaction))(number, to, old);
  if (keeps && result == 0 && old) *old = (struct sigaction){.sa_handler = SIG_DFL};
  return result;
}

typedef void (*handler)(int);
static handler hook_signal(int number, handler to) {
  bool keeps = hooks_active() && timer_keeps_signal(number);
  if (keeps && to == SIG_DFL) return SIG_DFL;
  handler before = ((handler (*)(int, handler))real(index_signal))(number, to);
  return keeps && before != SIG_ERR ? SIG_DFL : before;
}

#define SYSTEM(name) [index_##name] = {#name, hook_##name}

hooked_import system_imports[] = {SYSTEM(prctl), SYSTEM(syscall), SYSTEM(unshare), SYSTEM(setns), SYSTEM(sigaction), SYSTEM(signal), {0}};
#endif
