// Libraries that are being loaded while the recorder looks for calls to redirect: they are left alone until the loader is done with them.
#if defined(__linux__) && defined(__clang__)
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../Sources/COpTrace/objects/classes.h"
#include "../../Sources/COpTrace/objects/memory.h"
#include "../../Sources/COpTrace/hooks/sleeping.h"
#include "COpTraceHooks.h"
#include "harness.h"
#include "libraries.h"
#include "recording.h"

// What Tests/HalfLoadedLibrary writes to when it is half loaded, and reads from until it goes on.
enum { told_by = 230, answered_by = 231 };

static bool make_channel(int *ends, int library_end, int library_descriptor) {
  return pipe(ends) == 0 && dup2(ends[library_end], library_descriptor) >= 0;
}

static int told[2], answered[2];

static atomic_int refreshes;

static void *refresh_when_told(void *unused) {
  (void)unused;
  char byte;
  while (read(told[0], &byte, 1) == 1) {
    classes_refresh();
    atomic_fetch_add(&refreshes, 1);
    if (write(answered[1], &byte, 1) != 1) break;
  }
  return NULL;
}

static int (*real_nanosleep)(const struct timespec *, struct timespec *);
static atomic_int redirected;

static int counted_nanosleep(const struct timespec *length, struct timespec *rest) {
  atomic_fetch_add(&redirected, 1);
  return real_nanosleep(length, rest);
}

// Whoever is redirected comes here, from the hook.
static void count_calls(void) {
  for (hooked_import *i = sleeping_imports; i->name; i++) {
    if (strcmp(i->name, "nanosleep") != 0) continue;
    real_nanosleep = (int (*)(const struct timespec *, struct timespec *))i->real;
    i->real = (void *)counted_nanosleep;
  }
}

static void load_while_hooked(const char *name) {
  REQUIRE(make_channel(told, 1, told_by) && make_channel(answered, 0, answered_by));
  optrace_recorder *recorder = recording_begin("run.optrace", 0, 0, true);
  REQUIRE(recorder);
  const char *why = optrace_hooks_install();
  if (why) core_test_fail(__FILE__, __LINE__, "%s", why);
  count_calls();
  pthread_t other;
  REQUIRE(pthread_create(&other, NULL, refresh_when_told, NULL) == 0);
  char path[4096];
  REQUIRE(library_beside(name, path, sizeof path));
  void *library = dlopen(path, RTLD_NOW);
  if (!library) core_test_fail(__FILE__, __LINE__, "%s", dlerror());
  REQUIRE(library);
  EXPECT(atomic_load(&refreshes) > 0);
  int (*visit_time)(unsigned) = (int (*)(unsigned))dlsym(library, "visit_time");
  int (*const *through)(void) = dlsym(library, "through");
  REQUIRE(visit_time && through);
  EXPECT_EQUAL((*through)(), 1);
  // Found as soon as it is complete.
  classes_refresh();
  atomic_store(&redirected, 0);
  EXPECT_EQUAL(visit_time(1), 1);
  EXPECT_EQUAL(atomic_load(&redirected), 1);
  close(told[1]);
  close(told_by);
  pthread_join(other, NULL);
  optrace_hooks_remove();
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
}

// Read-only where the loader is done.
TEST(a_library_that_is_being_loaded_is_left_alone) { load_while_hooked("half.so"); }

// Without pages that become read-only only the pointers tell.
TEST(a_library_that_is_being_loaded_and_stays_writable_is_left_alone) { load_while_hooked("half-writable.so"); }

TEST(pages_that_are_written_and_such_that_are_not_are_told_apart) {
  long page = sysconf(_SC_PAGESIZE);
  uint32_t *word = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(word != MAP_FAILED);
  *word = 0xffffffff;
  EXPECT(memory_is_writable(word));
  EXPECT(mprotect(word, (size_t)page, PROT_READ) == 0 && !memory_is_writable(word));
  EXPECT_EQUAL(*word, 0xffffffff);
  EXPECT(munmap(word, (size_t)page) == 0 && !memory_is_writable(word));
}
#endif
