// A run loop and libdispatch's own thread sleep in `epoll_wait`. Usually their epoll set contains only descriptors with which the process
// wakes itself. `/proc/PID/fdinfo` lists the members of a set, and shows whether a timer is set.
#include "events.h"

#include "COpTraceFormat.h"
#include "calls.h"
#include "peek.h"
#include "supported.h"

#if OPTRACE_STACKS && defined(__linux__)

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint32_t timers;  // How many this process has made.
enum { timers_unknown, timers_watched, timers_made };

void events_timer_made(void) {
  // Most programs make many.
  if (atomic_load_explicit(&timers, memory_order_relaxed) != timers_made) atomic_store(&timers, timers_made);
}

static bool is_endless(int32_t call, const uint64_t arguments[6]) {
#if defined(SYS_epoll_wait)
  if (call == SYS_epoll_wait) return (int32_t)arguments[3] < 0;
#endif
#if defined(SYS_epoll_pwait2)
  if (call == SYS_epoll_pwait2) return arguments[3] == 0;
#endif
  return call == SYS_epoll_pwait && (int32_t)arguments[3] < 0;
}

static void make_path(char *out, size_t size, const char *folder, uint64_t file) {
  uint32_t process = peek_process();
  if (process) snprintf(out, size, "/proc/%u/%s/%llu", process, folder, (unsigned long long)file);
  else snprintf(out, size, "/proc/self/%s/%llu", folder, (unsigned long long)file);
}

// False: the file cannot be read, or is too long.
static bool read_info(uint64_t file, char *out, size_t size) {
  char path[64];
  make_path(path, sizeof path, "fdinfo", file);
  int info = open(path, O_RDONLY | O_CLOEXEC);
  if (info < 0) return false;
  size_t length = 0;
  ssize_t count;
  while (length < size - 1 && (count = read(info, out + length, size - 1 - length)) > 0) length += (size_t)count;
  close(info);
  out[length] = 0;
  return length && length < size - 1;
}

// If not, programs that this process starts inherit the descriptor, and may write to it.
static bool is_closed_at_exec(uint64_t file) {
  char info[512];
  if (!read_info(file, info, sizeof info)) return false;
  const char *flags = strstr(info, "flags:");
  return flags && strtoull(flags + strlen("flags:"), NULL, 8) & O_CLOEXEC;
}

static bool is_own(uint64_t file) {
  char path[64], target[64], info[512];
  make_path(path, sizeof path, "fd", file);
  ssize_t length = readlink(path, target, sizeof target - 1);
  if (length < 0) return false;
  target[length] = 0;
  if (strcmp(target, "anon_inode:[eventfd]") == 0) return is_closed_at_exec(file);
  if (strcmp(target, "anon_inode:[timerfd]") != 0) return false;
  if (!peek_process() && atomic_load(&timers) == timers_watched) return true;
  return read_info(file, info, sizeof info) && strstr(info, "it_value: (0, 0)");
}

void events_watch_timers(void) {
  int error = errno;
  DIR *files = opendir("/proc/self/fd");
  bool is_one = !files;
  for (const struct dirent *file; files && !is_one && (file = readdir(files));) {
    char target[64];
    ssize_t length = readlinkat(dirfd(files), file->d_name, target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    is_one = strcmp(target, "anon_inode:[timerfd]") == 0;
  }
  if (files) closedir(files);
  uint32_t unknown = timers_unknown;
  atomic_compare_exchange_strong(&timers, &unknown, is_one ? timers_made : timers_watched);
  errno = error;
}

// A one-shot member that has fired waits for nothing until it is armed again: only flags are left in its event mask.
static bool is_waited_for(const char *line) {
  enum { flags_only = 0xF };  // EPOLLEXCLUSIVE, EPOLLWAKEUP, EPOLLONESHOT, EPOLLET
  const char *events = strstr(line, "events:");
  return !events || (strtoull(events + 7, NULL, 16) & ~((uint64_t)flags_only << 28)) != 0;
}

static uint64_t source_of(uint64_t file) {
  static const struct { const char *start; uint64_t source; } kinds[] = {
    {"socket:", optrace_event_source_socket}, {"pipe:", optrace_event_source_pipe}, {"/dev/pts/", optrace_event_source_terminal},
    {"/dev/tty", optrace_event_source_terminal}, {"/dev/console", optrace_event_source_terminal},
    {"anon_inode:[signalfd]", optrace_event_source_signal}, {"anon_inode:[timerfd]", optrace_event_source_timer},
    {"anon_inode:[eventfd]", optrace_event_source_event}, {"anon_inode:inotify", optrace_event_source_changes},
    {"anon_inode:[fanotify]", optrace_event_source_changes}, {"anon_inode:[pidfd]", optrace_event_source_process},
    {"/", optrace_event_source_file},
  };
  char path[64], target[64];
  make_path(path, sizeof path, "fd", file);
  ssize_t length = readlink(path, target, sizeof target - 1);
  if (length < 0) return 0;
  target[length] = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strncmp(target, kinds[i].start, strlen(kinds[i].start)) == 0) return kinds[i].source;
  return optrace_event_source_other;
}

