// Hooks calls by name. A shared object calls a function in another one through a pointer in its import table, which the loader has filled
// in. Replacing that pointer redirects the object's calls to a hook. This catches calls of `super`, calls that an optimised program makes
// without the method table, and calls of blocking functions.
//
// The object that defines a function is not changed, so calls inside Foundation and libdispatch are not hooked.
#include "imports.h"

#include "../memory/hooks.h"
#include "../objects/foundation.h"
#include "../objects/memory.h"
#include "calls.h"
#include "contended.h"
#include "entered.h"
#include "libraries.h"
#include "orders.h"
#include "sleeping.h"
#include "system.h"

#if OPTRACE_HAS_HOOKS
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#if defined(__x86_64__)
enum { jump_slot = R_X86_64_JUMP_SLOT, global_data = R_X86_64_GLOB_DAT, any_data = R_X86_64_64 };
#elif defined(__aarch64__)
enum { jump_slot = R_AARCH64_JUMP_SLOT, global_data = R_AARCH64_GLOB_DAT, any_data = R_AARCH64_ABS64 };
#else
enum { jump_slot = -1, global_data = -1, any_data = -1 };
#endif

static uintptr_t foundation_base;

// Set once, before any pointer is replaced: the methods of both classes, and the functions of Foundation and of other libraries.
static hooked_method *const *hooked_methods;
static hooked_import *const *hooked_imports;
static bool wants[import_tables] = {
  [imports_foundation] = true, [imports_blocking] = true, [imports_sleeping] = true, [imports_timers] = true, [imports_once] = true,
  [imports_system] = true, [imports_libraries] = true,
};

static void take_table(int table) {
  // A program with a loader in its file has no libraries that it could unload. And its C library's calls and locks are the recorder's, too.
  if (table == imports_libraries || table == imports_calls || table == imports_contended || table == imports_orders ||
      table == imports_memory)
    return;
  for (hooked_import *i = hooked_imports[table]; i->name; i++) entered_take_import(i);
}

bool imports_resolve(hooked_method *const methods[2], hooked_import *const imports[import_tables], bool with_foundation) {
  // Only once: when the hooks are installed again, threads may still be inside a call that was redirected earlier.
  static bool is_resolved;
  if (is_resolved) return true;
  hooked_methods = methods;
  hooked_imports = imports;
  // Looked up in the same way as the program's calls, because the function may be a sanitizer's.
  // Those of memory are found when they are asked for.
  for (int t = imports_foundation + 1; t < import_tables; t++)
    for (hooked_import *i = imports[t]; t != imports_memory && i->name; i++) entered_find(i);
  for (hooked_import *i = imports[imports_foundation]; with_foundation && i->name; i++) {
    entered_find(i);
    if (!i->in_program && !(i->real = foundation_find(i->name))) return false;
    Dl_info info;
    i->owner = foundation_base = dladdr(i->real, &info) ? (uintptr_t)info.dli_fbase : 0;
  }
  is_resolved = true;
  for (size_t kind = 0; with_foundation && kind < 2; kind++)
    for (hooked_method *m = methods[kind]; m->symbol; m++) entered_take_method(m);
  for (int t = 0; t < import_tables; t++)
    if (wants[t] && (with_foundation || t != imports_foundation)) take_table(t);
  return true;
}

typedef struct {
  void *hook, *real;
  uintptr_t owner;
  bool in_data;  // Also where data has the function's address, as a call by pointer needs it.
} exchange;

static bool begins(const char *name, const char *with) { return strncmp(name, with, strlen(with)) == 0; }

// These hooks are never removed, because what one of them has pushed another one must pop.
static bool stays(int table) { return table == imports_tests; }

static bool is_of_tests(const char *name) { return begins(name, "swift_task_localValue"); }

static bool is_of_loops(const char *name) { return begins(name, "epoll_") || strcmp(name, "poll") == 0 || strcmp(name, "ppoll") == 0; }

static bool is_in(const hooked_import *table, const char *name) {
  for (; table->name; table++)
    if (strcmp(table->name, name) == 0) return true;
  return false;
}

static bool is_plain(const char *name) {
  static const struct {
    int table;
    const hooked_import *imports;
  } tables[] = {
    {imports_sleeping, sleeping_imports}, {imports_calls, call_imports}, {imports_contended, contended_imports},
    {imports_system, system_imports}, {imports_libraries, library_imports}, {imports_orders, order_imports},
    {imports_memory, memory_imports},
  };
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (wants[tables[i].table] && is_in(tables[i].imports, name)) return true;
  return false;
}

static bool is_of_tasks(const char *name) { return begins(name, "swift_") || begins(name, "$sScT"); }

// `object`: the object whose calls are redirected.
static bool find_exchange(const char *name, uintptr_t object, bool on, exchange *found) {
  bool is_swift = begins(name, "$s10Foundation");
  if (!is_swift && !begins(name, "dispatch_") && !begins(name, "pthread_cond_") && strcmp(name, "swift_once") != 0 &&
      !is_plain(name) &&
      !(wants[imports_loops] && is_of_loops(name)) && !(wants[imports_tasks] && is_of_tasks(name)) &&
      !(wants[imports_tests] && is_of_tests(name)))
    return false;
  for (size_t t = 0; is_swift && t < 2; t++)
    for (hooked_method *m = hooked_methods[t]; m->symbol; m++) {
      if (!m->direct || strcmp(m->symbol, name) != 0) continue;
      *found = (exchange){m->direct, m->real, foundation_base, false};
      return m->real != NULL;
    }
  for (int t = import_tables - 1; t >= 0; t--)
    for (hooked_import *i = hooked_imports[t]; wants[t] && (on || !stays(t)) && i->name; i++) {
      if (strcmp(i->name, name) != 0 || (i->within && i->only != object)) continue;
      *found = (exchange){i->hook, i->real, i->owner, t == imports_memory};
      return i->real != NULL;
    }
  return false;
}

