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
enum { timers_unknown, timers_watched, timers_of_loops, timers_made };

void events_loop_timer_made(void) {
  uint32_t none = timers_watched;
  atomic_compare_exchange_strong(&timers, &none, timers_of_loops);
}

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

bool events_only_from_here(uint32_t file) { return is_own(file); }

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
    if (strncmp(target, kinds[i].start, strlen(kinds[i].start)) == 0) {
      bool is_of_loops = kinds[i].source == optrace_event_source_timer && !peek_process() && atomic_load(&timers) == timers_of_loops;
      return is_of_loops ? optrace_event_source_loop_timer : kinds[i].source;
    }
  return optrace_event_source_other;
}

enum { most_files = 64 };

// ---- The descriptors of a call -----------------------------------------------------------------------------------------

typedef struct {
  void (*visit)(void *context, uint32_t file, bool reads, bool writes);
  void *context;
  int count;
  bool is_cut;            // Members of a set could not be read.
} visitor;

enum { deepest_set = 3 };
static void visit_set(visitor *to, uint64_t set, int depth);

// A set of descriptors may be polled like a descriptor, as a run loop does: then its members count.
static void visit_member(visitor *to, uint64_t file, bool reads, bool writes, int depth) {
  char path[64], target[64];
  make_path(path, sizeof path, "fd", file);
  ssize_t length = readlink(path, target, sizeof target - 1);
  target[length > 0 ? length : 0] = 0;
  if (strcmp(target, "anon_inode:[eventpoll]") == 0 && depth < deepest_set) return visit_set(to, file, depth + 1);
  if (to->count++ < most_files) to->visit(to->context, (uint32_t)file, reads, writes);
}

static void visit_file(visitor *to, uint64_t file, bool reads, bool writes) { visit_member(to, file, reads, writes, 0); }

static void visit_set(visitor *to, uint64_t set, int depth) {
  char info[4096];
  bool is_read = read_info(set, info, sizeof info);
  to->is_cut |= !is_read;
  for (const char *line = info; is_read && (line = strstr(line, "tfd:")) && to->count <= most_files; line += 4) {
    char one[128];
    size_t length = strcspn(line, "\n");
    if (length >= sizeof one) length = sizeof one - 1;
    memcpy(one, line, length);
    one[length] = 0;
    if (!is_waited_for(one)) continue;
    const char *mask = strstr(one, "events:");
    uint64_t events = mask ? strtoull(mask + 7, NULL, 16) : POLLIN | POLLOUT;
    visit_member(to, strtoull(one + 4, NULL, 10), events & POLLIN, events & POLLOUT, depth);
  }
}

static void visit_list(visitor *to, uint64_t address, uint64_t count) {
  for (uint64_t i = 0; i < count && to->count <= most_files; i++) {
    struct pollfd one;
    if (!peek_all(address + i * sizeof one, &one, sizeof one)) {
      to->is_cut = true;
      return;
    }
    if (one.fd >= 0) visit_file(to, (uint32_t)one.fd, one.events & POLLIN, one.events & POLLOUT);
  }
}

static void visit_choice(visitor *to, const uint64_t arguments[6]) {
  enum { word_bits = 64, most_words = 16 };
  uint64_t sets[3][most_words] = {{0}}, count = arguments[0] < word_bits * most_words ? arguments[0] : word_bits * most_words;
  size_t size = (size_t)((count + word_bits - 1) / word_bits * sizeof **sets);
  to->is_cut |= count < arguments[0];
  for (int i = 0; i < 3; i++)
    if (arguments[1 + i] && !peek_all(arguments[1 + i], sets[i], size)) to->is_cut = true;
  for (uint64_t file = 0; !to->is_cut && file < count && to->count <= most_files; file++) {
    bool reads = sets[0][file / word_bits] >> file % word_bits & 1, writes = sets[1][file / word_bits] >> file % word_bits & 1;
    bool has_exception = sets[2][file / word_bits] >> file % word_bits & 1;
    if (reads || writes || has_exception) visit_file(to, file, reads, writes);
  }
}

static bool writes_in(int32_t call) {
  switch (call) {
    case SYS_write: case SYS_writev: case SYS_pwrite64: case SYS_pwritev: case SYS_sendto: case SYS_sendmsg: return true;
    default: return false;
  }
}

static bool is_list(int32_t call) {
#if defined(SYS_poll)
  if (call == SYS_poll) return true;
#endif
  return call == SYS_ppoll;
}

static bool is_choice(int32_t call) {
#if defined(SYS_select)
  if (call == SYS_select) return true;
#endif
  return call == SYS_pselect6;
}

