#include "CRecorderInside.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../Sources/COpTrace/base/wiped.h"
#include "../../Sources/COpTrace/storage/recorder.h"

int test_descriptor(const optrace_recorder *recorder) { return recorder->descriptor; }

// Others may change it meanwhile, which only makes for another sum.
__attribute__((no_sanitize("thread"))) uint64_t test_shared(const optrace_recorder *recorder) {
  uint64_t sum = 0;
  const volatile uint64_t *words = (const volatile uint64_t *)(const void *)recorder;
  for (size_t i = 0; i < sizeof *recorder / 8; i++) sum = (sum ^ words[i]) * 0xFF51AFD7ED558CCDull;
  return sum;
}

bool test_child_finds_pages_empty(void) {
  enum { size = 20000 };
  unsigned char *pages[2] = {wiped_pages(size), wiped_pages_by_handler(size)};
  for (int i = 0; i < 2; i++) {
    if (!pages[i]) return false;
    memset(pages[i], 0xA5, size);
  }
  pid_t child = fork();
  if (child == 0) {
    int set = 0;
    for (size_t i = 0; i < size; i++) set |= pages[0][i] | pages[1][i];
    _exit(set ? 1 : 0);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child) return false;
  // The parent's are as they were.
  for (size_t i = 0; i < size; i++) {
    if (pages[0][i] != 0xA5 || pages[1][i] != 0xA5) return false;
  }
  return status == 0;
}
