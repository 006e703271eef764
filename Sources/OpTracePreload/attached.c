// What `optrace record --pid` calls in a program that runs already, on a thread of its own. That thread lasts as long as the recording, and
// ends it: when the command asks for it, or has ended.
#include "OpTracePreload.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "COpTraceHooks.h"
#include "block.h"

// That of the recording; null: there is none.
static attached_block *_Atomic shared;

static void set_state(uint32_t state) { __atomic_store_n(&shared->state, state, __ATOMIC_RELEASE); }
static uint32_t asked(void) { return __atomic_load_n(&shared->asked, __ATOMIC_ACQUIRE); }

static void add_line(attached_block *to, const char *first, const char *between, const char *second) {
  uint32_t length = to->text_length;
  size_t room = sizeof to->text - length;
  int count = snprintf(to->text + length, room, "%s%s%s\n", first, between, second);
  if (count > 0) to->text_length = length + ((size_t)count < room ? (uint32_t)count : (uint32_t)room - 1);
}

static void note_path(const char *path) { add_line(shared, path, "", ""); }
static void note_complaint(const char *why, const char *result) { add_line(shared, why, "; ", result); }

// The command may be killed. Its process id may then be another one's. Its start cannot be read where other users' processes are hidden.
static bool is_command_there(void) {
  if (kill((pid_t)shared->command, 0) != 0 && errno == ESRCH) return false;
  uint64_t start = optrace_process_start(shared->command);
  return !start || start == shared->command_start;
}

static void pause_for(long milliseconds) {
  struct timespec time = {0, milliseconds * 1000000};
  nanosleep(&time, NULL);
}

static void wait_for(uint32_t what) {
  enum { pause = 20, between_looks = 25 };
  for (uint32_t round = 1; asked() < what && (round % between_looks || is_command_there()); round++) pause_for(pause);
}

// No handler of the program runs here, nor in the recorder's own thread, which inherits this. What the C library sends to all threads is let
// through: it waits for the answer. So does Swift's runtime with SIGPROF when the program crashes. SIGBUS is the recorder's own.
static void keep_signals_out(void) {
  sigset_t all;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGPROF);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
}

// The thread that was borrowed may be one that must run before all others.
static void be_ordinary(void) {
  const struct sched_param none = {0};
  if (sched_getscheduler(0) != SCHED_OTHER) sched_setscheduler(0, SCHED_OTHER, &none);
}

// The settings stay as long as the recorder, which asks for them until the next recording.
static bool begin(void) {
  static char settings[attached_settings_size];
  memcpy(settings, shared->settings, sizeof settings);
  settings[sizeof settings - 1] = settings[sizeof settings - 2] = 0;
  return optrace_begin_late(settings, note_path, note_complaint);
}

static void record(void) {
  set_state(attached_starting);
  // The command may have given up meanwhile.
  if (asked() >= attached_end || !is_command_there()) return set_state(attached_ended);
  if (!begin()) return set_state(attached_refused);
  set_state(attached_recording);
  wait_for(attached_end);
  shared->text_length = 0;
  int error = optrace_end_late();
  if (error) add_line(shared, "the trace was not closed properly: ", strerror(error), "; it can still be read");
  set_state(attached_ended);
}

// Null, or why this process cannot be recorded now.
static const char *obstacle(attached_block *block) {
  static _Atomic pid_t first;
  pid_t none = 0;
  if (!atomic_compare_exchange_strong(&first, &none, getpid()) && none != getpid())
    return "it is a forked copy of a program that was recorded";
  attached_block *nobody = NULL;
  return atomic_compare_exchange_strong(&shared, &nobody, block) ? NULL : "it is being recorded already";
}

__attribute__((visibility("default"))) void optrace_attached(attached_block *block) {
  prctl(PR_SET_NAME, "optrace-attach");
  keep_signals_out();
  be_ordinary();
  const char *why = obstacle(block);
  if (why) {
    // The command reads the block, and nobody else has it. It stays.
    add_line(block, why, "", "");
    return __atomic_store_n(&block->state, attached_refused, __ATOMIC_RELEASE);
  }
  // Code of this object may be called as long as the program runs: by a block that was submitted while it was recorded.
  static void *kept;
  Dl_info own;
  if (!kept && dladdr((void *)optrace_attached, &own)) kept = dlopen(own.dli_fname, RTLD_NOW | RTLD_NODELETE);
  record();
  dlerror();
  wait_for(attached_read_all);
  atomic_store(&shared, NULL);
  munmap(block, attached_block_size);
}

#endif
