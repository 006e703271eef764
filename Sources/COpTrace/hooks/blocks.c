#include "blocks.h"

#include "../book/book.h"
#include "../stacks/modules.h"

#if OPTRACE_HAS_HOOKS
#include <stdatomic.h>
#include <string.h>

static function special_invoke;
static void *stack_class;
// The offset at which libdispatch keeps the flags of a special block, in bytes; 0: not known.
static size_t flags_offset;
enum { is_barrier = 1, is_detached = 2 };  // DISPATCH_BLOCK_BARRIER, DISPATCH_BLOCK_DETACHED
static void *(*copy)(const void *body);
static void (*release)(const void *body);

static void empty(void *unused) { (void)unused; }

size_t block_flags_offset(const block *without, const block *barrier, const block *detached) {
  enum { first = sizeof(block), last = sizeof(block) + 4 * sizeof(uint64_t), these = is_barrier | is_detached };
  size_t found = 0, count = 0;
  for (size_t offset = first; offset < last && offset + 4 <= without->descriptor->size; offset += 4) {
    uint32_t values[3];
    memcpy(&values[0], (const char *)without + offset, 4);
    memcpy(&values[1], (const char *)barrier + offset, 4);
    memcpy(&values[2], (const char *)detached + offset, 4);
    // libdispatch adds flags of its own to those of a detached block.
    if ((values[1] ^ values[0]) != is_barrier || ((values[2] ^ values[0]) & these) != is_detached) continue;
    found = offset;
    count++;
  }
  return count == 1 ? found : 0;
}

static void find_flags(const block *without, block *(*create)(unsigned long, void *), block *plain) {
  block *barrier = create(is_barrier, plain), *detached = create(is_detached, plain);
  if (barrier && detached) flags_offset = block_flags_offset(without, barrier, detached);
  if (barrier) release(barrier);
  if (detached) release(detached);
}

bool block_is_barrier(const block *special) {
  uint32_t flags = 0;
  if (!flags_offset) return false;
  memcpy(&flags, (const char *)special + flags_offset, sizeof flags);
  return flags & is_barrier;
}

void blocks_prepare(void) {
  if (special_invoke) return;
  void *global_class = book_find("_NSConcreteGlobalBlock");
  block *(*create)(unsigned long, void *) = (block *(*)(unsigned long, void *))book_find("dispatch_block_create");
  stack_class = book_find("_NSConcreteStackBlock");
  copy = (void *(*)(const void *))book_find("_Block_copy");
  release = (void (*)(const void *))book_find("_Block_release");
  if (!global_class || !create || !release) return;
  static const block_descriptor descriptor = {.size = sizeof(block)};
  block plain = {global_class, block_is_global, 0, empty, &descriptor};
  block *special = create(0, &plain);
  if (!special) return;
  special_invoke = special->invoke;
  find_flags(special, create, &plain);
  release(special);
}

const char *blocks_misfit(void) {
  return special_invoke && !flags_offset ? "barriers among work items are not recognised, because this libdispatch has another layout" : NULL;
}

bool block_is_special(const block *body) { return !special_invoke || body->invoke == special_invoke; }

block block_on_stack(function invoke, const block_descriptor *descriptor) {
  return (block){stack_class, block_has_helpers, 0, invoke, descriptor};
}

void *block_copy(const void *body) { return copy(body); }
void block_release(const void *body) { release(body); }

uint64_t block_code(const block *body) {
  // Swift's thunk captures only the two words of the closure.
  uint64_t caught;
  if (body->descriptor->size == sizeof(block) + 16) {
    memcpy(&caught, body + 1, sizeof caught);
    if (module_has_code(caught)) return caught;
  }
  return (uint64_t)(uintptr_t)body->invoke;
}

static _Atomic uint64_t barriers_code;

void block_code_runs_barriers(const void *code) {
  atomic_store_explicit(&barriers_code, (uint64_t)(uintptr_t)code, memory_order_relaxed);
}

bool block_code_is_programs(uint64_t code) {
  return module_is_own(code) && code != atomic_load_explicit(&barriers_code, memory_order_relaxed);
}
#endif
