#include "CRecorderInside.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../Sources/COpTrace/base/wiped.h"
#include "../../Sources/COpTrace/stacks/modules.h"
#include "../../Sources/COpTrace/storage/recorder.h"
#include "../../Sources/COpTrace/tasks/suspension.h"
#include "../../Sources/COpTrace/waits/signals.h"

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

int test_signals_forgotten(uint64_t seed, int objects) {
  uint64_t first = seed * 0xD6E8FEB86659FD93ull & 0x00007FFFFFFFFFF0ull, distance = (seed % 61 + 1) * 48;
  int lost = 0;
  for (int i = 0; i < objects; i++) signal_note(first + (uint64_t)i * distance, (work){NULL, (uint32_t)i + 1});
  for (int i = 0; i < objects; i++) {
    signal_record found;
    lost += !signal_find(first + (uint64_t)i * distance, &found) || found.serial != (uint32_t)i + 1;
  }
  for (int i = 0; i < objects; i++) {
    signal_record found;
    signal_forget(first + (uint64_t)i * distance);
    lost += signal_find(first + (uint64_t)i * distance, &found);
  }
  return lost;
}

enum { task_words = 64, resume_word = 7, context_word = 8, dependency_word = 20 };

// A task of the runtime that is known, which has left its executor: what it waits for stands behind it, then a context.
static void make_task(uint64_t *task) {
  uint64_t *dependency = task + 40, *context = task + 48;
  memset(task, 0, task_words * sizeof *task);
  task[resume_word] = (uint64_t)(uintptr_t)make_task;
  task[context_word] = (uint64_t)(uintptr_t)context;
  task[dependency_word] = (uint64_t)(uintptr_t)dependency;
  dependency[4] = 4;
  dependency[5] = (uint64_t)(uintptr_t)task;
  context[1] = (uint64_t)(uintptr_t)test_read_task;
}

test_task_reading test_read_task(uint32_t version, int odd_word, uint64_t value, int before) {
  // Of this call alone: tests run at once.
  _Alignas(16) uint64_t task[task_words];
  task_proof proof = {.layout = optrace_task_layout_of(version)};
  task_reading found;
  test_task_reading reading = {0};
  modules_refresh();
  make_task(task);
  for (int i = 0; i < before; i++) task_read(&proof, task, true, &found);
  if (odd_word >= 0) task[odd_word] = value;
  reading.fits = task_read(&proof, task, true, &found);
  reading.reason = found.reason;
  reading.functions = (int)found.count;
  make_task(task);
  reading.fits_ever = task_read(&proof, task, true, &found);
  return reading;
}
