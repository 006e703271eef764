// Which file the code at an address is from.
#include "COpTrace.h"

#include <string.h>
#include <unistd.h>

#if defined(__linux__) && __SIZEOF_POINTER__ == 8
#include <elf.h>
#include <link.h>

enum { build_id_type = 3 };  // NT_GNU_BUILD_ID

typedef struct {
  uint64_t address;
  optrace_image *out;
} search;

static void copy_path(const char *path, char out[optrace_longest_path]) {
  // The program itself has no name there.
  if (path && *path) {
    size_t length = strnlen(path, optrace_longest_path - 1);
    memcpy(out, path, length);
    out[length] = 0;
    return;
  }
  ssize_t length = readlink("/proc/self/exe", out, optrace_longest_path - 1);
  out[length > 0 ? length : 0] = 0;
}

static size_t rounded(size_t size) { return (size + 3) & ~(size_t)3; }

static void copy_build_id(const uint8_t *notes, size_t size, optrace_image *out) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, notes, sizeof note);
    size_t name = sizeof note, content = name + rounded(note.n_namesz), end = content + rounded(note.n_descsz);
    if (end > size || end < content) return;
    if (note.n_type == build_id_type && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0) {
      out->build_id_size = note.n_descsz < sizeof out->build_id ? note.n_descsz : sizeof out->build_id;
      memcpy(out->build_id, notes + content, out->build_id_size);
      return;
    }
    notes += end;
    size -= end;
  }
}

static int look(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  search *s = data;
  uint64_t low = UINT64_MAX, high = 0;
  bool is_inside = false;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    uint64_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
    if (from < low) low = from;
    if (to > high) high = to;
    if (s->address >= from && s->address < to) is_inside = true;
  }
  if (!is_inside) return 0;
  s->out->bias = info->dlpi_addr;
  s->out->base = low;
  s->out->size = high - low;
  copy_path(info->dlpi_name, s->out->path);
  for (size_t i = 0; i < info->dlpi_phnum && !s->out->build_id_size; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type == PT_NOTE)
      copy_build_id((const uint8_t *)(uintptr_t)(info->dlpi_addr + part->p_vaddr), part->p_memsz, s->out);
  }
  return 1;
}

bool optrace_image_find(uint64_t address, optrace_image *out) {
  memset(out, 0, sizeof *out);
  search s = {address, out};
  return dl_iterate_phdr(look, &s) == 1;
}

#elif defined(__APPLE__)
#include <dlfcn.h>

bool optrace_image_find(uint64_t address, optrace_image *out) {
  memset(out, 0, sizeof *out);
  Dl_info info;
  if (!dladdr((const void *)(uintptr_t)address, &info) || !info.dli_fbase || !info.dli_fname) return false;
  out->base = out->bias = (uint64_t)(uintptr_t)info.dli_fbase;
  size_t length = strnlen(info.dli_fname, optrace_longest_path - 1);
  memcpy(out->path, info.dli_fname, length);
  return true;
}

#else

bool optrace_image_find(uint64_t address, optrace_image *out) {
  (void)address;
  memset(out, 0, sizeof *out);
  return false;
}

#endif