// These calls wait for one of two descriptors, or for what their command says.
static bool is_of_two_files(int32_t call) {
  return call == SYS_splice || call == SYS_sendfile || call == SYS_ioctl;
}

// These calls have no descriptor, or one of another kind.
static bool is_of_no_file(int32_t call) {
#if defined(SYS_open)
  if (call == SYS_open) return true;
#endif
#if defined(SYS_io_uring_enter)
  if (call == SYS_io_uring_enter) return true;
#endif
  return call == SYS_openat;
}

bool events_file_of(int32_t call, const uint64_t arguments[6], uint32_t *file, bool *writes) {
  const sleep_call *known = sleep_call_find(call);
  if (!known || known->kind != sleep_input || is_of_no_file(call) || is_of_two_files(call)) return false;
  *file = (uint32_t)arguments[0];
  *writes = writes_in(call);
  return true;
}

int events_visit(int32_t call, const uint64_t arguments[6], void (*visit)(void *, uint32_t, bool, bool), void *context) {
  const sleep_call *known = sleep_call_find(call);
  visitor to = {.visit = visit, .context = context};
  uint32_t file;
  bool writes;
  if (events_file_of(call, arguments, &file, &writes)) visit_file(&to, file, !writes, writes);
  if (is_of_two_files(call)) visit_file(&to, arguments[0], true, true);
  if (!known || known->kind != sleep_poll) return to.count;
  if (is_list(call)) visit_list(&to, arguments[0], arguments[1]);
  else if (is_choice(call)) visit_choice(&to, arguments);
  else visit_set(&to, (uint32_t)arguments[0], 0);
  return to.is_cut ? most_files + 1 : to.count;
}

bool events_are_endless(int32_t call, const uint64_t arguments[6]) {
  const sleep_call *known = sleep_call_find(call);
  if (!known || known->kind != sleep_poll) return true;
#if defined(SYS_poll)
  if (call == SYS_poll) return (int32_t)arguments[2] < 0;
#endif
  if (is_list(call)) return arguments[2] == 0;
  return is_choice(call) ? arguments[4] == 0 : is_endless(call, arguments);
}

typedef struct {
  uint64_t sources;
  bool is_set;            // Of several descriptors, those do not count with which the process wakes its own threads.
} found_sources;

static void add_source(void *context, uint32_t file, bool reads, bool writes) {
  found_sources *found = context;
  (void)reads, (void)writes;
  if (!found->is_set || !is_own(file)) found->sources |= source_of(file);
}

uint64_t events_sources(int32_t call, const uint64_t arguments[6]) {
  int error = errno;
  const sleep_call *known = sleep_call_find(call);
  found_sources found = {.is_set = known && known->kind == sleep_poll};
  if (known && known->kind == sleep_input && is_of_no_file(call)) found.sources = optrace_event_source_other;
  events_visit(call, arguments, add_source, &found);
  errno = error;
  return found.sources;
}

static void note_foreign(void *context, uint32_t file, bool reads, bool writes) {
  (void)reads, (void)writes;
  if (!is_own(file)) *(bool *)context = true;
}

bool events_are_own(int32_t call, const uint64_t arguments[6]) {
  bool is_foreign = false;
  const sleep_call *known = sleep_call_find(call);
  if (!known || known->kind != sleep_poll || !events_are_endless(call, arguments)) return false;
  int error = errno;
  int count = events_visit(call, arguments, note_foreign, &is_foreign);
  errno = error;
  // A set may be empty for now: only this process adds to it.
  bool is_set = !is_list(call) && !is_choice(call);
  return !is_foreign && count <= most_files && (count || is_set);
}

#else

bool events_file_of(int32_t call, const uint64_t arguments[6], uint32_t *file, bool *writes) {
  (void)call, (void)arguments, (void)file, (void)writes;
  return false;
}

int events_visit(int32_t call, const uint64_t arguments[6], void (*visit)(void *, uint32_t, bool, bool), void *context) {
  (void)call, (void)arguments, (void)visit, (void)context;
  return 0;
}

bool events_are_endless(int32_t call, const uint64_t arguments[6]) {
  (void)call, (void)arguments;
  return false;
}

bool events_are_own(int32_t call, const uint64_t arguments[6]) {
  (void)call, (void)arguments;
  return false;
}

uint64_t events_sources(int32_t call, const uint64_t arguments[6]) {
  (void)call, (void)arguments;
  return 0;
}

bool events_only_from_here(uint32_t file) {
  (void)file;
  return false;
}

void events_watch_timers(void) {}
void events_loop_timer_made(void) {}
void events_timer_made(void) {}

#endif
