// When somebody truncates the file while it is mapped, a store behind its end raises SIGBUS, which would kill the recorded program.
// For a fault inside our mappings this handler maps an anonymous page there and stops the recording. All other faults go to the
// handler that was installed before.
#include "guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder.h"

enum { guard_slots = 256 };

static struct {
  _Atomic(optrace_recorder *) recorder;
  _Atomic uintptr_t base, size;
} guarded[guard_slots];

static struct sigaction previous;
static uintptr_t page_size;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Restricted to what a signal handler may do: loads, stores, one system call.
static bool repair(uintptr_t at) {
  for (int slot = 0; slot < guard_slots; slot++) {
    optrace_recorder *recorder = atomic_load(&guarded[slot].recorder);
    if (!recorder || at - atomic_load(&guarded[slot].base) >= atomic_load(&guarded[slot].size)) continue;
    void *page = (void *)(at / page_size * page_size);
    if (mmap(page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
      return false;
    atomic_store(&recorder->was_cut, true);
    atomic_store(&recorder->enabled, 0);
    return true;
  }
  return false;
}

static void on_bus_error(int number, siginfo_t *info, void *context) {
  int error = errno;
  if (repair((uintptr_t)info->si_addr)) {
    errno = error;
    return;
  }
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(number, info, context);
  } else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    sigaction(number, &previous, NULL);  // The instruction runs again, and faults as if our handler had never been installed.
  } else {
    previous.sa_handler(number);
  }
}

static void install(void) {
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  struct sigaction action = {0};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, NULL, &previous);
  sigaction(SIGBUS, &action, NULL);
}

int guard_add(optrace_recorder *recorder, const void *base, uint64_t size) {
  pthread_once(&once, install);
  for (int slot = 0; slot < guard_slots; slot++) {
    optrace_recorder *none = NULL;
    // Store the size last: until then the slot contains no address.
    if (!atomic_compare_exchange_strong(&guarded[slot].recorder, &none, recorder)) continue;
    atomic_store(&guarded[slot].base, (uintptr_t)base);
    atomic_store(&guarded[slot].size, (uintptr_t)size);
    return slot;
  }
  return -1;
}

void guard_remove(int slot) {
  if (slot < 0) return;
  atomic_store(&guarded[slot].size, 0);
  atomic_store(&guarded[slot].recorder, NULL);
}
