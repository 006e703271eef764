#include "pause.h"

#include "../entries/entries.h"
#include "../base/word.h"
#include "alive.h"
#include "flusher.h"

// A thread still counts for a moment after it was joined.
static void wait_until_alone(void) {
  enum { most_rounds = 1000, a_millisecond = 1000000 };
  _Atomic uint32_t nobody = 0;
  for (int round = 0; round < most_rounds && !entries_is_alone(); round++) word_wait(&nobody, 0, a_millisecond);
}

bool flushers_pause(void) {
  if (!entries_is_alone()) return false;
  bool any = false;
  for (optrace_recorder *recorder = alive_newest(); recorder; recorder = recorder->made_before) any |= flusher_pause(recorder);
  if (any) wait_until_alone();
  return any;
}

void flushers_resume(void) {
  for (optrace_recorder *recorder = alive_newest(); recorder; recorder = recorder->made_before) flusher_resume(recorder);
}
