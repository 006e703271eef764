#include "threads.h"

#include "maps.h"
#include "modules.h"
#include "peek.h"
#include "supported.h"
#include "unwind.h"

#if OPTRACE_STACKS

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// A lock. It contains the process id of its holder, because a forked child may inherit it locked by a thread that the child does not
// have.
static _Atomic pid_t visitor;
static _Alignas(16) uint8_t copy[threads_most_stack];
static _Alignas(16) char entries[8192];
static thread_seen seen;
static _Atomic uint32_t left_out;

void threads_leave_out(uint32_t id) { atomic_store(&left_out, id); }

// As getdents64(2) gives them.
typedef struct {
  uint64_t inode;
  int64_t next;
  unsigned short bytes;
  unsigned char type;
  char name[];
} directory_entry;

// "ID/file".
static void make_path(char *out, uint32_t id, const char *file) {
  char digits[12];
  int count = 0;
  do digits[count++] = (char)('0' + id % 10);
  while (id /= 10);
  while (count) *out++ = digits[--count];
  *out++ = '/';
  strcpy(out, file);
}

static int open_file(int tasks, uint32_t id, const char *file) {
  char path[32];
  make_path(path, id, file);
  return openat(tasks, path, O_RDONLY | O_CLOEXEC);
}

// Reads a file as text; false and errno if it cannot be read.
static bool read_text(int file, char *out, size_t size) {
  ssize_t count = pread(file, out, size - 1, 0);
  out[count > 0 ? count : 0] = 0;
  return count > 0;
}

static bool read_one(int tasks, uint32_t id, const char *name, char *out, size_t size) {
  int file = open_file(tasks, id, name);
  out[0] = 0;
  if (file < 0) return false;
  bool done = read_text(file, out, size);
  int error = errno;
  close(file);
  errno = error;
  return done;
}

// "12 (a name) S ...": the name may contain anything.
static bool read_name(const char *text) {
  const char *open = strchr(text, '('), *close = strrchr(text, ')');
  if (!open || !close || close < open || close[1] != ' ') return false;
  size_t length = (size_t)(close - open - 1);
  if (length >= sizeof seen.name) length = sizeof seen.name - 1;
  memcpy(seen.name, open + 1, length);
  seen.name[length] = 0;
  seen.state = close[2];
  return true;
}

// Fields 14 and 15, in ticks of mostly 10 ms: for kernels without anything finer.
static uint64_t read_time(const char *text) {
  const char *at = strrchr(text, ')');
  for (int field = 2; at && field < 14; field++) at = strchr(at + 1, ' ');
  if (!at) return 0;
  char *rest;
  uint64_t ticks = strtoull(at + 1, &rest, 10);
  ticks += strtoull(rest, NULL, 10);
  long second = sysconf(_SC_CLK_TCK);
  return second > 0 ? ticks * (1000000000ull / (uint64_t)second) : 0;
}

// "running", "-1 sp pc" (in the kernel, but in no system call), or "number, six arguments, sp, pc".
static bool read_call(const char *text) {
  if (strncmp(text, "running", 7) == 0) {
    seen.is_running = true;
    return true;
  }
  char *at;
  long call = strtol(text, &at, 10);
  if (at == text) return false;
  uint64_t values[8] = {0};
  int count = 0;
  for (; count < 8; count++) {
    char *before = at;
    values[count] = strtoull(before, &at, 16);
    if (at == before) break;
  }
  if (count != 2 && count != 8) return false;
  seen.call = count == 8 ? (int32_t)call : -1;
  if (count == 8) memcpy(seen.arguments, values, sizeof seen.arguments);
  seen.sp = values[count - 2];
  seen.pc = values[count - 1];
  return true;
}

// If this text is the same before and after copying the stack, the thread has not moved, so the copy is consistent.
static void read_stack(int file, const char *before, const threads_options *options, threads_count *count) {
  size_t wanted = options->stack_bytes ? options->stack_bytes : 16 * 1024;
  if (wanted > sizeof copy) wanted = sizeof copy;
  size_t bytes = peek(seen.sp, copy, wanted);
  char after[256];
  if (!bytes || !read_text(file, after, sizeof after) || strcmp(before, after) != 0) {
    seen.has_moved = true;
    count->moved++;
    return;
  }
  stack_memory memory = {seen.sp, seen.sp + bytes, copy, true, true};
  stack_start start = {seen.pc, seen.sp, 0};
  size_t most = options->most_frames && options->most_frames < threads_deepest ? options->most_frames : threads_deepest, guessed;
  seen.depth = (uint32_t)stack_walk(&start, &memory, seen.pcs, most, &guessed);
  seen.guessed = (uint32_t)guessed;
}

// "time delay times": two numbers in nanoseconds, and how often it was scheduled; zeros if the kernel does not count.
static bool read_run(int tasks, uint32_t id, thread_run *out) {
  char text[80], *rest;
  *out = (thread_run){0};
  if (!read_one(tasks, id, "schedstat", text, sizeof text)) return false;
  out->time = strtoull(text, &rest, 10);
  out->delay = strtoull(rest, &rest, 10);
  out->times = strtoull(rest, NULL, 10);
  return true;
}

