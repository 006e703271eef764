// Three ways to change code. Systems may forbid some of them, so each is tried on a page of our own before it is used.
//   memory      The kernel writes, through /proc/self/mem, whatever the protection of the page is. Rules against writable code
//               (PR_SET_MDWE, system call filters such as systemd's MemoryDenyWriteExecute, SELinux's execmod) concern
//               mappings, and do not forbid this.
//   page        A copy of the page in a memory file, mapped readable and executable, replaces the page. No page is ever both
//               writable and executable.
//   protection  The page is writable and executable for a moment. It is not made non-executable meanwhile: some systems allow
//               that, but not the way back, and then the page would be lost.
#include "write.h"

#if defined(OPTRACE_HAS_ENTRIES)

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { word = 8 };

// A page with a function that returns a number. The ways are tried on it.
#if defined(__x86_64__)
#define NUMBER "mov $90, %eax\n ret"
enum { number_at = 1 };
#else
#define NUMBER "mov w0, #2880\n ret"
enum { number_at = 0 };
#endif
__asm__(
  ".pushsection .text.optrace_proof, \"ax\", %progbits\n.balign 4096\n.type optrace_proof, %function\n.local optrace_proof\n"
  "optrace_proof:\n " NUMBER "\n.size optrace_proof, .-optrace_proof\n.balign 4096\n.popsection\n");
#pragma GCC visibility push(hidden)
extern int optrace_proof(void);
#pragma GCC visibility pop

int write_file_in_memory(size_t size) {
  // Since Linux 6.3 a system may require a flag for memory files that are to be executable. Older systems do not know the flag.
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
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), low = address & ~(page - 1), high = (address + count + page - 1) & ~(page - 1);
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
  // If this is refused, that happens before anything is unmapped, so the old page stays.
  if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)(uintptr_t)low) == (void *)(uintptr_t)low) return true;
  munmap(copy, size);
  return false;
}

static void store(uint64_t address, const void *bytes, size_t count) {
  // Store whole words, so that a thread that executes this code meets either the old or the new instructions.
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
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), low = address & ~(page - 1), high = (address + count + page - 1) & ~(page - 1);
  void *pages = (void *)(uintptr_t)low;
  if (mprotect(pages, (size_t)(high - low), PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  store(address, bytes, count);
  // This only takes the right to write away, so nothing should refuse it. If something does, the page stays writable.
  mprotect(pages, (size_t)(high - low), PROT_READ | PROT_EXEC);
  return true;
}

static bool write_part(write_way way, int memory, const code_part *part) {
  switch (way) {
    case write_by_memory:
      if (memory < 0 || pwrite(memory, part->bytes, part->count, (off_t)part->address) != (ssize_t)part->count) return false;
      break;
    case write_by_page:
      if (!by_page(part->address, part->bytes, part->count)) return false;
      break;
    case write_by_protection:
      if (!by_protection(part->address, part->bytes, part->count)) return false;
      break;
    default: return false;
  }
  // Make processors with separate instruction caches reload the code. The barrier keeps the compiler from assuming the old contents.
  char *written = (char *)(uintptr_t)part->address;
  __builtin___clear_cache(written, written + part->count);
  __asm__ volatile("" ::: "memory");
  return memcmp((const void *)(uintptr_t)part->address, part->bytes, part->count) == 0;
}

static bool write_by(write_way way, const code_part *parts, size_t count) {
  // Open it each time: a descriptor inherited by a fork would change the parent, and programs close descriptors that they do not know.
  int memory = way == write_by_memory ? open("/proc/self/mem", O_RDWR | O_CLOEXEC) : -1;
  bool is_well = true;
  for (size_t i = 0; i < count && is_well; i++) is_well = write_part(way, memory, &parts[i]);
  if (memory >= 0) close(memory);
  return is_well;
}

bool write_prove(write_way way) {
  // Volatile, so that the compiler does not assume the old code. Call it before the change, too: an emulator may keep using its old
  // translation, and this would reveal that.
  int (*volatile call)(void) = optrace_proof;
  uint32_t number;
  call();
#if defined(__x86_64__)
  number = (uint32_t)way + 1;
#else
  number = 0x52800000 | ((uint32_t)way + 1) << 5;  // mov w0, #
#endif
  code_part part = {(uint64_t)(uintptr_t)optrace_proof + number_at, &number, sizeof number};
  return write_by(way, &part, 1) && call() == (int)way + 1;
}

write_way write_proven(void) {
  static bool is_tried;
  static write_way proven;
  if (is_tried) return proven;
  for (proven = write_by_memory; proven < write_ways && !write_prove(proven); proven++) {}
  is_tried = true;
  return proven;
}

bool write_code(const code_part *parts, size_t count) {
  write_way way = write_proven();
  return way < write_ways && write_by(way, parts, count);
}

#else

typedef int no_code_is_changed_here;

#endif
