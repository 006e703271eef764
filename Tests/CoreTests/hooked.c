#if defined(__linux__) && defined(__clang__)
#include "hooked.h"

#include "../../Sources/COpTrace/describe/code.h"
#include "../../Sources/COpTrace/describe/texts.h"
#include "COpTraceHooks.h"
#include "harness.h"

optrace_recorder *hooked_begin(optrace_recorder *recorder, const char *(*record)(optrace_recorder *recorder)) {
  const char *why = recorder && texts_begin(recorder, UINT64_MAX) && code_begin(recorder) ? NULL : "there is no recorder";
  if (!why) optrace_recorder_use_stacks(recorder, optrace_stacks_waits);
  if (!why) why = optrace_hooks_install();
  if (!why) why = record(recorder);
  if (!why) return recorder;
  core_test_fail(__FILE__, __LINE__, "%s", why);
  return NULL;
}

trace hooked_end(optrace_recorder *recorder) {
  EXPECT_EQUAL(optrace_recorder_stop(recorder), 0);
  optrace_hooks_remove();
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  return t;
}
#endif
