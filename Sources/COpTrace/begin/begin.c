// Begins to record a program that is not linked with OpTrace, right before its `main`. The process has one recorder, which stops when
// it exits. (For a program that is linked with the library, RecordEntry.swift does this; such a program may have many recorders.)
#include <stdlib.h>
#include <unistd.h>

#include "../base/settings.h"
#include "../book/book.h"
#include "../describe/layout.h"
#include "../stacks/threads.h"
#include "COpTraceBegin.h"
#include "COpTraceHooks.h"
#include "COpTraceLayouts.h"
#include "request.h"

static optrace_recorder *recorder;

// ---- Stopping ------------------------------------------------------------------------------------------------------

// Removes the hooks last. Otherwise the finish of an operation could be missed, and what follows from it would still be recorded.
static int stop(void) {
  optrace_set_default(NULL);
  int error = optrace_recorder_stop(recorder);
  if (optrace_recorder_hooks(recorder) == optrace_hooks_used) {
    optrace_recorder_set_hooks(recorder, optrace_hooks_unavailable);
    optrace_hooks_watch(NULL, NULL);
    optrace_hooks_remove();
  }
  recorder = NULL;
  return error;
}

// The process may end in a signal handler, so no hook is removed, which takes locks.
static void stop_at_exit(void) {
  optrace_stop_at_exit();
  optrace_hooks_pass();
}

// ---- What is recorded ----------------------------------------------------------------------------------------------

// Null, or the reason why hooks cannot be installed.
static const char *install_hooks(void) {
  if (optrace_recorder_hooks(recorder) == optrace_hooks_used) return NULL;
  const char *why = optrace_hooks_install();
  optrace_recorder_set_hooks(recorder, why ? optrace_hooks_unavailable : optrace_hooks_used);
  return why;
}

static void record_tasks(void) {
  const char *why = install_hooks();
  if (!why) why = optrace_record_tasks(recorder);
  if (why) request_complain("the rest is recorded", "tasks cannot be recorded (%s)", why);
}

static void record_orders(const char *pauses) {
  const char *why = install_hooks();
  const char *refused = !why && pauses ? optrace_pause(pauses) : NULL;
  if (refused) request_complain("nothing pauses", "%s", refused);
  if (!why) why = optrace_record_orders(recorder);
  if (why) request_complain("the rest is recorded", "orders of locks cannot be recorded (%s)", why);
}

static void record_memory(uint64_t interval) {
  const char *why = install_hooks();
  if (!why) why = optrace_record_memory(recorder, interval);
  if (why) request_complain("the rest is recorded", "memory cannot be sampled (%s)", why);
}

static void record_what_is_wanted(const optrace_environment *wanted) {
  if (wanted->dispatch && !install_hooks()) optrace_record_dispatch(recorder);
  if (wanted->memory) record_memory(wanted->memory);
  if (wanted->tasks) record_tasks();
  if (wanted->orders) record_orders(wanted->pauses);
}

static void begin(const optrace_environment *wanted, const optrace_recording *begun) {
  recorder = begun->recorder;
  static bool is_stopped_at_exit;
  if (!is_stopped_at_exit) atexit(stop_at_exit);
  is_stopped_at_exit = true;
  char *refused = begun->profile_error ? optrace_profile_refused(&wanted->recorder.profile, begun->profile_error) : NULL;
  if (refused) optrace_complain(refused, "all else is recorded");
  free(refused);
  record_what_is_wanted(wanted);
  optrace_set_default(recorder);
  optrace_note_recording(begun->path);
}

static const char *detail(const char *why) {
  return optrace_is_wanted("OPTRACE_VERBOSE") ? why : "OPTRACE_VERBOSE=1 says why";
}

// `is_sampled`: processor time is sampled, so the trace is useful even if operations cannot be recorded.
static void watch_everything(const char *path, bool is_sampled) {
  const char *why = install_hooks();
  if (!why) {
    // As the watcher any pointer will do that lives as long as the process.
    optrace_hooks_watch(recorder, recorder);
    // These hooks stay until the end. A program that runs already has begun its tests.
    if (!settings_are_given()) optrace_record_tests(recorder);
    return;
  }
  if (is_sampled)
    return request_complain("the rest is recorded", "the operations of this program cannot be recorded from outside (%s)", detail(why));
  // Nothing can be recorded, so the trace would stay empty.
  stop();
  unlink(path);
  request_complain(NOTHING_IS_RECORDED,
                   "the operations of this program cannot be recorded from outside (%s); link OpTrace instead", detail(why));
}

void optrace_begin_from_outside(void) {
  if (recorder) return;
  if (book_is_stripped())
    return request_complain(NOTHING_IS_RECORDED,
                            "its symbols were stripped, so Swift's libraries in it cannot be found; run the file as it was before "
                            "`strip`, or put its debug file (same build id) beside it");
  optrace_environment wanted;
  if (!optrace_environment_read(&wanted)) return;
  layout_begin();
  // Check Foundation's layout now. It is not examined again later.
  const char *why = optrace_hooks_misfit();
  bool has_more = wanted.dispatch || wanted.tasks || wanted.orders || wanted.memory || wanted.recorder.profile.rate;
  if (why)
    request_complain(wanted.dispatch || wanted.tasks ? "blocks and tasks are recorded" : has_more ? "samples are recorded" : NOTHING_IS_RECORDED,
                     "the operations of this program cannot be recorded (%s)", why);
  if (why && !has_more) return free(wanted.path);
  optrace_hooks_begin();
  optrace_recording begun = optrace_recording_begin(wanted.path, &wanted.recorder);
  if (begun.recorder) {
    begin(&wanted, &begun);
    watch_everything(begun.path, wanted.recorder.profile.rate && !begun.profile_error);
  } else {
    char *text = optrace_outcome_text(begun.result, begun.path ? begun.path : wanted.path, begun.error);
    if (text) optrace_complain(text, NOTHING_IS_RECORDED);
    free(text);
  }
  for (uint32_t i = 0; optrace_layouts_left_out(i); i++) request_complain("the rest is recorded", "%s", optrace_layouts_left_out(i));
  const char *left_out = optrace_hooks_left_out();
  if (left_out) request_complain("the rest is recorded", "%s", left_out);
  optrace_hooks_begun();
  free(begun.path);
  free(wanted.path);
}

bool optrace_begin_late(const char *settings, void (*recording)(const char *path), void (*complaint)(const char *why, const char *result)) {
  settings_use(settings);
  request_tell((request_listener){recording, complaint});
  threads_leave_out(optrace_thread_id());
  if (recorder) request_complain(NOTHING_IS_RECORDED, "it is being recorded already");
  else optrace_begin_from_outside();
  return recorder;
}

int optrace_end_late(void) { return recorder ? stop() : 0; }
