// Class metadata and import tables are in writable data, or in the part that the loader makes read-only after it has filled it in (RELRO).
// That part is made writable only for the moment of a write. Nothing else is changed.
#include "memory.h"

#if OPTRACE_HAS_HOOKS
#include <linux/futex.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
  uintptr_t from, to;
} range;

typedef struct {
  range wanted;
  bool found, writable;
  range sealed;
} segment_search;

// The pages that the loader makes read-only, up to the last one that is completely RELRO. Empty: there are none.
static range find_sealed(const struct dl_phdr_info *object) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *relro = &object->dlpi_phdr[i];
    if (relro->p_type != PT_GNU_RELRO) continue;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = object->dlpi_addr + relro->p_vaddr;
    range sealed = {from & ~(page - 1), (from + relro->p_memsz) & ~(page - 1)};
    if (sealed.from < sealed.to) return sealed;
  }
  return (range){0};
}

static int find_segment(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  segment_search *p = context;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    uintptr_t from = object->dlpi_addr + header->p_vaddr;
    if (header->p_type != PT_LOAD || p->wanted.from < from || p->wanted.to > from + header->p_memsz) continue;
    p->found = true;
    p->writable = header->p_flags & PF_W;
    p->sealed = find_sealed(object);
    return 1;
  }
  return 0;
}

bool memory_open(const void *address, size_t bytes, memory_window *window) {
  segment_search p = {.wanted = {(uintptr_t)address, (uintptr_t)address + bytes}};
  *window = (memory_window){0};
  dl_iterate_phdr(find_segment, &p);
  // It is in no object, so the runtime has allocated it, as it does for generic classes.
  if (!p.found) return true;
  window->in_object = true;
  if (!p.writable) return false;
  if (p.wanted.to <= p.sealed.from || p.wanted.from >= p.sealed.to) return true;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t from = p.wanted.from & ~(page - 1), to = (p.wanted.to + page - 1) & ~(page - 1);
  if (from < p.sealed.from) from = p.sealed.from;
  if (to > p.sealed.to) to = p.sealed.to;
  if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE) != 0) return false;
  *window = (memory_window){(void *)from, to - from, true};
  return true;
}

void memory_close(const memory_window *window) {
  if (window->bytes) mprotect(window->protect, window->bytes, PROT_READ);
}

// Uses a futex call in which the kernel atomically adds 0 to the word, and which fails if the word is not writable. No thread waits on
// either word.
bool memory_is_writable(const void *word) {
  static uint32_t nobodys;
  return syscall(SYS_futex, &nobodys, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, (void *)0, word,
                 FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) >= 0;
}

memory_sealing memory_sealing_of(const struct dl_phdr_info *object) {
  range sealed = find_sealed(object);
  if (sealed.from == sealed.to) return sealing_none;
  return memory_is_writable((const void *)sealed.from) ? sealing_due : sealing_done;
}
#endif
