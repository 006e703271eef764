// The usual call costs a subtraction, and the usual `free` a load. What is sampled takes the slow path, which is reached by a jump: so the
// caller of the hook is the caller of the slow path, where its stack begins.
#include "hooks.h"

#include "sample.h"

#if OPTRACE_HAS_HOOKS
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>

enum {
  index_malloc, index_calloc, index_realloc, index_posix_memalign, index_aligned_alloc, index_memalign, index_free,
  index_new, index_new_array, index_new_nothrow, index_new_array_nothrow, index_new_aligned, index_new_array_aligned,
  index_delete, index_delete_array, index_delete_sized, index_delete_array_sized, index_delete_aligned, index_delete_sized_aligned,
  index_count
};

static size_t (*usable_size)(void *block);

static inline ORDERED_BY_EXCHANGE void *real(uint32_t index) { return memory_imports[index].real; }

#define SLOWLY __attribute__((noinline)) static
#define JUMP __attribute__((musttail)) return

// Where a slow path is, and who called it.
#define HERE ((sample_place){optrace_here(), optrace_caller()})

// True: the next chosen byte is not in this allocation.
static inline bool passes(uint64_t size) {
  if (unlikely(size > countdown_here.left)) return false;
  countdown_here.left -= size;
  return true;
}

// The state is there before any pointer leads to a hook.
static inline ORDERED_BY_EXCHANGE bool is_watched(const void *block) { return live_may_have(&memory_here->live, block); }

// ---- Allocating ----------------------------------------------------------------------------------------------------

typedef void *(*allocator)(size_t size);
typedef void *(*two_sizes)(size_t one, size_t other);
typedef void *(*sized_by)(size_t size, const void *how);

SLOWLY void *malloc_slowly(size_t size) {
  bool is_due = sample_is_due(size);
  void *block = ((allocator)real(index_malloc))(size);
  if (!is_due) return block;
  sample_take(block, size, size, call_malloc, HERE);
  return block;
}

static void *hook_malloc(size_t size) {
  if (!passes(size)) JUMP malloc_slowly(size);
  JUMP ((allocator)real(index_malloc))(size);
}

SLOWLY void *calloc_slowly(size_t count, size_t each) {
  size_t size;
  bool is_due = !__builtin_mul_overflow(count, each, &size) && sample_is_due(size);
  void *block = ((two_sizes)real(index_calloc))(count, each);
  if (!is_due) return block;
  sample_take(block, size, size, call_calloc, HERE);
  return block;
}

static void *hook_calloc(size_t count, size_t each) {
  size_t size;
  if (__builtin_mul_overflow(count, each, &size) || !passes(size)) JUMP calloc_slowly(count, each);
  JUMP ((two_sizes)real(index_calloc))(count, each);
}

SLOWLY int posix_memalign_slowly(void **block, size_t alignment, size_t size) {
  bool is_due = sample_is_due(size);
  int error = ((int (*)(void **, size_t, size_t))real(index_posix_memalign))(block, alignment, size);
  if (!is_due || error) return error;
  sample_take(*block, size, size, call_aligned, HERE);
  return 0;
}

static int hook_posix_memalign(void **block, size_t alignment, size_t size) {
  if (!passes(size)) JUMP posix_memalign_slowly(block, alignment, size);
  JUMP ((int (*)(void **, size_t, size_t))real(index_posix_memalign))(block, alignment, size);
}

