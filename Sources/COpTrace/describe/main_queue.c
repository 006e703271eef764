#include "main_queue.h"

#include <string.h>

#include "../objects/fields.h"
#include "../objects/layout.h"

#if OPTRACE_HAS_HOOKS

static const char *(*label_of)(const void *queue);
static const char *main_label;
// The offset of libdispatch's queue in a `DispatchQueue`; 0: not known.
static uint32_t wrapped_offset;

// Compares labels, because `DispatchQueue.main` returns a different object each time.
bool is_main_queue(const void *dispatch_queue) {
  if (!dispatch_queue || !wrapped_offset) return false;
  const void *wrapped;
  memcpy(&wrapped, (const uint8_t *)dispatch_queue + wrapped_offset, sizeof wrapped);
  const char *label = wrapped ? label_of(wrapped) : NULL;
  return label && strcmp(label, main_label) == 0;
}

const char *main_queue_prove(void) {
  static const char why[] = "main queues are not recognised in this program";
  label_of = (const char *(*)(const void *))runtime_find("dispatch_queue_get_label");
  const void *main_queue = runtime_find("_dispatch_main_q"), *class = runtime_find("$s8Dispatch0A5QueueCN");
  SWIFT void *(*main_object)(SELF) = (SWIFT void *(*)(SELF))runtime_find("$s8Dispatch0A5QueueC4mainACvgZ");
  if (!label_of || !main_queue || !class || !is_class(class, NULL) || !main_object) return why;
  main_label = label_of(main_queue);
  void *object = main_label ? main_object((void *)(uintptr_t)class) : NULL;
  uint32_t offset = class_field_offset(class, "__wrapped");
  const void *wrapped = NULL;
  if (object && offset) memcpy(&wrapped, (const uint8_t *)object + offset, sizeof wrapped);
  if (wrapped == main_queue) wrapped_offset = offset;
  runtime_release(object);
  return wrapped_offset ? NULL : why;
}
#endif