// False: the thread has ended, or may not be read.
static bool read_thread(int tasks, uint32_t id, const threads_options *options, threads_count *count) {
  char text[512], call[256];
  memset(&seen, 0, offsetof(thread_seen, pcs));
  seen.id = id;
  seen.call = -1;
  if (!read_one(tasks, id, "stat", text, sizeof text) || !read_name(text)) {
    if (errno == EACCES || errno == EPERM) count->refused++;
    else count->ended++;
    return false;
  }
  seen.cpu = read_time(text);
  if (read_run(tasks, id, &seen.run) && seen.run.time) seen.cpu = seen.run.time;
  if (id == (uint32_t)syscall(SYS_gettid)) return seen.is_running = true;  // This thread: it would only see itself reading /proc.
  int file = open_file(tasks, id, "syscall");
  bool is_read = file >= 0 && read_text(file, call, sizeof call);
  if (!is_read) {
    if (errno == ENOENT || errno == ESRCH) seen.is_running = seen.state == 'R';
    count->refused += errno == EACCES || errno == EPERM;
  } else if (read_call(call) && !seen.is_running && seen.sp) {
    read_stack(file, call, options, count);
  }
  if (file >= 0) close(file);
  return true;
}

static uint32_t number(const char *text) {
  uint32_t value = 0;
  for (; *text >= '0' && *text <= '9'; text++) value = value * 10 + (uint32_t)(*text - '0');
  return *text ? 0 : value;
}

// Calls `visit` for each thread in the list until it returns false.
static void list_threads(int tasks, bool (*visit)(void *context, int tasks, uint32_t id), void *context) {
  for (;;) {
    long bytes = syscall(SYS_getdents64, tasks, entries, sizeof entries);
    if (bytes <= 0) return;
    for (long at = 0; at < bytes;) {
      const directory_entry *one = (const directory_entry *)(void *)(entries + at);
      at += one->bytes;
      uint32_t id = number(one->name);
      if (id && !visit(context, tasks, id)) return;
    }
  }
}

typedef struct {
  const threads_options *options;
  void (*see)(void *context, const thread_seen *thread);
  void *context;
  threads_count *count;
} thread_visit;

static bool visit_thread(void *context, int tasks, uint32_t id) {
  const thread_visit *visit = context;
  if (id == visit->options->but || (!visit->options->process && id == atomic_load_explicit(&left_out, memory_order_relaxed))) return true;
  if (!read_thread(tasks, id, visit->options, visit->count)) return true;
  visit->count->seen++;
  visit->count->running += seen.is_running;
  visit->see(visit->context, &seen);
  return true;
}

// False: somebody else is visiting.
static bool visit_begins(void) {
  pid_t mine = getpid(), is = atomic_load(&visitor);
  return is != mine && atomic_compare_exchange_strong(&visitor, &is, mine);
}

static void visit_ends(void) { atomic_store(&visitor, 0); }

threads_status threads_visit(const threads_options *options, void (*see)(void *context, const thread_seen *thread), void *context, threads_count *count) {
  threads_count none;
  if (!count) count = &none;
  *count = (threads_count){0};
  if (!visit_begins()) return threads_busy;
  char path[32] = "/proc/self/task";
  if (options->process) snprintf(path, sizeof path, "/proc/%u/task", options->process);
  int error = errno, tasks = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (tasks >= 0) {
    if (options->process) maps_begin(options->process);
    else modules_refresh();
    thread_visit visit = {options, see, context, count};
    list_threads(tasks, visit_thread, &visit);
    if (options->process) maps_end();
    close(tasks);
  }
  errno = error;
  visit_ends();
  return tasks >= 0 ? threads_visited : threads_no_list;
}

typedef struct {
  bool (*see)(void *context, uint32_t id, const thread_run *run);
  void *context;
} run_visit;

static bool visit_run(void *context, int tasks, uint32_t id) {
  const run_visit *visit = context;
  thread_run run;
  return !read_run(tasks, id, &run) || visit->see(visit->context, id, &run);
}

threads_status threads_runs(bool (*see)(void *context, uint32_t id, const thread_run *run), void *context) {
  if (!visit_begins()) return threads_busy;
  int error = errno, tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  run_visit visit = {see, context};
  if (tasks >= 0) {
    list_threads(tasks, visit_run, &visit);
    close(tasks);
  }
  errno = error;
  visit_ends();
  return tasks >= 0 ? threads_visited : threads_no_list;
}

bool threads_is_still(uint32_t id, const thread_run *before) {
  thread_run now;
  int error = errno, tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool is_still = tasks >= 0 && before->times && read_run(tasks, id, &now) && now.times == before->times && now.time == before->time;
  if (tasks >= 0) close(tasks);
  errno = error;
  return is_still;
}

#else

threads_status threads_runs(bool (*see)(void *context, uint32_t id, const thread_run *run), void *context) {
  (void)see, (void)context;
  return threads_no_list;
}

bool threads_is_still(uint32_t id, const thread_run *before) {
  (void)id, (void)before;
  return false;
}

threads_status threads_visit(const threads_options *options, void (*see)(void *context, const thread_seen *thread), void *context, threads_count *count) {
  (void)options, (void)see, (void)context;
  if (count) *count = (threads_count){0};
  return threads_no_list;
}

#endif
