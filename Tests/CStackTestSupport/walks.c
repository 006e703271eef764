#if defined(__linux__)
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../Sources/COpTrace/stacks/bounds.h"
#include "../../Sources/COpTrace/stacks/modules.h"
#include "../../Sources/COpTrace/stacks/unwind.h"
#include "CStackTestSupport.h"
#include "shapes.h"

// More than any stack of these tests has.
enum { most = 1000 };

// Both walks from one place.
__attribute__((noinline)) const char *test_walk_here(test_walked *out) {
  uint64_t ours[most], theirs[most];
  size_t guessed;
  stack_start here = stack_here();
  size_t n = stack_walk_here(&here, ours, most, &guessed), m = unwinder_walk(theirs, most);
  if (out) {
    *out = (test_walked){.frames = n, .hash = 14695981039346656037u};
    for (size_t i = 0; i < n; i++) out->hash = (out->hash ^ ours[i]) * 1099511628211u;
  }
  if (guessed != n) return complain("frame %zu of %zu is guessed, at %#llx", guessed, n, (unsigned long long)ours[guessed]);
  for (size_t i = 0; i + 1 < n && i < m; i++)
    if (ours[i + 1] != theirs[i])
      return complain("frame %zu: %#llx is not the unwinder's %#llx", i, (unsigned long long)ours[i + 1], (unsigned long long)theirs[i]);
  return n == m + 1 ? NULL : complain("%zu frames, and the unwinder has %zu", n - 1, m);
}

static void walk_leaf(void *context) {
  const char **result = context;
  *result = test_walk_here(NULL);
}

const char *test_walk_shapes(uint64_t seed, int depth) {
  const char *result = "was not called";
  modules_refresh();
  shapes_call(seed, depth, walk_leaf, &result);
  return result;
}

// ---- Other stacks

static const char *elsewhere_result;
static uint64_t elsewhere_seed;
static ucontext_t outside, inside;

static void on_fiber(void) { elsewhere_result = test_walk_shapes(elsewhere_seed, 5); }

const char *test_walk_fiber(uint64_t seed) {
  // With a guard on both sides, as fibers have: else the kernel may join it with memory of others, where a walk might go on.
  enum { size = 256 * 1024, guard = 64 * 1024, all = size + 2 * guard };
  char *mapped = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *room = mapped + guard;
  if (mapped == MAP_FAILED || mprotect(room, size, PROT_READ | PROT_WRITE) != 0 || getcontext(&inside) != 0) return "there is no fiber";
  inside.uc_stack.ss_sp = room;
  inside.uc_stack.ss_size = size;
  inside.uc_link = &outside;
  elsewhere_seed = seed;
  elsewhere_result = "did not run";
  makecontext(&inside, on_fiber, 0);
  swapcontext(&outside, &inside);
  munmap(mapped, all);
  return elsewhere_result;
}

static void on_signal(int number) {
  (void)number;
  elsewhere_result = test_walk_here(NULL);
}

static void raise_one(void *context) {
  (void)context;
  raise(SIGURG);
}

const char *test_walk_signal(uint64_t seed, bool on_other_stack) {
  static char room[128 * 1024];
  stack_t other = {.ss_sp = room, .ss_size = sizeof room}, before_stack;
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = on_other_stack ? SA_ONSTACK : 0}, before;
  if (on_other_stack && sigaltstack(&other, &before_stack) != 0) return "there is no other stack";
  sigaction(SIGURG, &action, &before);
  sigset_t urgent, mask;
  sigemptyset(&urgent);
  sigaddset(&urgent, SIGURG);
  pthread_sigmask(SIG_UNBLOCK, &urgent, &mask);
  elsewhere_result = "did not run";
  modules_refresh();
  shapes_call(seed, 6, raise_one, NULL);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  sigaction(SIGURG, &before, NULL);
  if (on_other_stack) sigaltstack(&before_stack, NULL);
  return elsewhere_result;
}

// ---- Damaged stacks

static uint64_t words[512];

const char *test_walk_damaged(uint64_t seed, size_t rounds) {
  uint64_t pcs[most], random = seed;
  size_t guessed;
  modules_refresh();
  stack_start here = stack_here();
  size_t known = stack_walk_here(&here, pcs, most, &guessed);
  for (size_t round = 0; round < rounds; round++) {
    uint64_t low = 0x7000000000ull;
    for (size_t i = 0; i < 512; i++) {
      uint64_t r = next_random(&random);
      words[i] = r % 4 == 0 ? pcs[r / 4 % known] : r % 4 == 1 ? low + r / 4 % 4200 : r % 4 == 2 ? r : 0;
    }
    stack_memory memory = {low, low + sizeof words, (const uint8_t *)words, round % 3 == 0, round % 2 == 0};
    stack_start start = {pcs[next_random(&random) % known], low + next_random(&random) % sizeof words, low + next_random(&random) % sizeof words};
    if (round % 5 == 0) start.bp = 0;
    uint64_t out[64];
    size_t n = stack_walk(&start, &memory, out, 64, &guessed);
    if (n == 0 || n > 64 || guessed > n) return complain("%zu frames of which %zu are not guessed, in round %zu", n, guessed, round);
  }
  // A pair that leads to itself.
  uint64_t loop = 0x7000000000ull;
  words[0] = loop;
  words[1] = pcs[1];
  stack_memory memory = {loop, loop + 16, (const uint8_t *)words, false, false};
  stack_start start = {pcs[1], loop, loop};
  uint64_t out[64];
  size_t n = stack_walk(&start, &memory, out, 64, &guessed);
  return n <= 64 ? NULL : "a loop has more frames than were asked for";
}

