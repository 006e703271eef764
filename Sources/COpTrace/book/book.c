#include "book.h"

#include "../base/bits.h"
#include "debug_file.h"
#include "sides.h"
#include "symbols.h"

#include <dlfcn.h>

#if OPTRACE_BOOK

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

// Returns the path of the program's file. Without /proc this is the path that the program was started with, which may be another file by
// now. Then the symbols do not fit, which is detected.
static const char *program_path(void) {
  static const char self[] = "/proc/self/exe";
  const char *called = (const char *)(uintptr_t)getauxval(AT_EXECFN);
  return access(self, R_OK) == 0 || !called ? self : called;
}

// The addresses of the program in memory.
static struct {
  bool is_known;
  uint64_t bias, low, high, code_low, code_high;
} program;

// The file with its symbols: the program's file, or its debug file.
static struct {
  bool was_read;
  bool is_static, is_stripped;
  symbol_file file;
  sides sides;
  uint32_t *slots;  // Indexes of symbols, plus one; 0: the slot is free.
  unsigned bits;
} names;

static int see_program(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size, (void)context;
  program.bias = object->dlpi_addr;
  program.low = program.code_low = UINT64_MAX;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD) continue;
    uint64_t begin = object->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
    if (begin < program.low) program.low = begin;
    if (end > program.high) program.high = end;
    if (!(segment->p_flags & PF_X)) continue;
    if (begin < program.code_low) program.code_low = begin;
    if (end > program.code_high) program.code_high = end;
  }
  return 1;  // Stop after the first object, which is the program.
}

static void find_program(void) {
  if (program.is_known) return;
  program.is_known = true;
  dl_iterate_phdr(see_program, NULL);
}

static bool is_in_program(uint64_t address) {
  find_program();
  return address >= program.low && address < program.high;
}

// ---- The program's file ------------------------------------------------------------------------------------------------

// True if a symbol is defined and its address is inside the program (for a function: inside its code). The address may be wrong.
static bool is_usable(const Elf64_Sym *symbol) {
  uint64_t address = symbol->st_value + program.bias;
  if (!symbol_is_defined(symbol)) return false;
  return symbol_is_function(symbol) ? address >= program.code_low && address < program.code_high : is_in_program(address);
}

static void index_names(void) {
  const symbol_file *file = &names.file;
  for (names.bits = 4; (1ull << names.bits) < 2ull * file->count; names.bits++) {}
  uint32_t mask = (uint32_t)((1ull << names.bits) - 1);
  if (!(names.slots = calloc((size_t)mask + 1, sizeof *names.slots))) return;
  for (uint32_t i = 0; i < file->count; i++) {
    const Elf64_Sym *symbol = &file->symbols[i];
    const char *name = symbol_name(file, symbol);
    if (!*name || !is_usable(symbol)) continue;
    uint32_t slot = hash_index(hash_text(name, strlen(name)), names.bits);
    while (names.slots[slot]) slot = (slot + 1) & mask;
    names.slots[slot] = i + 1;
  }
}

// Reads the program's symbols, if Swift is linked into it.
static void read_names(void) {
  if (names.was_read) return;
  names.was_read = true;
  find_program();
  if (dlsym(RTLD_DEFAULT, "swift_retain") && !is_in_program((uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "swift_retain"))) return;
  symbol_file file, debug;
  if (!symbol_file_open(&file, program_path())) return;
  names.is_static = file.has_swift;
  names.is_stripped = names.is_static && !file.symbols;
  if (!names.is_static || (!file.symbols && !debug_file_find(&debug, &file, program_path()))) return symbol_file_close(&file);
  if (names.is_stripped) {
    symbol_file_close(&file);
    file = debug;
    names.is_stripped = false;
  }
  names.file = file;
  index_names();
  sides_find(&names.sides, &names.file, program.bias);
}

bool book_is_static(void) {
  read_names();
  return names.is_static;
}

bool book_is_stripped(void) {
  read_names();
  return names.is_stripped;
}

// ---- Looking up --------------------------------------------------------------------------------------------------------

