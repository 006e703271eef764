// Also loaded into `sh`, `env`, `python`. So it links only the C library; and if the environment does not ask for a recording, or
// there is no Foundation (nor whatever else is asked for), the program's `main` runs as if this object were not there. Until that
// is known, no file is opened and nothing allocated.
#include "OpTracePreload.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int (*main_function)(int, char **, char **);
typedef int (*start_function)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static optrace_begin registered;
static main_function program_main;

__attribute__((visibility("default"))) void optrace_preload_register(optrace_begin begin) {
  if (!registered) registered = begin;
}

// ---- What went wrong -----------------------------------------------------------------------------------------------

static bool is_wanted(const char *variable) {
  const char *wish = getenv(variable);
  return wish && *wish && strcmp(wish, "0") != 0;
}

// Reports to the command, by a link in the folder `request`; see RecordRequest.swift.
static void note(const char *request, const char *problem) {
  char text[1024], path[PATH_MAX];
  snprintf(text, sizeof text, "-%s", problem);
  for (int number = 0; number < 1000; number++) {
    int length = snprintf(path, sizeof path, "%s/%ld-%d", request, (long)getpid(), number);
    if (length < 0 || length >= (int)sizeof path || symlink(text, path) == 0 || errno != EEXIST) return;
  }
}

// Writes to standard error, which may be a file that may not grow (`ulimit -f`) or a closed pipe: the signals of that must not
// reach the program.
static void say(const char *text, size_t size) {
  static const struct timespec none = {0, 0};
  sigset_t signals, before, pending;
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  sigpending(&pending);
  // A signal that was pending before is the program's.
  if (sigismember(&pending, SIGXFSZ)) sigdelset(&signals, SIGXFSZ);
  if (sigismember(&pending, SIGPIPE)) sigdelset(&signals, SIGPIPE);
  if (write(STDERR_FILENO, text, size) < 0)
    while (sigtimedwait(&signals, NULL, &none) > 0) {}
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void complain(const char *request, const char *problem, const char *detail) {
  char text[2048];
  int length = is_wanted("OPTRACE_VERBOSE") && detail
    ? snprintf(text, sizeof text, "optrace: %s; nothing is recorded (%s)\n", problem, detail)
    : snprintf(text, sizeof text, "optrace: %s; nothing is recorded\n", problem);
  size_t size = length < (int)sizeof text ? (size_t)length : sizeof text - 1;
  say(text, size);
  note(request, problem);
}

// ---- The recorder --------------------------------------------------------------------------------------------------

static const char *name_of(const struct dl_phdr_info *object) {
  const char *slash = strrchr(object->dlpi_name, '/');
  return slash ? slash + 1 : object->dlpi_name;
}

// Whether anything is loaded that can be recorded.
static int is_recorded(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  (void)context;
  const char *name = name_of(object);
  if (strcmp(name, "libFoundation.so") == 0) return 1;
  if (strcmp(name, "libdispatch.so") == 0) return is_wanted("OPTRACE_DISPATCH");
  return strcmp(name, "libswift_Concurrency.so") == 0 && is_wanted("OPTRACE_TASKS");
}

static int has_foundation(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  (void)context;
  return strcmp(name_of(object), "libFoundation.so") == 0;
}

static int find_swift(struct dl_phdr_info *object, size_t size, void *path) {
  (void)size;
  const char *name = name_of(object);
  return strcmp(name, "libswiftCore.so") == 0 &&
         snprintf(path, PATH_MAX, "%.*slibFoundation.so", (int)(name - object->dlpi_name), object->dlpi_name) < PATH_MAX;
}

// The recorder needs Foundation. If the program does not use it (its tasks or blocks are recorded), it is taken from beside the
// program's Swift libraries; if it is not there, from where the recorder was built.
static void load_foundation(void) {
  char path[PATH_MAX];
  if (!dl_iterate_phdr(has_foundation, NULL) && dl_iterate_phdr(find_swift, path)) dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// `libOpTraceRecorder.so` is beside this object. Its constructor registers. It is loaded locally, so that none of its symbols
// replaces the program's.
static void load_recorder(const char *request) {
  static const char name[] = "libOpTraceRecorder.so";
  Dl_info own;
  char path[PATH_MAX];
  if (!dladdr((void *)&registered, &own) || !own.dli_fname) return complain(request, "the recorder was not found", NULL);
  const char *slash = strrchr(own.dli_fname, '/');
  int folder = slash ? (int)(slash + 1 - own.dli_fname) : 0;
  int length = snprintf(path, sizeof path, "%.*s%s", folder, own.dli_fname, name);
  if (length < 0 || length >= (int)sizeof path || access(path, R_OK) != 0)
    return complain(request, "the recorder libOpTraceRecorder.so is missing: install optrace again", path);
  load_foundation();
  if (!dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    const char *why = dlerror();
    return complain(
      request, "the recorder does not fit the Swift libraries of this program: build optrace with the program's Swift",
      why);
  }
  if (!registered) complain(request, "the recorder has another version: install optrace again", path);
}

static void start_recorder(const char *request) {
  bool alone = !registered;
  if (alone) {
    // A library that is loaded later, by `dlopen`, cannot be noticed: wrapping that call would break the search for libraries.
    if (!dl_iterate_phdr(is_recorded, NULL)) return;
    load_recorder(request);
    dlerror();  // Errors of our own are not for the program.
  }
  if (registered) registered(alone);
}

// ---- Before main ---------------------------------------------------------------------------------------------------

// All constructors of the program have run here, and its own code has not begun.
static int recorded_main(int count, char **arguments, char **environment) {
  int error = errno;
  const char *request = getenv("OPTRACE_RECORD");
  if (request && *request) start_recorder(request);
  errno = error;
  return program_main(count, arguments, environment);
}

// The C library's entry into `main`, called by the program's first instructions.
__attribute__((visibility("default"))) int __libc_start_main(
  main_function main, int count, char **arguments, void (*begin)(void), void (*end)(void), void (*loader_end)(void),
  void *stack) {
  start_function next = (start_function)dlsym(RTLD_NEXT, "__libc_start_main");
  if (!next) _exit(127);  // There is no C library, which cannot be.
  program_main = main;
  return next(recorded_main, count, arguments, begin, end, loader_end, stack);
}

#else

void optrace_preload_register(optrace_begin begin) { (void)begin; }

#endif