// ---- Libraries that come and go

typedef unsigned (*source)(void *, const unsigned char **);
typedef int (*sink)(void *, unsigned char *, unsigned);

static const char *library_result;
static unsigned give_nothing(void *context, const unsigned char **bytes) {
  (void)context;
  *bytes = NULL;
  library_result = test_walk_here(NULL);
  return 0;
}
static int take_nothing(void *context, unsigned char *bytes, unsigned count) {
  (void)context, (void)bytes, (void)count;
  return 0;
}

const char *test_walk_library(const char *path, uint32_t *number, uint64_t *base) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return complain("%s", dlerror());
  modules_refresh();
  // zlib's way to be asked for bytes.
  int (*begin)(void *, int, unsigned char *, const char *, int) = (int (*)(void *, int, unsigned char *, const char *, int))dlsym(library, "inflateBackInit_");
  int (*run)(void *, source, void *, sink, void *) = (int (*)(void *, source, void *, sink, void *))dlsym(library, "inflateBack");
  int (*end)(void *) = (int (*)(void *))dlsym(library, "inflateBackEnd");
  if (!begin || !run || !end) return "no such functions";
  enum { stream_bytes = 112 };
  _Alignas(16) char stream[stream_bytes] = {0};
  static unsigned char window[32768];
  *number = module_of((uint64_t)(uintptr_t)run);
  const module *one = module_at(*number);
  if (!one || !module_has_code((uint64_t)(uintptr_t)run)) return "the library is not among the modules";
  if (!strstr(one->path, path) || !atomic_load(&one->is_loaded)) return complain("its path is %s", one->path);
  *base = one->base;
  library_result = "was not called";
  if (begin(stream, 15, window, "1.2.11", stream_bytes) != 0) return "zlib does not begin";
  run(stream, give_nothing, NULL, take_nothing, NULL);
  end(stream);
  uint32_t generation = modules_generation();
  if (dlclose(library) != 0) return "it was not unloaded";
  // Another thread may be the one that sees the change, and may not be done with it yet.
  for (int tries = 0; tries < 5000 && atomic_load(&one->is_loaded); tries++) {
    modules_refresh();
    usleep(1000);
  }
  if (atomic_load(&one->is_loaded) || module_of(*base) == *number) return "it is still said to be loaded";
  if (modules_generation() == generation) return "rules of what was unloaded are still remembered";
  return library_result;
}

const char *test_library_path(const char *symbol_of) {
  Dl_info info;
  void *library = dlopen(symbol_of, RTLD_NOW | RTLD_LOCAL), *symbol = library ? dlsym(library, "inflateBack") : NULL;
  return symbol && dladdr(symbol, &info) ? info.dli_fname : NULL;
}

// ---- What is known of this thread and of the modules

const char *test_bounds(void) {
  stack_bounds bounds = stack_own_bounds();
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  if (here < bounds.low || here >= bounds.high) return complain("%#llx is not in %#llx ..< %#llx", (unsigned long long)here, (unsigned long long)bounds.low, (unsigned long long)bounds.high);
  // The last word can be read.
  __asm__ volatile("" ::"r"(*(volatile uint64_t *)(uintptr_t)(bounds.high - 8)));
  return NULL;
}

const char *test_modules(void) {
  modules_refresh();
  if (modules_count() < 2) return "there are no modules";
  if (modules_refresh()) return "nothing was loaded, and something is said to have changed";
  for (uint32_t i = 1; i <= modules_count(); i++) {
    const module *one = module_at(i);
    if (one->low >= one->high || one->id_bytes > module_longest_id) return complain("module %u (%s) is not in order", i, one->path);
  }
  const module *own = module_at(module_of((uint64_t)(uintptr_t)test_modules));
  if (!own || own->path[0] != '/') return "the program has no path";
  if (module_of(0) || module_has_code(0) || module_at(0) || module_at(modules_count() + 1)) return "there is a module of nothing";
  // Data, and no code.
  if (!module_of((uint64_t)(uintptr_t)words) || module_has_code((uint64_t)(uintptr_t)words)) return "data is said to be code";
  return NULL;
}
#endif
