// Loaded into `sh`, `env`, `python` as well: it links nothing but the C library, and where the environment does not ask
// for a recording, or there is no Foundation (nor what else is asked for), the program's `main` begins as if this were not here. No file is opened
// and nothing allocated before that is known.
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

// Tells the command, which sums up when all is over, by a link in the folder `request`: see RecordRequest.swift.
static void note(const char *request, const char *problem) {
  char text[1024], path[PATH_MAX];
  snprintf(text, sizeof text, "-%s", problem);
  for (int number = 0; number < 1000; number++) {
    int length = snprintf(path, sizeof path, "%s/%ld-%d", request, (long)getpid(), number);
    if (length < 0 || length >= (int)sizeof path || symlink(text, path) == 0 || errno != EEXIST) return;
  }
}

// To standard error, which may be a file that may not grow (`ulimit -f`), or a pipe that nobody reads: no signal of that
// reaches the program.
static void say(const char *text, size_t size) {
  static const struct timespec none = {0, 0};
  sigset_t signals, before, pending;
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  sigpending(&pending);
  // What was pending before is the program's.
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

// Whether something is loaded that there is anything to record of.
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

// The recorder needs Foundation. In a program that does not (its tasks or blocks are recorded), it is the one of the program's
// Swift, whose libraries stand beside each other; where there is none, the loader looks where the recorder was built.
static void load_foundation(void) {
  char path[PATH_MAX];
  if (!dl_iterate_phdr(has_foundation, NULL) && dl_iterate_phdr(find_swift, path)) dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// `libOpTraceRecorder.so` stands beside this object. Its constructor registers; local, so that none of its symbols takes
// the place of the program's.
static void load_recorder(const char *request) {
  static const char name[] = "libOpTraceRecorder.so";
  Dl_info own;
  char path[PATH_MAX];
  if (!dladdr((void *)&registered, &own) || !own.dli_fname) return complain(request, "the recorder is not found", NULL);
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
  if (!registered) complain(request, "the recorder is of another version: install optrace again", path);
}

static void start_recorder(const char *request) {
  bool alone = !registered;
  if (alone) {
    // A library that comes later, by `dlopen`, is out of reach: wrapping that call would break the search for libraries.
    if (!dl_iterate_phdr(is_recorded, NULL)) return;
    load_recorder(request);
    dlerror();  // What we asked for is not for the program to read.
  }
  if (registered) registered(alone);
}

// ---- Before main ---------------------------------------------------------------------------------------------------

// Here all constructors of the program have run, and its own code has not begun.
static int recorded_main(int count, char **arguments, char **environment) {
  int error = errno;
  const char *request = getenv("OPTRACE_RECORD");
  if (request && *request) start_recorder(request);
  errno = error;
  return program_main(count, arguments, environment);
}

// The C library's entry into `main`, which the program's first instructions call.
__attribute__((visibility("default"))) int __libc_start_main(
  main_function main, int count, char **arguments, void (*begin)(void), void (*end)(void), void (*loader_end)(void),
  void *stack) {
  start_function next = (start_function)dlsym(RTLD_NEXT, "__libc_start_main");
  if (!next) _exit(127);  // There is no C library then, which cannot be.
  program_main = main;
  return next(recorded_main, count, arguments, begin, end, loader_end, stack);
}

#else

void optrace_preload_register(optrace_begin begin) { (void)begin; }

#endif
