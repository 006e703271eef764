#include "peek.h"

#include <stdatomic.h>

#include "../base/filter.h"
#include "../base/own_call.h"
#include "supported.h"

static _Atomic uint32_t other;

// Only the thread that looks at another process changes and uses it.
static struct {
  peek_reader *read;
  peek_has_thread *has_thread;
  void *context;
} source;

void peek_by(peek_reader *read, peek_has_thread *has_thread, void *context) {
  source.read = read;
  source.has_thread = has_thread;
  source.context = context;
}

bool peek_knows_thread(uint32_t id, bool *has) {
  if (!peek_process() || !source.has_thread) return false;
  *has = source.has_thread(source.context, id);
  return true;
}

void peek_into(uint32_t process) { atomic_store(&other, process); }
uint32_t peek_process(void) { return atomic_load_explicit(&other, memory_order_relaxed); }

#if OPTRACE_STACKS

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// For sandboxes that refuse the system call. The file is opened each time, because a descriptor inherited by a fork would show the
// parent's memory.
static size_t peek_by_file(uint64_t address, void *out, size_t size) {
  char path[32] = "/proc/self/mem";
  uint32_t process = peek_process();
  if (process) snprintf(path, sizeof path, "/proc/%u/mem", process);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = pread(file, out, size, (off_t)address);
  close(file);
  return count < 0 ? 0 : (size_t)count;
}

// Calls it by number, because sanitizers check the arguments of the C library's function.
size_t peek(uint64_t address, void *out, size_t size) {
  if (!size || address > INT64_MAX || size > INT64_MAX - address) return 0;
  uint32_t process = peek_process();
  if (process && source.read) return source.read(source.context, address, out, size);
  if (!system_call_begins()) return 0;
  int error = errno;
  bool was = own_call_begins();
  struct iovec to = {out, size}, from = {(void *)(uintptr_t)address, size};
  long count = syscall(SYS_process_vm_readv, process ? (long)process : (long)getpid(), &to, 1ul, &from, 1ul, 0ul);
  if (count < 0 && errno != EFAULT) count = (long)peek_by_file(address, out, size);
  own_call_ends(was);
  errno = error;
  system_call_ends();
  return count < 0 ? 0 : (size_t)count;
}

#else

size_t peek(uint64_t address, void *out, size_t size) {
  (void)address, (void)out, (void)size;
  return 0;
}

#endif

bool peek_all(uint64_t address, void *out, size_t size) { return peek(address, out, size) == size; }
