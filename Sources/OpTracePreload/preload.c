// Also loaded into `sh`, `env`, `python`. So it links only the C library; and if the environment does not ask for a recording, or
// there is no Foundation (nor whatever else is asked for), the program's `main` runs as if this object were not there. Where no library
// of Swift's is loaded, only the program's own file tells whether Swift is linked into it. The recorder is in this object: the whole of it in C.
#include "OpTracePreload.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "COpTrace.h"
#include "COpTraceHooks.h"

typedef int (*main_function)(int, char **, char **);
typedef int (*start_function)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

// By which the C library knows whose `atexit` it is. Usually in the start-up files; weak, for who links this object without them.
__attribute__((weak, visibility("hidden"))) void *__dso_handle = &__dso_handle;

static optrace_begin registered;
static main_function program_main;

__attribute__((visibility("default"))) void optrace_preload_register(optrace_begin begin) {
  if (!registered) registered = begin;
}

// ---- What is recorded ----------------------------------------------------------------------------------------------

static const char *name_of(const struct dl_phdr_info *object) {
  const char *slash = strrchr(object->dlpi_name, '/');
  return slash ? slash + 1 : object->dlpi_name;
}

// Whether something is recorded that all programs of Swift's have.
static bool records_any_program(void) {
  return optrace_is_wanted("OPTRACE_PROFILE") || optrace_is_wanted("OPTRACE_ORDERS") || optrace_is_wanted("OPTRACE_MEMORY");
}

// Whether anything is loaded that can be recorded.
static int is_recorded(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  (void)context;
  const char *name = name_of(object);
  if (strcmp(name, "libFoundation.so") == 0) return 1;
  if (strcmp(name, "libswiftCore.so") == 0) return records_any_program();
  if (strcmp(name, "libdispatch.so") == 0) return optrace_is_wanted("OPTRACE_DISPATCH") || optrace_is_wanted("OPTRACE_ORDERS");
  return strcmp(name, "libswift_Concurrency.so") == 0 && optrace_is_wanted("OPTRACE_TASKS");
}

static void start_recorder(void) {
  // The program's own recorder, where it is linked with one.
  if (registered) return registered();
  // A library that is loaded later, by `dlopen`, cannot be noticed: wrapping that call would break the search for libraries.
  bool profile = records_any_program();
  bool dispatch = profile || optrace_is_wanted("OPTRACE_DISPATCH"), tasks = profile || optrace_is_wanted("OPTRACE_TASKS");
  if (!dl_iterate_phdr(is_recorded, NULL) && !optrace_links_recorded(dispatch, tasks)) return;
  optrace_begin_from_outside();
  dlerror();  // Errors of our own are not for the program.
}

// ---- Before main ---------------------------------------------------------------------------------------------------

// All constructors of the program have run here, and its own code has not begun.
static int recorded_main(int count, char **arguments, char **environment) {
  int error = errno;
  const char *request = getenv("OPTRACE_RECORD");
  if (request && *request) start_recorder();
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
