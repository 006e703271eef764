// Writing to what the linker has written: class metadata and import tables are in writable data, or in the part that the loader
// makes read-only when it is done (RELRO). That part is opened for the moment of a write. Nothing else is touched.
#include "memory.h"

#if OPTRACE_HAS_HOOKS
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
  uintptr_t from, to;
  bool found, writable;
  uintptr_t relro_from, relro_to;
} segment_search;

static int find_segment(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  segment_search *p = context;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    uintptr_t from = object->dlpi_addr + header->p_vaddr;
    if (header->p_type != PT_LOAD || p->from < from || p->to > from + header->p_memsz) continue;
    p->found = true;
    p->writable = header->p_flags & PF_W;
    for (int j = 0; j < object->dlpi_phnum; j++) {
      const ElfW(Phdr) *relro = &object->dlpi_phdr[j];
      if (relro->p_type != PT_GNU_RELRO) continue;
      // The loader protects whole pages: down to the last one that is RELRO from end to end.
      uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
      p->relro_from = (object->dlpi_addr + relro->p_vaddr) & ~(page - 1);
      p->relro_to = (object->dlpi_addr + relro->p_vaddr + relro->p_memsz) & ~(page - 1);
    }
    return 1;
  }
  return 0;
}

bool memory_open(const void *address, size_t bytes, memory_window *window) {
  segment_search p = {.from = (uintptr_t)address, .to = (uintptr_t)address + bytes};
  *window = (memory_window){0};
  dl_iterate_phdr(find_segment, &p);
  // In no object: the runtime allocated it, as it does for generic classes.
  if (!p.found) return true;
  window->in_object = true;
  if (!p.writable) return false;
  if (p.to <= p.relro_from || p.from >= p.relro_to) return true;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t from = p.from & ~(page - 1), to = (p.to + page - 1) & ~(page - 1);
  if (from < p.relro_from) from = p.relro_from;
  if (to > p.relro_to) to = p.relro_to;
  if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE) != 0) return false;
  *window = (memory_window){(void *)from, to - from, true};
  return true;
}

void memory_close(const memory_window *window) {
  if (window->bytes) mprotect(window->protect, window->bytes, PROT_READ);
}
#endif
