#include "modules.h"

#include "../base/build_id.h"
#include "../base/filter.h"
#include "../book/book.h"
#include "peek.h"
#include "supported.h"
#include "COpTrace.h"

#if OPTRACE_STACKS

#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { text_bytes = 1 << 20 };

static module all[modules_most];
static _Atomic uint32_t count;
static _Atomic uint64_t lost;
static _Atomic uint32_t generation;
static _Atomic uint64_t changed_at;
// Odd while the times of known modules change.
static _Atomic uint32_t changes;
// Memory for paths. Pages that were never written take no memory.
static char text[text_bytes];

// The lock that guards the rest. It contains the process id of its holder, because a forked child may inherit it locked by a thread that
// the child does not have.
static _Atomic pid_t holder;
static size_t text_used;
static unsigned long long seen_adds, seen_subs;
static bool was_seen;
static uint64_t confirmed_at;  // When the list was last known to be right.
static bool is_still_there[modules_most];

static const char *keep_path(const char *path) {
  size_t length = strlen(path) + 1;
  if (length > text_bytes - text_used) return "";
  char *kept = text + text_used;
  memcpy(kept, path, length);
  text_used += length;
  return kept;
}

static void find_id(module *one, const char *notes, size_t size) {
  size_t bytes = 0;
  const void *id = build_id_find(notes, size, &bytes);
  if (!id) return;
  if (bytes > module_longest_id) bytes = module_longest_id;
  memcpy(one->id, id, bytes);
  one->id_bytes = (uint8_t)bytes;
}

static void find_id_at(module *one, uint64_t address, uint64_t size) {
  char copy[1024];
  if (!peek_process()) return find_id(one, (const char *)(uintptr_t)address, size);
  find_id(one, copy, peek(address, copy, size < sizeof copy ? size : sizeof copy));
}

static void describe(uint64_t base, const ElfW(Phdr) *parts, size_t count_of_parts, module *one) {
  *one = (module){.base = base, .low = UINT64_MAX, .code_low = UINT64_MAX, .until = UINT64_MAX, .gone = UINT64_MAX};
  for (size_t i = 0; i < count_of_parts; i++) {
    const ElfW(Phdr) *part = &parts[i];
    uint64_t begin = base + part->p_vaddr, end = begin + part->p_memsz;
    if (part->p_type == PT_LOAD) {
      if (begin < one->low) one->low = begin;
      if (end > one->high) one->high = end;
      if (!(part->p_flags & PF_X)) continue;
      if (begin < one->code_low) one->code_low = begin;
      if (end > one->code_high) one->code_high = end;
    } else if (part->p_type == PT_GNU_EH_FRAME) {
      one->frame_header = begin;
    } else if (part->p_type == PT_NOTE && !one->id_bytes) {
      find_id_at(one, begin, part->p_memsz);
    }
  }
}

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

// Tells the system's and Swift's libraries by their folder, and also by their name, because Swift's runtime may be installed beside the
// program.
static bool is_own(const char *path) {
  static const char *const folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/libexec/"};
  static const char *const names[] = {
      "libswift",   "libFoundation",    "lib_Foundation", "lib_Internationalization", "libdispatch.",
      "libXCTest.", "libBlocksRuntime", "libOpTrace",     "libTesting.",              "lib_Testing"};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (begins(path, folders[i])) return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (begins(name, names[i])) return false;
  return slash != NULL;  // The vDSO has no path.
}

// The loader has no path for the program itself, so this finds it.
static void describe_path(const struct dl_phdr_info *object, module *one) {
  char program[4096];
  if (object->dlpi_name && object->dlpi_name[0]) {
    one->path = keep_path(object->dlpi_name);
    one->is_own = is_own(one->path);
  } else {
    one->is_own = true;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    one->path = keep_path(program);
  }
}

static bool is_same(const module *a, const module *b) {
  return a->base == b->base && a->low == b->low && a->high == b->high && a->frame_header == b->frame_header &&
         a->code_low == b->code_low && a->id_bytes == b->id_bytes && memcmp(a->id, b->id, sizeof a->id) == 0;
}

static bool has_name(const module *one, const char *name) { return !name || !name[0] || strcmp(one->path, name) == 0; }

static bool has_room(void) {
  if (atomic_load_explicit(&count, memory_order_relaxed) < modules_most) return true;
  atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
  return false;
}

// Returns its index.
static uint32_t add(module *one) {
  uint32_t index = atomic_load_explicit(&count, memory_order_relaxed);
  atomic_store_explicit(&one->is_loaded, true, memory_order_relaxed);
  memcpy(&all[index], one, sizeof *one);
  atomic_store_explicit(&count, index + 1, memory_order_release);
  return index;
}

typedef struct {
  bool is_first, is_changed, has_unloaded;
  uint32_t known;
  uint64_t now;  // On the monotonic clock.
  // How many modules were loaded since the last walk, and how many of them this one has found.
  unsigned long long loaded, found;
} walk;