typedef struct {
  bool on;
  bool first;
  bool left_some;  // Pointers of an object that is being loaded were left unchanged.
  unsigned long long adds, subs;
} walk;

static unsigned long long seen_adds, seen_subs;

static const void *table(const struct dl_phdr_info *object, ElfW(Addr) value) {
  // glibc has relocated these addresses; other loaders have not.
  return (const void *)(value < object->dlpi_addr ? value + object->dlpi_addr : value);
}

// Not instrumented by the thread sanitizer: it would take its own lock for each store, while this thread holds the loader's lock. A
// thread that reports a race takes the two locks in the opposite order, which would be a deadlock.
#define UNDER_THE_LOADERS_LOCK __attribute__((no_sanitize("thread")))

UNDER_THE_LOADERS_LOCK
static void patch_relocations(const struct dl_phdr_info *object, const ElfW(Rela) *from, size_t bytes,
                              const ElfW(Sym) *symbols, const char *names, uintptr_t offsets, walk *w) {
  for (size_t i = 0; i < bytes / sizeof *from; i++) {
    uint32_t type = (uint32_t)ELF64_R_TYPE(from[i].r_info);
    bool is_data = (int)type == any_data;
    if ((int)type != jump_slot && (int)type != global_data && !is_data) continue;
    // Most words of data are no functions.
    if (is_data && (!wants[imports_memory] || from[i].r_addend)) continue;
    const char *name = names + symbols[ELF64_R_SYM(from[i].r_info)].st_name;
    if (is_data && !is_in(memory_imports, name)) continue;
    exchange found;
    if (!find_exchange(name, object->dlpi_addr, w->on, &found)) continue;
    // Not with `dladdr`, whose lock `dlopen` takes in the opposite order to the one that is held here.
    if (found.owner == object->dlpi_addr || (is_data && !found.in_data)) continue;
    void *_Atomic *slot = (void *_Atomic *)(object->dlpi_addr + from[i].r_offset);
    void *now = atomic_load_explicit(slot, memory_order_relaxed);
    if (w->on ? now == found.hook : now != found.hook) continue;
    // The program may have put something else there.
    if (is_data && w->on && now != found.real) continue;
    if ((uintptr_t)now < offsets) {
      w->left_some = true;
      continue;
    }
    memory_window window;
    if (!memory_open(slot, sizeof *slot, &window)) continue;
    atomic_store_explicit(slot, w->on ? found.hook : found.real, memory_order_release);
    memory_close(&window);
  }
}

static uintptr_t size_of(const struct dl_phdr_info *object) {
  uintptr_t size = 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && part->p_vaddr + part->p_memsz > size) size = part->p_vaddr + part->p_memsz;
  }
  return size;
}

UNDER_THE_LOADERS_LOCK
static int patch_object(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  walk *w = context;
  // An object is listed before its pointers are filled in, and the lock that is held here does not stop the loader from filling them in.
  // If we wrote to such an object now, we would make pages read-only that the loader still has to write to. In objects that never become
  // read-only, a pointer that is not filled in yet can be recognised: it is still an offset in the object. The first object is the main
  // program, which is complete.
  memory_sealing sealing = w->first ? sealing_done : memory_sealing_of(object);
  if (w->first) {
    w->first = false;
    w->adds = object->dlpi_adds;
    w->subs = object->dlpi_subs;
    if (w->on && w->adds == seen_adds && w->subs == seen_subs) return 1;
  }
  if (sealing == sealing_due) {
    w->left_some = true;
    return 0;
  }
  const ElfW(Dyn) *dynamic = NULL;
  for (int i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  if (!dynamic) return 0;
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  const ElfW(Rela) *relocations = NULL, *jumps = NULL;
  size_t relocation_bytes = 0, jump_bytes = 0;
  bool has_addends = true;
  for (; dynamic->d_tag != DT_NULL; dynamic++) {
    switch (dynamic->d_tag) {
      case DT_SYMTAB: symbols = table(object, dynamic->d_un.d_ptr); break;
      case DT_STRTAB: names = table(object, dynamic->d_un.d_ptr); break;
      case DT_RELA: relocations = table(object, dynamic->d_un.d_ptr); break;
      case DT_RELASZ: relocation_bytes = dynamic->d_un.d_val; break;
      case DT_JMPREL: jumps = table(object, dynamic->d_un.d_ptr); break;
      case DT_PLTRELSZ: jump_bytes = dynamic->d_un.d_val; break;
      case DT_PLTREL: has_addends = dynamic->d_un.d_val == DT_RELA; break;
      default: break;
    }
  }
  if (!symbols || !names) return 0;
  uintptr_t offsets = sealing == sealing_none ? size_of(object) : 0;
  if (relocations) patch_relocations(object, relocations, relocation_bytes, symbols, names, offsets, w);
  if (jumps && has_addends) patch_relocations(object, jumps, jump_bytes, symbols, names, offsets, w);
  return 0;
}

bool imports_wanted(int table) { return wants[table]; }

void imports_want(int table) {
  if (wants[table]) return;
  wants[table] = true;
  take_table(table);
  // Visit all objects again.
  seen_adds = seen_subs = 0;
}

void imports_patch(bool on) {
  walk w = {.on = on, .first = true};
  dl_iterate_phdr(patch_object, &w);
  // Objects that were left incomplete are visited again at the next call.
  bool is_seen = on && !w.left_some;
  seen_adds = is_seen ? w.adds : 0;
  seen_subs = is_seen ? w.subs : 0;
}
#endif
