#include "symbols.h"

#include "../base/build_id.h"

#if OPTRACE_BOOK

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { this_machine = EM_X86_64 };
#else
enum { this_machine = EM_AARCH64 };
#endif

// Returns a part of the file. Null: the range is not within the file.
static const void *part(const symbol_file *file, uint64_t offset, uint64_t size) {
  return offset <= file->size && size <= file->size - offset ? file->bytes + offset : NULL;
}

static bool is_swift(const char *section) { return strncmp(section, "swift5_", 7) == 0; }

static void find_symbols(symbol_file *file, const Elf64_Shdr *sections, const Elf64_Shdr *table, size_t count) {
  if (table->sh_link >= count || table->sh_entsize != sizeof(Elf64_Sym) || table->sh_offset % _Alignof(Elf64_Sym)) return;
  const Elf64_Shdr *names = &sections[table->sh_link];
  const char *text = part(file, names->sh_offset, names->sh_size);
  const Elf64_Sym *symbols = part(file, table->sh_offset, table->sh_size);
  // The table of names must end with a zero, so that each name ends inside the file.
  if (!text || !symbols || !names->sh_size || text[names->sh_size - 1] || names->sh_type != SHT_STRTAB) return;
  if (table->sh_size / sizeof *symbols > UINT32_MAX) return;
  file->symbols = symbols;
  file->count = (uint32_t)(table->sh_size / sizeof *symbols);
  file->names = text;
  file->names_size = names->sh_size;
}

static bool find_sections(symbol_file *file) {
  const Elf64_Ehdr *head = part(file, 0, sizeof *head);
  if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
      head->e_machine != this_machine)
    return false;
  if (!head->e_shnum || head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shoff % _Alignof(Elf64_Shdr)) return true;
  const Elf64_Shdr *sections = part(file, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
  if (!sections || head->e_shstrndx >= head->e_shnum) return true;
  const Elf64_Shdr *texts = &sections[head->e_shstrndx];
  const char *names = part(file, texts->sh_offset, texts->sh_size);
  if (!names || !texts->sh_size || names[texts->sh_size - 1]) return true;
  for (size_t i = 0; i < head->e_shnum; i++) {
    const Elf64_Shdr *section = &sections[i];
    if (section->sh_name < texts->sh_size && is_swift(names + section->sh_name)) file->has_swift = true;
    if (section->sh_type == SHT_NOTE && !file->id_size)
      file->id = build_id_find(part(file, section->sh_offset, section->sh_size), section->sh_size, &file->id_size);
    if (section->sh_type == SHT_SYMTAB) find_symbols(file, sections, section, head->e_shnum);
  }
  return true;
}

bool symbol_file_open(symbol_file *file, const char *path) {
  *file = (symbol_file){0};
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return false;
  struct stat status;
  bool is_there = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
  // The mapping is private. Changes of the file's content meanwhile are not handled. The system refuses to truncate the file of a running
  // program. It does not refuse that for a debug file: who truncates one while the hooks are being installed ends the program.
  void *bytes = is_there ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
  close(descriptor);
  if (bytes == MAP_FAILED) return false;
  file->bytes = bytes;
  file->size = (size_t)status.st_size;
  if (find_sections(file)) return true;
  symbol_file_close(file);
  return false;
}

void symbol_file_close(symbol_file *file) {
  if (file->bytes) munmap((void *)(uintptr_t)file->bytes, file->size);
  *file = (symbol_file){0};
}

const char *symbol_name(const symbol_file *file, const Elf64_Sym *symbol) {
  return symbol->st_name < file->names_size ? file->names + symbol->st_name : "";
}

bool symbol_is_function(const Elf64_Sym *symbol) {
  return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF && symbol->st_value;
}

bool symbol_is_defined(const Elf64_Sym *symbol) {
  unsigned type = ELF64_ST_TYPE(symbol->st_info);
  return (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE) && symbol->st_shndx != SHN_UNDEF &&
         symbol->st_shndx != SHN_ABS && symbol->st_value;
}

#endif