// Whether another module was loaded at its place since it was unloaded.
static bool was_replaced(uint32_t index) {
  const module *one = &all[index];
  uint64_t gone = atomic_load(&one->gone);
  uint32_t now = atomic_load_explicit(&count, memory_order_relaxed);
  for (uint32_t i = 0; i < now; i++)
    if (i != index && all[i].low < one->high && one->low < all[i].high && atomic_load(&all[i].gone) > gone) return true;
  return false;
}

// A module that was unloaded is there again. If another one had its place meanwhile, or may have had it, its times begin anew.
static void come_back(uint32_t index, const walk *w) {
  module *one = &all[index];
  bool is_new = was_replaced(index) || w->loaded > 1;
  atomic_fetch_add(&changes, 1);
  if (is_new) {
    atomic_store(&one->from, w->now);
    atomic_store(&one->found, w->now);
  }
  atomic_store(&one->until, UINT64_MAX);
  atomic_store(&one->gone, UINT64_MAX);
  atomic_fetch_add(&changes, 1);
}

// `now`: until when it may have been there.
static void leave(uint32_t index, uint64_t now) {
  module *one = &all[index];
  if (atomic_load(&one->gone) != UINT64_MAX) return;
  atomic_fetch_add(&changes, 1);
  atomic_store(&one->until, confirmed_at);
  atomic_store(&one->gone, now);
  atomic_store(&one->left_in, atomic_load(&generation) + 1);
  atomic_fetch_add(&changes, 1);
}

static int visit_object(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  walk *w = context;
  if (w->is_first) {
    w->is_first = false;
    // Under the loader's lock: what is listed is loaded now.
    w->now = optrace_clock_monotonic();
    if (was_seen && object->dlpi_adds == seen_adds && object->dlpi_subs == seen_subs) return 1;
    w->is_changed = was_seen = true;
    w->has_unloaded = object->dlpi_subs != seen_subs;
    w->loaded = object->dlpi_adds - seen_adds;
    seen_adds = object->dlpi_adds;
    seen_subs = object->dlpi_subs;
    memset(is_still_there, 0, sizeof is_still_there);
  }
  module one;
  describe(object->dlpi_addr, object->dlpi_phdr, object->dlpi_phnum, &one);
  for (uint32_t i = 0; i < w->known; i++) {
    if (is_still_there[i] || !is_same(&all[i], &one) || !has_name(&all[i], object->dlpi_name)) continue;
    is_still_there[i] = true;
    if (atomic_load(&all[i].gone) != UINT64_MAX) {
      come_back(i, w);
      w->found++;
    }
    return 0;
  }
  if (has_room()) {
    describe_path(object, &one);
    atomic_store(&one.from, w->now);
    atomic_store(&one.found, w->now);
    is_still_there[add(&one)] = true;
    w->found++;
  }
  return 0;
}

// A filter of system calls may forbid to ask. A child that is forked after that finds its parent's number, and holds nothing.
static pid_t own_process(void) {
  static _Atomic pid_t known;
  if (!system_is_filtered()) atomic_store_explicit(&known, getpid(), memory_order_relaxed);
  return atomic_load_explicit(&known, memory_order_relaxed);
}

static bool hold(void) {
  pid_t mine = own_process(), is = atomic_load(&holder);
  return is != mine && atomic_compare_exchange_strong(&holder, &is, mine);
}

static _Atomic bool is_known;

// Until the first list is complete, a second thread waits for the first, but for at most a tenth of a second: the first may be waiting
// for the loader's lock, which this thread may hold.
static void await_first(void) {
  for (int i = 0; i < 100 && !atomic_load_explicit(&is_known, memory_order_acquire); i++) usleep(1000);
}

static _Atomic bool are_others;

enum { remembered = 1024, address_shift = 9, generation_bits = 0xFF };
static _Atomic uint64_t own_or_not[remembered];

static void end_generation(void) {
  atomic_store(&changed_at, optrace_clock_monotonic());
  atomic_fetch_add_explicit(&generation, 1, memory_order_release);
  // An answer contains only a part of its generation's number.
  for (uint32_t i = 0; i < remembered; i++) atomic_store_explicit(&own_or_not[i], 0, memory_order_relaxed);
}

// Those that this walk has found may have been there since the last one, if nothing else was loaded meanwhile.
static void date_back(uint64_t now) {
  uint32_t known = atomic_load_explicit(&count, memory_order_relaxed);
  atomic_fetch_add(&changes, 1);
  for (uint32_t i = 0; i < known; i++)
    if (atomic_load(&all[i].from) == now) atomic_store(&all[i].from, confirmed_at);
  atomic_fetch_add(&changes, 1);
}

