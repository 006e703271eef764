#include "blocks.h"

#if OPTRACE_HAS_HOOKS
#include <dlfcn.h>
#include <string.h>

#include "../stacks/modules.h"

static function special_invoke;
static void *stack_class;
static void *(*copy)(const void *body);
static void (*release)(const void *body);

static void empty(void *unused) { (void)unused; }

void blocks_prepare(void) {
  if (special_invoke) return;
  void *global_class = dlsym(RTLD_DEFAULT, "_NSConcreteGlobalBlock");
  void *(*create)(unsigned long, void *) = (void *(*)(unsigned long, void *))dlsym(RTLD_DEFAULT, "dispatch_block_create");
  stack_class = dlsym(RTLD_DEFAULT, "_NSConcreteStackBlock");
  copy = (void *(*)(const void *))dlsym(RTLD_DEFAULT, "_Block_copy");
  release = (void (*)(const void *))dlsym(RTLD_DEFAULT, "_Block_release");
  if (!global_class || !create || !release) return;
  static const block_descriptor descriptor = {.size = sizeof(block)};
  block plain = {global_class, block_is_global, 0, empty, &descriptor};
  block *special = create(0, &plain);
  if (!special) return;
  special_invoke = special->invoke;
  release(special);
}

bool blocks_known(void) { return special_invoke && stack_class && copy && release; }

bool block_is_special(const block *body) { return !special_invoke || body->invoke == special_invoke; }

block block_on_stack(function invoke, const block_descriptor *descriptor) {
  return (block){stack_class, block_has_helpers, 0, invoke, descriptor};
}

void *block_copy(const void *body) { return copy(body); }
void block_release(const void *body) { release(body); }

uint64_t block_code(const block *body) {
  // A thunk of Swift's captures the two words of the closure, and nothing else.
  uint64_t caught;
  if (body->descriptor->size == sizeof(block) + 16) {
    memcpy(&caught, body + 1, sizeof caught);
    if (module_has_code(caught)) return caught;
  }
  return (uint64_t)(uintptr_t)body->invoke;
}
#endif
