#include "seen.h"

#include "COpTraceFields.h"

// Converts the kernel's letter for a thread's state to the trace format's number.
static uint8_t state_of(char state) {
  switch (state) {
    case 'R': return 1;
    case 'S': return 2;
    case 'D': return 3;
    case 'T': case 't': return 4;
    case 'Z': case 'X': return 5;
    default: return 0;
  }
}

void seen_words(const moment_thread *seen, uint32_t owner, uint64_t words[2]) {
  enum { most_cpu = INT32_MAX, most_call = optrace_thread_seen_largest_call - 1 };
  const sleep_reason *reason = &seen->reason;
  uint64_t cpu = seen->cpu / 1000000;
  uint64_t call = seen->call >= 0 && seen->call < most_call ? (uint64_t)seen->call + 1 : 0;
  optrace_thread_seen_fields fields = {
    .cpu = (uint32_t)(cpu < most_cpu ? cpu : most_cpu), .owner = owner, .state = state_of(seen->state), .running = seen->is_running,
    .ended = reason->owner_ended, .timed = reason->timed, .still = seen->is_still,
    .lock = reason->lock, .call = (uint16_t)call, .reason = (uint8_t)reason->kind,
  };
  words[0] = optrace_thread_seen_word1(fields);
  words[1] = optrace_thread_seen_word2(fields);
}
