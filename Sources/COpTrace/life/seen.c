#include "seen.h"

// As the format has them.
static uint64_t state_of(char state) {
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
  enum { most_cpu = 0x7FFFFFFF, call_place = 48, most_call = 0xFFE, reason_place = 60 };
  const sleep_reason *reason = &seen->reason;
  uint64_t cpu = seen->cpu / 1000000;
  uint64_t call = seen->call >= 0 && seen->call < most_call ? (uint64_t)seen->call + 1 : 0;
  words[0] = (cpu < most_cpu ? cpu : most_cpu) | (uint64_t)owner << 32 | state_of(seen->state) << 56 |
             (uint64_t)seen->is_running << 60 | (uint64_t)reason->owner_ended << 61 | (uint64_t)reason->timed << 62 |
             (uint64_t)seen->is_still << 63;
  words[1] = (reason->lock & (((uint64_t)1 << 48) - 1)) | call << call_place | (uint64_t)reason->kind << reason_place;
}
