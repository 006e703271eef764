#include "asked.h"

#include "classes.h"
#include "state.h"

#if OPTRACE_HAS_HOOKS

typedef struct {
  uint64_t first, second;
} words;

static ORDERED_BY_EXCHANGE void *real(class_kind kind, uint32_t index) { return class_methods(kind)[index].real; }

bool asked_operation(void *operation, uint64_t name[2], void **dependencies) {
  if (!hooks_active()) return false;
  words found = ((SWIFT words (*)(SELF))real(class_operation, method_get_name))(operation);
  name[0] = found.first;
  name[1] = found.second;
  *dependencies = ((SWIFT void *(*)(SELF))real(class_operation, method_get_dependencies))(operation);
  return true;
}

bool optrace_queue_ask(void *queue, const optrace_queue_values *to) {
  if (!hooks_active()) return false;
  *to->limit = ((SWIFT int64_t (*)(SELF))real(class_queue, queue_method_get_limit))(queue);
  *to->suspended = ((getter)real(class_queue, queue_method_get_suspended))(queue);
  *(words *)to->name = ((SWIFT words (*)(SELF))real(class_queue, queue_method_get_name))(queue);
  *(uint8_t *)to->quality = ((SWIFT uint8_t (*)(SELF))real(class_queue, queue_method_get_quality))(queue);
  *(void **)to->underlying = ((SWIFT void *(*)(SELF))real(class_queue, queue_method_get_underlying))(queue);
  return true;
}

#else

bool optrace_queue_ask(void *queue, const optrace_queue_values *to) {
  (void)queue, (void)to;
  return false;
}
#endif
