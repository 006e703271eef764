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

static void take(const mappings *list, const mapping *first) {
  enum { most_parts = 64 };
  ElfW(Ehdr) head;
  ElfW(Phdr) parts[most_parts];
  if (first->offset || !peek_all(first->low, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return;
  if (head.e_phentsize != sizeof *parts || head.e_phnum > most_parts || head.e_phoff > first->high - first->low) return;
  if (!peek_all(first->low + head.e_phoff, parts, head.e_phnum * sizeof *parts)) return;
  for (int i = 0; i < head.e_phnum; i++) {
    if (parts[i].p_type != PT_LOAD || parts[i].p_offset) continue;
    uint64_t base = first->low - parts[i].p_vaddr;
    for (int code = 0; code < head.e_phnum; code++) {
      const ElfW(Phdr) *part = &parts[code];
      if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
      uint64_t low = base + part->p_vaddr;
      if (!has_code(list, first->path, low, low + part->p_memsz)) return;
    }
    modules_add(base, parts, head.e_phnum, first->path);
    return;
  }
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
  modules_turn(false);
}

#else

void maps_begin(uint32_t process) { (void)process; }
void maps_end(void) {}

#endif
