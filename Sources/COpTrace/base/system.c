// Facts about the process that Swift code cannot query itself, and messages on standard error.
#include "COpTrace.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#include "filter.h"
#include "settings.h"
#include "small_file.h"
#include "own_lock.h"

bool optrace_is_wanted(const char *variable) {
  const char *wish = setting(variable);
  return wish && *wish && strcmp(wish, "0") != 0;
}

#if defined(__linux__)
// The C library knows the id and notes it in each lock that is taken.
static uint32_t noted_thread_id(void) {
  uint32_t id = 0;
#if defined(__GLIBC__)
  pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  if (own_lock(&lock) != 0) return 0;
  id = (uint32_t)lock.__data.__owner;
  pthread_mutex_unlock(&lock);
#endif
  return id;
}
#endif

uint32_t optrace_thread_id(void) {
#if defined(__linux__)
  if (system_call_begins()) {
    uint32_t id = (uint32_t)syscall(SYS_gettid);
    system_call_ends();
    return id;
  }
  uint32_t id = noted_thread_id();
  return id ? id : (uint32_t)syscall(SYS_gettid);
#else
  // As on Linux, the main thread gets the process's id, so that a reader recognises the main thread.
  if (pthread_main_np()) return (uint32_t)getpid();
  uint64_t id = 0;
  pthread_threadid_np(NULL, &id);
  return (uint32_t)id;
#endif
}

// Discards the signals that the write has raised for this thread.
static void drop(const sigset_t *signals) {
#if defined(__APPLE__)
  sigset_t pending;
  int number;
  for (sigpending(&pending); sigismember(&pending, SIGXFSZ) || sigismember(&pending, SIGPIPE); sigpending(&pending))
    if (sigwait(signals, &number) != 0) return;
#else
  static const struct timespec none = {0, 0};
  while (sigtimedwait(signals, NULL, &none) > 0) {}
#endif
}

void optrace_say(const void *bytes, size_t count) {
  sigset_t signals, before, pending;
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  sigpending(&pending);
  bool is_ours = !sigismember(&pending, SIGXFSZ) && !sigismember(&pending, SIGPIPE);
  if (write(STDERR_FILENO, bytes, count) < 0 && is_ours) drop(&signals);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

#if defined(__linux__)

// Returns field 22 of /proc/PID/stat: clock ticks since boot. The second field is a name that may contain any characters.
uint64_t optrace_process_start(uint32_t process_id) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%u/stat", process_id);
  if (!small_file_read(path, text, sizeof text)) return 0;
  char *at = strrchr(text, ')');
  for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
  return at ? strtoull(at + 1, NULL, 10) : 0;
}

void optrace_boot_id(uint8_t out[16]) {
  char text[64];
  memset(out, 0, 16);
  size_t count = small_file_read("/proc/sys/kernel/random/boot_id", text, sizeof text), digits = 0;
  for (size_t i = 0; i < count && digits < 32; i++) {
    char c = text[i];
    int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (value < 0) continue;
    out[digits / 2] = (uint8_t)(out[digits / 2] * 16 + value);
    digits++;
  }
}

#elif defined(__APPLE__)

uint64_t optrace_process_start(uint32_t process_id) {
  int name[4] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, (int)process_id};
  struct kinfo_proc info;
  size_t size = sizeof info;
  if (sysctl(name, 4, &info, &size, NULL, 0) != 0 || size == 0) return 0;
  return (uint64_t)info.kp_proc.p_starttime.tv_sec * 1000000ull + (uint64_t)info.kp_proc.p_starttime.tv_usec;
}

void optrace_boot_id(uint8_t out[16]) {
  memset(out, 0, 16);
  struct timeval boot;
  size_t size = sizeof boot;
  if (sysctlbyname("kern.boottime", &boot, &size, NULL, 0) == 0) memcpy(out, &boot, sizeof boot < 16 ? sizeof boot : 16);
}

#endif
