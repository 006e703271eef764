// Systems without hooks: nothing is known of objects whose classes are not ours, besides what they are asked.
#include "state.h"

#if !OPTRACE_HAS_HOOKS

optrace_recorder *hooks_watching_core(void) { return NULL; }

optrace_operation *optrace_object_find(const void *object) {
  (void)object;
  return NULL;
}
optrace_operation *optrace_object_know(void *object, bool is_queue) {
  (void)object, (void)is_queue;
  return NULL;
}
uint8_t optrace_own_answer(const optrace_operation *operation, const void *object, uint32_t question) {
  (void)operation, (void)object, (void)question;
  return optrace_own_unknown;
}
void optrace_own_observed(const void *object, uint32_t question, bool answer) { (void)object, (void)question, (void)answer; }
bool optrace_object_runs_itself(const void *object) {
  (void)object;
  return false;
}
bool optrace_object_is_untouched(const void *object) {
  (void)object;
  return false;
}
bool optrace_object_is_unused(const void *object) {
  (void)object;
  return false;
}
bool optrace_object_is_starting(const void *object) {
  (void)object;
  return false;
}
#endif
