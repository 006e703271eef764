// Three ways to change code. Which of them a system has left open shows when they are tried, so each is tried on a page of our own first:
//   memory      the kernel writes, through /proc/self/mem, and asks no rights of the page. Rules against code that can be written (PR_SET_MDWE,
//               filters of system calls like systemd's MemoryDenyWriteExecute, SELinux's execmod) are about mappings, and leave it alone
//   page        a copy of the page in a file in memory, mapped to be read and executed, takes the place of the page. Never both written and executed
//   protection  the page may be written for a moment, and executed meanwhile. Not: first written, then executed. Some systems let the right
//               to execute be taken and not be given back, and then the page is lost
#include "write.h"

#if defined(OPTRACE_HAS_ENTRIES)

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { page_size = 4096, word = 8 };

// A page with a function that returns a number, for proofs.
__asm__(
  ".pushsection .text.optrace_proof, \"ax\", @progbits\n.balign 4096, 0xCC\n.type optrace_proof, @function\n.local optrace_proof\n"
  "optrace_proof:\n mov $90, %eax\n ret\n.size optrace_proof, .-optrace_proof\n.balign 4096, 0xCC\n.popsection\n");
#pragma GCC visibility push(hidden)
extern int optrace_proof(void);
#pragma GCC visibility pop

static bool by_memory(uint64_t address, const void *bytes, size_t count) {
  // Opened each time: a descriptor inherited by a fork would change the parent, and programs close what they do not know.
  int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t written = pwrite(file, bytes, count, (off_t)address);
  close(file);
  return written == (ssize_t)count;
}

int write_file_in_memory(size_t size) {
  // Where files in memory are not to be executed unless it is said (Linux 6.3); older systems know no such word.
  enum { close_on_exec = 1, may_be_executed = 0x10 };
  int file = (int)syscall(SYS_memfd_create, "optrace", close_on_exec | may_be_executed);
  if (file < 0) file = (int)syscall(SYS_memfd_create, "optrace", close_on_exec);
  if (file >= 0 && ftruncate(file, (off_t)size) != 0) {
    close(file);
    return -1;
  }
  return file;
}

static bool by_page(uint64_t address, const void *bytes, size_t count) {
  uint64_t low = address & ~(uint64_t)(page_size - 1), high = (address + count + page_size - 1) & ~(uint64_t)(page_size - 1);
  size_t size = (size_t)(high - low);
  int file = write_file_in_memory(size);
  if (file < 0) return false;
  uint8_t *filled = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  void *copy = MAP_FAILED;
  if (filled != MAP_FAILED) {
    memcpy(filled, (const void *)(uintptr_t)low, size);
    memcpy(filled + (address - low), bytes, count);
    munmap(filled, size);
    copy = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  }
  close(file);
  if (copy == MAP_FAILED) return false;
  // What is refused is refused before: nothing is taken away that is not replaced.
  if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)(uintptr_t)low) == (void *)(uintptr_t)low) return true;
  munmap(copy, size);
  return false;
}

static void store(uint64_t address, const void *bytes, size_t count) {
  // By words, so that whoever comes along meets what was there or what is there now.
  const uint8_t *from = bytes;
  while (count) {
    uint64_t base = address & ~(uint64_t)(word - 1), value;
    size_t offset = (size_t)(address - base), part = word - offset < count ? word - offset : count;
    memcpy(&value, (const void *)(uintptr_t)base, word);
    memcpy((uint8_t *)&value + offset, from, part);
    __atomic_store_n((uint64_t *)(uintptr_t)base, value, __ATOMIC_RELEASE);
    address += part;
    from += part;
    count -= part;
  }
}

static bool by_protection(uint64_t address, const void *bytes, size_t count) {
  uint64_t low = address & ~(uint64_t)(page_size - 1), high = (address + count + page_size - 1) & ~(uint64_t)(page_size - 1);
  void *pages = (void *)(uintptr_t)low;
  if (mprotect(pages, (size_t)(high - low), PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  store(address, bytes, count);
  // It could be executed all the time, so there is nothing that may be refused; and if it is, the page stays as it is.
  mprotect(pages, (size_t)(high - low), PROT_READ | PROT_EXEC);
  return true;
}

static bool write_by(write_way way, uint64_t address, const void *bytes, size_t count) {
  bool is_done = way == write_by_memory ? by_memory(address, bytes, count)
               : way == write_by_page   ? by_page(address, bytes, count)
                                        : by_protection(address, bytes, count);
  // What a compiler knows of code does not hold here.
  __asm__ volatile("" ::: "memory");
  return is_done && memcmp((const void *)(uintptr_t)address, bytes, count) == 0;
}

bool write_prove(write_way way) {
  // Not as the compiler sees it.
  int (*volatile call)(void) = optrace_proof;
  uint8_t number = (uint8_t)(way + 1);
  if (!write_by(way, (uint64_t)(uintptr_t)optrace_proof + 1, &number, 1)) return false;
  return call() == number;
}

write_way write_proven(void) {
  static bool is_tried;
  static write_way proven;
  if (is_tried) return proven;
  for (proven = write_by_memory; proven < write_ways && !write_prove(proven); proven++) {}
  is_tried = true;
  return proven;
}

bool write_code(uint64_t address, const void *bytes, size_t count) {
  write_way way = write_proven();
  return way < write_ways && write_by(way, address, bytes, count);
}

#else

typedef int no_code_is_changed_here;

#endif