// Returns the symbol with this name. Null: no symbol has it, or several symbols at different addresses have it.
static const Elf64_Sym *symbol_called(const char *name) {
  const Elf64_Sym *found = NULL;
  if (!names.slots) return NULL;
  uint32_t mask = (uint32_t)((1ull << names.bits) - 1);
  for (uint32_t slot = hash_index(hash_text(name, strlen(name)), names.bits); names.slots[slot]; slot = (slot + 1) & mask) {
    const Elf64_Sym *symbol = &names.file.symbols[names.slots[slot] - 1];
    if (strcmp(symbol_name(&names.file, symbol), name) != 0) continue;
    if (found && found->st_value != symbol->st_value) return NULL;
    found = symbol;
  }
  return found;
}

bool book_look_up(const char *name, book_entry *found) {
  *found = (book_entry){0};
  read_names();
  void *loaded = dlsym(RTLD_DEFAULT, name);
  const Elf64_Sym *symbol = names.file.symbols ? symbol_called(name) : NULL;
  bool is_exported = loaded && is_in_program((uint64_t)(uintptr_t)loaded);
  if (loaded && !(is_exported && names.is_static)) {
    *found = (book_entry){.address = loaded};
    return true;
  }
  if (!symbol) {
    if (loaded) *found = (book_entry){.address = loaded, .is_in_program = true};
    return loaded != NULL;
  }
  *found = (book_entry){(void *)(uintptr_t)(symbol->st_value + program.bias), symbol->st_size, true};
  return true;
}

void *book_find(const char *name) {
  book_entry found;
  return book_look_up(name, &found) ? found.address : NULL;
}

// True if two names may be names of one function: a C function also has a name inside its own file, such as `swift_once` and
// `_ZL…swift_once…`.
static bool is_same(const char *one, const char *other) { return strstr(one, other) || strstr(other, one); }

typedef struct {
  const char *name;
  bool is_folded;
} namesakes;

static void see_namesake(void *context, uint32_t symbol) {
  namesakes *seen = context;
  if (!is_same(symbol_name(&names.file, &names.file.symbols[symbol]), seen->name)) seen->is_folded = true;
}

bool book_is_folded(const char *name, const void *address) {
  namesakes seen = {.name = name};
  if (names.slots) sides_functions_at(&names.sides, (uint64_t)(uintptr_t)address, see_namesake, &seen);
  return seen.is_folded;
}

bool book_is_programs(uint64_t address) {
  return !sides_known(&names.sides) || !is_in_program(address) || sides_is_programs(&names.sides, address);
}

uint32_t book_library_at(uint64_t address) {
  return sides_known(&names.sides) && is_in_program(address) ? sides_library_at(&names.sides, address) : (uint32_t)book_program;
}

book_range book_library_around(uint64_t address) {
  read_names();
  return sides_known(&names.sides) ? sides_library_around(&names.sides, address) : (book_range){0, 0};
}

bool book_is_overlay(uint64_t address) { return sides_known(&names.sides) && sides_is_overlay(&names.sides, address); }

void book_close(void) {
  free(names.slots);
  names.slots = NULL;
  sides_forget(&names.sides);
  symbol_file_close(&names.file);
  if (names.is_static && !names.is_stripped) names.was_read = false;
}

#else

bool book_look_up(const char *name, book_entry *found) {
  *found = (book_entry){.address = dlsym(RTLD_DEFAULT, name)};
  return found->address != NULL;
}
void *book_find(const char *name) { return dlsym(RTLD_DEFAULT, name); }
bool book_is_static(void) { return false; }
bool book_is_stripped(void) { return false; }
bool book_is_folded(const char *name, const void *address) {
  (void)name, (void)address;
  return false;
}
bool book_look_up_in(const char *library, const char *name, book_entry *found) {
  (void)library, (void)name;
  *found = (book_entry){0};
  return false;
}
bool book_is_programs(uint64_t address) {
  (void)address;
  return true;
}
uint32_t book_library_at(uint64_t address) {
  (void)address;
  return book_program;
}
book_range book_library_around(uint64_t address) {
  (void)address;
  return (book_range){0, 0};
}
bool book_is_overlay(uint64_t address) {
  (void)address;
  return false;
}
void book_close(void) {}

void *book_loaded(const char *library) { return dlopen(library, RTLD_LAZY | RTLD_NOLOAD); }

#endif
