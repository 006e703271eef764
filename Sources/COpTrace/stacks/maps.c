// A mapping of the first page of an ELF file is a module, if code of the same file is mapped where its program header says. A file that
// is mapped only to be read has no such code.
#include "maps.h"

#include "locks.h"
#include "modules.h"
#include "peek.h"
#include "supported.h"

#if OPTRACE_STACKS

#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  uint64_t low, high, offset;
  bool is_code;
  char *path;
} mapping;

typedef struct {
  mapping *all;
  size_t count, room;
} mappings;

static bool add(mappings *list, mapping one) {
  if (list->count == list->room) {
    size_t room = list->room ? list->room * 2 : 256;
    mapping *all = realloc(list->all, room * sizeof *all);
    if (!all) return false;
    list->all = all;
    list->room = room;
  }
  one.path = strdup(one.path);
  if (!one.path) return false;
  list->all[list->count++] = one;
  return true;
}

// "7f00-7f10 r-xp 00002000 08:01 1234   /usr/lib/libc.so.6".
static void read_list(uint32_t process, mappings *list) {
  char name[32];
  snprintf(name, sizeof name, "/proc/%u/maps", process);
  FILE *file = fopen(name, "re");
  if (!file) return;
  char *line = NULL;
  size_t size = 0;
  for (ssize_t length; (length = getline(&line, &size, file)) > 0;) {
    mapping one = {0};
    char rights[5];
    int at = 0;
    if (line[length - 1] == '\n') line[length - 1] = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &one.low, &one.high, rights, &one.offset, &at) != 4 || !at)
      continue;
    one.path = line + at;
    if (one.path[0] != '/' && strcmp(one.path, "[vdso]") != 0) continue;
    char *gone = strstr(one.path, " (deleted)");
    if (gone && !gone[10]) *gone = 0;
    one.is_code = rights[2] == 'x';
    if (!add(list, one)) break;
  }
  free(line);
  fclose(file);
}

static bool has_code(const mappings *list, const char *path, uint64_t low, uint64_t high) {
  for (size_t i = 0; i < list->count; i++) {
    const mapping *one = &list->all[i];
    if (one->is_code && one->low < high && one->high > low && strcmp(one->path, path) == 0) return true;
  }
  return false;
}

enum { most_parts = 64 };
typedef struct {
  ElfW(Phdr) parts[most_parts];
  size_t count;
  uint64_t base;
} program_header;

// Reads the header of the file whose first page is mapped there. False: it is no ELF file.
static bool read_header(uint64_t address, program_header *out) {
  ElfW(Ehdr) head;
  if (!peek_all(address, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (head.e_phentsize != sizeof *out->parts || head.e_phnum > most_parts || head.e_phoff > UINT32_MAX) return false;
  out->count = head.e_phnum;
  if (!peek_all(address + head.e_phoff, out->parts, out->count * sizeof *out->parts)) return false;
  for (size_t i = 0; i < out->count; i++) {
    if (out->parts[i].p_type != PT_LOAD || out->parts[i].p_offset) continue;
    out->base = address - out->parts[i].p_vaddr;
    return true;
  }
  return false;
}

static void take(const mappings *list, const mapping *first) {
  program_header header;
  if (first->offset || !read_header(first->low, &header)) return;
  for (size_t i = 0; i < header.count; i++) {
    const ElfW(Phdr) *part = &header.parts[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    uint64_t low = header.base + part->p_vaddr;
    if (!has_code(list, first->path, low, low + part->p_memsz)) return;
  }
  modules_add(header.base, header.parts, header.count, first->path);
}

bool maps_add(uint64_t address, const char *path) {
  program_header header;
  if (!read_header(address, &header)) return false;
  modules_add(header.base, header.parts, header.count, path);
  return true;
}

bool maps_begin_by(uint32_t process, peek_reader *read, peek_has_thread *has_thread, void *context) {
  if (peek_process()) return false;
  locks_prepare();  // Before `peek_into`, because it tests locks in this process.
  if (!modules_turn(true)) return false;
  peek_by(read, has_thread, context);
  peek_into(process);
  return true;
}

void maps_begin(uint32_t process) {
  mappings list = {0};
  locks_prepare();  // Before `peek_into`, because it tests locks in this process.
  modules_turn(true);
  peek_into(process);
  read_list(process, &list);
  for (size_t i = 0; i < list.count; i++) take(&list, &list.all[i]);
  for (size_t i = 0; i < list.count; i++) free(list.all[i].path);
  free(list.all);
}

void maps_end(void) {
  peek_into(0);
  peek_by(NULL, NULL, NULL);
  // Another thread has the list for a moment at most; without this, the own modules would never be read again.
  for (int i = 0; i < 10000 && !modules_turn(false); i++) usleep(1000);
}

#else

void maps_begin(uint32_t process) { (void)process; }
bool maps_begin_by(uint32_t process, peek_reader *read, peek_has_thread *has_thread, void *context) {
  (void)process, (void)read, (void)has_thread, (void)context;
  return false;
}
bool maps_add(uint64_t address, const char *path) {
  (void)address, (void)path;
  return false;
}
void maps_end(void) {}

#endif
