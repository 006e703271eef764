// Begins a recording: creates the file, its header, the recorder, what a ring carries forward, and the tables of names.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../describe/carry.h"
#include "../describe/code.h"
#include "../describe/texts.h"
#include "COpTraceBegin.h"
#include "create.h"
#include "header.h"

// NULL and errno if there is no room.
static optrace_recorder *create_recorder(const optrace_wishes *wishes, uint64_t capacity, int descriptor) {
  uint8_t header[optrace_header_static_checksum];
  optrace_options options = {.descriptor = descriptor, .use_counter = wishes->use_counter, .ring = wishes->is_ring,
                             .capacity = capacity, .size_limit = wishes->size_limit};
  if (wishes->is_ring && !carry_prepare(&options)) {
    close(descriptor);
    errno = ENOMEM;
    return NULL;
  }
  trace_header_make(header, options.use_counter, options.ring, wishes->process_name);
  options.header = header;
  options.header_size = sizeof header;
  return optrace_recorder_create(&options);
}

// In a ring definitions are never overwritten, so their size is limited.
static uint64_t room_for_names(uint64_t capacity) {
  const uint64_t a_small_ring = 1 << 20;
  return capacity <= a_small_ring ? capacity / 4 : capacity / 8;
}

optrace_recording optrace_recording_begin(const char *path, const optrace_wishes *wishes) {
  created_file file = trace_file_create(path);
  optrace_recording begun = {.error = file.error, .path = file.path};
  if (file.result != created) {
    begun.result = file.result == is_no_trace ? optrace_is_no_trace : optrace_not_created;
    return begun;
  }
  uint64_t capacity = wishes->is_ring ? wishes->capacity : 0;
  if (wishes->is_ring && capacity < optrace_smallest_capacity) capacity = optrace_smallest_capacity;
  begun.recorder = create_recorder(wishes, capacity, file.descriptor);
  if (!begun.recorder) {
    begun.error = errno;
    begun.result = optrace_has_no_room;
    unlink(file.path);
    return begun;
  }
  begun.result = optrace_begun;
  // If memory is out, the trace has no names.
  if (texts_begin(begun.recorder, wishes->is_ring ? room_for_names(capacity) : UINT64_MAX)) code_begin(begun.recorder);
  optrace_recorder_use_stacks(begun.recorder, wishes->stacks);
  if (wishes->cpu) optrace_recorder_record_cpu(begun.recorder);
  if (wishes->profile.rate) begun.profile_error = optrace_recorder_profile(begun.recorder, &wishes->profile);
  return begun;
}

char *optrace_profile_refused(const optrace_profile_options *options, int error) {
  const char *other = options->by == optrace_profile_by_events ? "; timers, whose signals interrupt threads, need no permission: "
                                                                 "--profile-by timer" : "";
  char *text = NULL;
  return asprintf(&text, "processor time cannot be sampled: %s%s", optrace_profile_refusal(error), other) < 0 ? NULL : text;
}

char *optrace_outcome_text(optrace_outcome result, const char *path, int error) {
  const char *colon = error ? ": " : "", *why = error ? strerror(error) : "";
  const char *limit = error == EFBIG ? " (the limit of file sizes, ulimit -f, leaves no room for it)" : "";
  char *text = NULL;
  int length = -1;
  switch (result) {
    case optrace_begun: return strdup("");
    case optrace_not_created: length = asprintf(&text, "cannot create the trace '%s'%s%s%s", path, colon, why, limit); break;
    case optrace_is_no_trace:
      length = asprintf(&text, "'%s' exists and is not a trace: choose another name or remove it", path);
      break;
    case optrace_has_no_room:
      length = asprintf(&text, "cannot reserve space for the trace '%s'%s%s%s", path, colon, why, limit);
      break;
    case optrace_not_closed:
      length = asprintf(&text, "the trace '%s' was not closed properly%s%s%s; it can still be read", path, colon, why, limit);
      break;
  }
  return length < 0 ? NULL : text;
}