enum { most_files = 64 };

// The event sources of an epoll set, without those with which the process wakes its own threads.
static uint64_t sources_of_set(uint64_t set) {
  char info[4096];
  uint64_t sources = 0;
  int count = 0;
  if (!read_info(set, info, sizeof info)) return 0;
  for (const char *line = info; (line = strstr(line, "tfd:")) && count++ < most_files; line += 4) {
    char one[128];
    size_t length = strcspn(line, "\n");
    if (length >= sizeof one) length = sizeof one - 1;
    memcpy(one, line, length);
    one[length] = 0;
    uint64_t file = strtoull(one + 4, NULL, 10);
    if (is_waited_for(one) && !is_own(file)) sources |= source_of(file);
  }
  return sources;
}

static uint64_t sources_of_poll(uint64_t address, uint64_t count) {
  uint64_t sources = 0;
  for (uint64_t i = 0; i < count && i < most_files; i++) {
    struct pollfd one;
    if (!peek_all(address + i * sizeof one, &one, sizeof one)) break;
    if (one.fd >= 0) sources |= source_of((uint32_t)one.fd);
  }
  return sources;
}

uint64_t events_sources(int32_t call, const uint64_t arguments[6]) {
  int error = errno;
  uint64_t sources = 0;
  const sleep_call *known = sleep_call_find(call);
  if (known && known->kind == sleep_input) {
    // These calls have no descriptor, or one of another kind.
    bool is_other = call == SYS_openat;
#if defined(SYS_open)
    is_other = is_other || call == SYS_open;
#endif
#if defined(SYS_io_uring_enter)
    is_other = is_other || call == SYS_io_uring_enter;
#endif
    sources = is_other ? optrace_event_source_other : source_of((uint32_t)arguments[0]);
  } else if (known && known->kind == sleep_poll) {
    bool is_list = call == SYS_ppoll, is_choice = call == SYS_pselect6;
#if defined(SYS_poll)
    is_list = is_list || call == SYS_poll;
    is_choice = is_choice || call == SYS_select;
#endif
    if (is_list) sources = sources_of_poll(arguments[0], arguments[1]);
    else if (!is_choice) sources = sources_of_set((uint32_t)arguments[0]);
  }
  errno = error;
  return sources;
}

bool events_are_own(int32_t call, const uint64_t arguments[6]) {
  char info[4096];  // On the stack, because the flushers of several recorders may call this at the same time.
  if (!is_endless(call, arguments)) return false;
  int error = errno;
  bool are = read_info((uint32_t)arguments[0], info, sizeof info);
  for (const char *line = info; are && (line = strstr(line, "tfd:")); line += 4) {
    char one[128];
    size_t length = strcspn(line, "\n");
    if (length >= sizeof one) length = sizeof one - 1;
    memcpy(one, line, length);
    one[length] = 0;
    are = !is_waited_for(one) || is_own(strtoull(one + 4, NULL, 10));
  }
  errno = error;
  return are;
}

#else

bool events_are_own(int32_t call, const uint64_t arguments[6]) {
  (void)call, (void)arguments;
  return false;
}

uint64_t events_sources(int32_t call, const uint64_t arguments[6]) {
  (void)call, (void)arguments;
  return 0;
}

void events_watch_timers(void) {}
void events_timer_made(void) {}

#endif