// Two functions that are the same in most C libraries.
#define ALIGNED(name)                                                                       \
  SLOWLY void *name##_slowly(size_t alignment, size_t size) {                               \
    bool is_due = sample_is_due(size);                                                      \
    void *block = ((two_sizes)real(index_##name))(alignment, size);                         \
    if (!is_due) return block;                                                              \
    sample_take(block, size, size, call_aligned, HERE);                                    \
    return block;                                                                           \
  }                                                                                         \
  static void *hook_##name(size_t alignment, size_t size) {                                 \
    if (!passes(size)) JUMP name##_slowly(alignment, size);                                 \
    JUMP ((two_sizes)real(index_##name))(alignment, size);                                  \
  }
ALIGNED(aligned_alloc)
ALIGNED(memalign)

// ---- Resizing ------------------------------------------------------------------------------------------------------
// `reallocarray` is not hooked: the C library's own calls `realloc` as an import.

typedef void *(*resizer)(void *block, size_t size);

// The bytes by which a block that is not watched grows.
static inline uint64_t growth(void *block, size_t size) {
  size_t had = block && usable_size ? usable_size(block) : 0;
  return size > had ? size - had : 0;
}

static void *resize(void *block, size_t size) { return ((resizer)real(index_realloc))(block, size); }

// The block's entry goes before the real call: another thread may get its address at once.
static void *resize_watched(void *block, live_block *was, size_t size) {
  void *now = resize(block, size);
  if (now) sample_moved(now, was, size);
  else if (size) sample_moved(block, was, was->size);
  else sample_gone(was, 0);
  return now;
}

SLOWLY void *realloc_slowly(void *block, size_t size) {
  live_block was;
  bool has_been = block && is_watched(block) && live_take(&memory_here->live, block, &was);
  uint64_t more = has_been ? (size > was.size ? size - was.size : 0) : growth(block, size);
  bool is_due = more && !passes(more) && sample_is_due(more);
  void *now = has_been ? resize_watched(block, &was, size) : resize(block, size);
  if (!is_due || !now) return now;
  if (has_been) sample_count(more, call_realloc, HERE);
  else sample_take(now, more, size, block ? call_realloc : call_malloc, HERE);
  return now;
}

static void *hook_realloc(void *block, size_t size) {
  if (unlikely(is_watched(block)) || !passes(growth(block, size))) JUMP realloc_slowly(block, size);
  JUMP ((resizer)real(index_realloc))(block, size);
}

// ---- Freeing -------------------------------------------------------------------------------------------------------

SLOWLY void free_slowly(void *block) {
  sample_freed(block);
  ((void (*)(void *))real(index_free))(block);
}

static void hook_free(void *block) {
  if (unlikely(is_watched(block))) JUMP free_slowly(block);
  JUMP ((void (*)(void *))real(index_free))(block);
}

// ---- C++, where the allocator has its operators itself -----------------------------------------------------------------

// May throw, through these frames.
#define NEW(name, parameters, arguments, type)                        \
  SLOWLY void *name##_slowly parameters {                             \
    bool is_due = sample_is_due(size);                                \
    void *block = ((type)real(index_##name)) arguments;               \
    if (!is_due) return block;                                        \
    sample_take(block, size, size, call_new, HERE);                  \
    return block;                                                     \
  }                                                                   \
  static void *hook_##name parameters {                               \
    if (!passes(size)) JUMP name##_slowly arguments;                  \
    JUMP ((type)real(index_##name)) arguments;                        \
  }
NEW(new, (size_t size), (size), allocator)
NEW(new_array, (size_t size), (size), allocator)
NEW(new_nothrow, (size_t size, const void *how), (size, how), sized_by)
NEW(new_array_nothrow, (size_t size, const void *how), (size, how), sized_by)
NEW(new_aligned, (size_t size, size_t alignment), (size, alignment), two_sizes)
NEW(new_array_aligned, (size_t size, size_t alignment), (size, alignment), two_sizes)

#define DELETE(name, parameters, arguments, type)                     \
  SLOWLY void name##_slowly parameters {                              \
    sample_freed(block);                                              \
    ((type)real(index_##name)) arguments;                             \
  }                                                                   \
  static void hook_##name parameters {                                \
    if (unlikely(is_watched(block))) JUMP name##_slowly arguments;    \
    JUMP ((type)real(index_##name)) arguments;                        \
  }
typedef void (*releaser)(void *block);
typedef void (*sized_releaser)(void *block, size_t size);
typedef void (*aligned_releaser)(void *block, size_t size, size_t alignment);
DELETE(delete, (void *block), (block), releaser)
DELETE(delete_array, (void *block), (block), releaser)
DELETE(delete_sized, (void *block, size_t size), (block, size), sized_releaser)
DELETE(delete_array_sized, (void *block, size_t size), (block, size), sized_releaser)
DELETE(delete_aligned, (void *block, size_t size), (block, size), sized_releaser)
DELETE(delete_sized_aligned, (void *block, size_t size, size_t alignment), (block, size, alignment), aligned_releaser)

#define C(name) [index_##name] = {#name, hook_##name}
#define CXX(name, symbol) [index_##name] = {symbol, hook_##name}

hooked_import memory_imports[index_count + 1] = {
  C(malloc), C(calloc), C(realloc), C(posix_memalign), C(aligned_alloc), C(memalign), C(free),
  CXX(new, "_Znwm"), CXX(new_array, "_Znam"), CXX(new_nothrow, "_ZnwmRKSt9nothrow_t"), CXX(new_array_nothrow, "_ZnamRKSt9nothrow_t"),
  CXX(new_aligned, "_ZnwmSt11align_val_t"), CXX(new_array_aligned, "_ZnamSt11align_val_t"),
  CXX(delete, "_ZdlPv"), CXX(delete_array, "_ZdaPv"), CXX(delete_sized, "_ZdlPvm"), CXX(delete_array_sized, "_ZdaPvm"),
  CXX(delete_aligned, "_ZdlPvSt11align_val_t"), CXX(delete_sized_aligned, "_ZdlPvmSt11align_val_t"),
};

// ---- Finding them --------------------------------------------------------------------------------------------------

static uint8_t whose = 0;
uint8_t memory_hooks_allocator(void) { return whose; }

static uint8_t allocator_of(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  if (strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-", 5) == 0) return 1;
  if (strstr(name, "jemalloc")) return 2;
  if (strstr(name, "tcmalloc")) return 3;
  return strstr(name, "mimalloc") ? 4 : 0;
}

static bool has_sanitizer(void) {
  static const char *const names[] = {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init", "__lsan_init"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (dlsym(RTLD_DEFAULT, names[i])) return true;
  return false;
}

// The base address of the object with this code; 0: there is none.
static uintptr_t base_of(const void *code, const char **path) {
  Dl_info info;
  if (!code || !dladdr(code, &info)) return 0;
  if (path) *path = info.dli_fname;
  return (uintptr_t)info.dli_fbase;
}

static memory_obstacle find(void) {
  if (has_sanitizer()) return memory_has_sanitizer;
  const char *path = "";
  uintptr_t defined_in = base_of(dlsym(RTLD_DEFAULT, "malloc"), &path);
  uintptr_t program = base_of((const void *)getauxval(AT_PHDR), NULL), own = base_of((const void *)&find, NULL);
  // Its own calls do not go through its imports.
  if (!defined_in || defined_in == program) return memory_links_allocator;
  whose = allocator_of(path);
  bool has_operators = base_of(dlsym(RTLD_DEFAULT, "_Znwm"), NULL) == defined_in;
  // The recorder's own calls are left alone. Where it is a part of the program, its object is the program's.
  for (int i = 0; i < index_count; i++) {
    hooked_import *function = &memory_imports[i];
    function->owner = own != program ? own : UINTPTR_MAX;
    bool is_operator = i >= index_new;
    void *found = is_operator && !has_operators ? NULL : dlsym(RTLD_DEFAULT, function->name);
    // A function that another object defines, or the program itself, is not this allocator's.
    if (found && base_of(found, NULL) == defined_in) function->real = found;
  }
  usable_size = (size_t (*)(void *))dlsym(RTLD_DEFAULT, "malloc_usable_size");
  return memory_imports[index_malloc].real && memory_imports[index_free].real ? memory_possible : memory_links_allocator;
}

memory_obstacle memory_hooks_prepare(void) {
  static bool is_found;
  static memory_obstacle obstacle;
  if (!is_found) obstacle = find();
  is_found = true;
  return obstacle;
}
#endif
