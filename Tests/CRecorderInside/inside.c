#include "CRecorderInside.h"

#include "../../Sources/COpTrace/storage/recorder.h"

int test_descriptor(const optrace_recorder *recorder) { return recorder->descriptor; }

// Others may change it meanwhile, which only makes for another sum.
__attribute__((no_sanitize("thread"))) uint64_t test_shared(const optrace_recorder *recorder) {
  uint64_t sum = 0;
  const volatile uint64_t *words = (const volatile uint64_t *)(const void *)recorder;
  for (size_t i = 0; i < sizeof *recorder / 8; i++) sum = (sum ^ words[i]) * 0xFF51AFD7ED558CCDull;
  return sum;
}
