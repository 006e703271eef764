// Begins to record a program that knows nothing of OpTrace, right before its `main`: what the library does in RecordEntry.swift and
// TraceRecorder.swift, without Swift. One recorder of the process, which stops when the process exits.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../book/book.h"
#include "../describe/carry.h"
#include "../describe/code.h"
#include "../describe/describe.h"
#include "../describe/texts.h"
#include "COpTraceHooks.h"
#include "create.h"
#include "header.h"
#include "request.h"
#include "wishes.h"

static optrace_recorder *recorder;

// ---- Stopping ------------------------------------------------------------------------------------------------------

// The hooks last: otherwise a finish could be missed whose consequences are still recorded.
static int stop(void) {
  int error = optrace_recorder_stop(recorder);
  if (optrace_recorder_hooks(recorder) == optrace_hooks_used) {
    optrace_recorder_set_hooks(recorder, optrace_hooks_unavailable);
    optrace_hooks_watch(NULL, NULL);
    optrace_hooks_remove();
  }
  return error;
}

// Nobody is left to handle an error; a trace that is not closed is readable, too. In a forked child there is nothing to stop.
static void stop_at_exit(void) {
  if (optrace_recorder_is_recording(recorder)) stop();
}

// ---- The file ------------------------------------------------------------------------------------------------------

static const char *cause(int error) {
  return error == EFBIG ? " (the limit of file sizes, ulimit -f, leaves no room for it)" : "";
}

static created_file create_file(const char *path) {
  created_file file = trace_file_create(path);
  const char *named = file.path ? file.path : path;
  if (file.result == not_created)
    request_complain(NOTHING_IS_RECORDED, "cannot create the trace '%s': %s%s", named, strerror(file.error),
                     cause(file.error));
  if (file.result == is_no_trace)
    request_complain(NOTHING_IS_RECORDED, "'%s' exists and is not a trace: choose another name or remove it", named);
  return file;
}

// NULL: there is no room, which has been said.
static optrace_recorder *create_recorder(const wishes *wanted, const created_file *file) {
  uint8_t header[optrace_header_static_checksum];
  optrace_options options = {.descriptor = file->descriptor, .use_counter = optrace_clock_has_counter()};
  if (wanted->is_ring) {
    options.ring = true;
    options.capacity = wanted->capacity;
    options.scan = carry_scan;
    options.carry = carry_keep;
  }
  trace_header_make(header, options.use_counter, options.ring);
  options.header = header;
  options.header_size = sizeof header;
  optrace_recorder *made = optrace_recorder_create(&options);
  if (made) return made;
  int error = errno;
  unlink(file->path);
  request_complain(NOTHING_IS_RECORDED, "cannot reserve space for the trace '%s': %s%s", file->path, strerror(error),
                   cause(error));
  return NULL;
}

// ---- What is recorded ----------------------------------------------------------------------------------------------

// Null, or the reason why hooks cannot be installed.
static const char *install_hooks(void) {
  if (optrace_recorder_hooks(recorder) == optrace_hooks_used) return NULL;
  const char *why = optrace_hooks_install();
  optrace_recorder_set_hooks(recorder, why ? optrace_hooks_unavailable : optrace_hooks_used);
  return why;
}

static void sample(const optrace_profile_options *options) {
  int error = optrace_recorder_profile(recorder, options, code_define_sample);
  const char *other = options->by == optrace_profile_by_events ? "; --profile-by timer does it by signals" : "";
  if (error)
    request_complain("all else is recorded", "processor time cannot be sampled: %s%s", optrace_profile_refusal(error), other);
}

static void record_what_is_wanted(const wishes *wanted) {
  if (wanted->cpu) optrace_recorder_record_cpu(recorder);
  if (wanted->dispatch && !install_hooks()) optrace_record_dispatch(recorder, code_define);
  if (wanted->profile.rate) sample(&wanted->profile);
  if (!wanted->tasks) return;
  const char *why = install_hooks();
  if (!why) why = optrace_record_tasks(recorder, code_define);
  if (why) request_complain("the rest is recorded", "tasks cannot be recorded (%s)", why);
}

// False: there is no recorder, and why has been said.
static bool begin(const wishes *wanted, const created_file *file) {
  recorder = create_recorder(wanted, file);
  if (!recorder) return false;
  if (wanted->is_ring) carry_begin(recorder);
  texts_begin(recorder, wanted->is_ring ? wanted->capacity / 4 : UINT64_MAX);
  optrace_recorder_use_stacks(recorder, wanted->stacks, NULL, code_define_stack);
  atexit(stop_at_exit);
  record_what_is_wanted(wanted);
  optrace_set_default(recorder);
  request_note_recording(file->path);
  return true;
}

static const char *detail(const char *why) {
  return optrace_is_wanted("OPTRACE_VERBOSE") ? why : "OPTRACE_VERBOSE=1 says why";
}

static void watch_everything(const created_file *file) {
  const char *why = install_hooks();
  if (!why) {
    // Any pointer that lives as long as the process.
    optrace_hooks_watch(recorder, recorder);
    optrace_record_tests(recorder);
    return;
  }
  // The trace would stay empty.
  optrace_set_default(NULL);
  stop();
  unlink(file->path);
  request_complain(NOTHING_IS_RECORDED,
                   "the operations of this program cannot be recorded from outside (%s); link OpTrace instead", detail(why));
}

void optrace_begin_from_outside(void) {
  if (recorder) return;
  if (book_is_stripped())
    return request_complain(NOTHING_IS_RECORDED,
                            "its symbols were stripped, so Swift's libraries in it cannot be found; run the file as it was before "
                            "`strip`, or put its debug file (same build id) beside it");
  wishes wanted;
  if (!wishes_read(&wanted)) return;
  optrace_hooks_describe_by(describe_prepare, describe_fill_hook_calls);
  // Nothing is examined later: from here on Foundation is used as this recorder knows it.
  const char *why = optrace_hooks_misfit();
  bool has_more = wanted.dispatch || wanted.tasks;
  if (why)
    request_complain(has_more ? "blocks and tasks are recorded" : NOTHING_IS_RECORDED,
                     "the operations of this program cannot be recorded (%s)", why);
  if (why && !has_more) return free(wanted.path);
  optrace_hooks_begin();
  created_file file = create_file(wanted.path);
  if (file.result == created && begin(&wanted, &file)) watch_everything(&file);
  for (uint32_t i = 0; describe_left_out(i); i++) request_complain("the rest is recorded", "%s", describe_left_out(i));
  const char *left_out = optrace_hooks_left_out();
  if (left_out) request_complain("the rest is recorded", "%s", left_out);
  optrace_hooks_begun();
  free(file.path);
  free(wanted.path);
}