static bool refresh(void) {
  walk w = {.is_first = true, .known = atomic_load_explicit(&count, memory_order_relaxed)};
  dl_iterate_phdr(visit_object, &w);
  if (w.is_changed) {
    // A module that nobody has seen has come and gone, maybe at the place of one of these.
    bool is_any_unseen = confirmed_at && w.loaded > w.found;
    uint64_t gone = is_any_unseen ? confirmed_at : optrace_clock_monotonic();
    if (!is_any_unseen) date_back(w.now);
    uint32_t now = atomic_load_explicit(&count, memory_order_relaxed);
    for (uint32_t i = 0; i < now; i++) {
      if (!is_still_there[i]) leave(i, gone);
      atomic_store_explicit(&all[i].is_loaded, is_still_there[i], memory_order_release);
    }
    if (w.has_unloaded) end_generation();
  }
  confirmed_at = w.now;
  atomic_store_explicit(&is_known, true, memory_order_release);
  atomic_store(&holder, 0);
  return w.is_changed;
}

bool modules_refresh(void) {
  if (atomic_load(&are_others)) return false;
  if (hold()) return refresh();
  await_first();
  return false;
}

void modules_refresh_behind(void) {
  // What another thread has read may be older than the change.
  for (int i = 0; i < 100 && !atomic_load(&are_others); i++) {
    if (hold()) {
      refresh();
      return;
    }
    usleep(1000);
  }
}

bool modules_turn(bool others) {
  // How much room this process's own modules take. Those of others are forgotten when it turns back, so that any number of processes can
  // be looked at.
  static uint32_t own_count;
  static size_t own_text;
  if (!hold()) return false;
  uint32_t now = atomic_load_explicit(&count, memory_order_relaxed);
  if (others && !atomic_load(&are_others)) {
    own_count = now;
    own_text = text_used;
  } else if (!others && atomic_load(&are_others)) {
    now = own_count;
    atomic_store_explicit(&count, own_count, memory_order_release);
    text_used = own_text;
  }
  for (uint32_t i = 0; i < now; i++) {
    leave(i, optrace_clock_monotonic());
    atomic_store_explicit(&all[i].is_loaded, false, memory_order_release);
  }
  end_generation();
  was_seen = false;
  atomic_store(&are_others, others);
  atomic_store(&holder, 0);
  return true;
}

void modules_add(uint64_t base, const void *parts, size_t count_of_parts, const char *path) {
  module one;
  if (!hold()) return;
  if (has_room()) {
    describe(base, parts, count_of_parts, &one);
    one.path = keep_path(path);
    one.is_own = is_own(path);
    add(&one);
  }
  atomic_store(&holder, 0);
}

uint32_t modules_count(void) { return atomic_load_explicit(&count, memory_order_acquire); }

const module *module_at(uint32_t number) { return number && number <= modules_count() ? &all[number - 1] : NULL; }

uint32_t module_of(uint64_t address) {
  uint32_t now = modules_count();
  for (uint32_t i = 0; i < now; i++)
    if (address >= all[i].low && address < all[i].high &&
        atomic_load_explicit(&all[i].is_loaded, memory_order_acquire))
      return i + 1;
  return 0;
}

// Each entry is one word: the address, the count of unloadings, and the answer.
bool module_is_own(uint64_t address) {
  _Atomic uint64_t *slot = &own_or_not[(address ^ address >> 10) & (remembered - 1)];
  uint64_t key = address << address_shift | (uint64_t)(modules_generation() & generation_bits) << 1;
  uint64_t known = atomic_load_explicit(slot, memory_order_relaxed);
  if ((known & ~(uint64_t)1) == key) return known & 1;
  const module *one = module_at(module_of(address));
  if (!one) return false;
  bool is_own = one->is_own && book_is_programs(address);
  atomic_store_explicit(slot, key | is_own, memory_order_relaxed);
  return is_own;
}

bool module_has_code(uint64_t address) {
  uint32_t now = modules_count();
  for (uint32_t i = 0; i < now; i++)
    if (address >= all[i].code_low && address < all[i].code_high &&
        atomic_load_explicit(&all[i].is_loaded, memory_order_acquire))
      return true;
  return false;
}

uint64_t modules_lost(void) { return atomic_load_explicit(&lost, memory_order_relaxed); }
uint32_t modules_generation(void) { return atomic_load_explicit(&generation, memory_order_acquire); }
uint64_t modules_changed_at(void) { return atomic_load_explicit(&changed_at, memory_order_acquire); }
uint32_t modules_changes(void) { return atomic_load(&changes); }

#else

bool modules_refresh(void) { return false; }
void modules_refresh_behind(void) {}
bool modules_turn(bool others) {
  (void)others;
  return false;
}
void modules_add(uint64_t base, const void *parts, size_t count, const char *path) {
  (void)base, (void)parts, (void)count, (void)path;
}
uint32_t modules_count(void) { return 0; }
const module *module_at(uint32_t number) {
  (void)number;
  return NULL;
}
uint32_t module_of(uint64_t address) {
  (void)address;
  return 0;
}
bool module_is_own(uint64_t address) {
  (void)address;
  return false;
}
bool module_has_code(uint64_t address) {
  (void)address;
  return false;
}
uint64_t modules_lost(void) { return 0; }
uint32_t modules_generation(void) { return 0; }
uint64_t modules_changed_at(void) { return 0; }
uint32_t modules_changes(void) { return 0; }

#endif
