// Reads the symbol table of a file: the names and addresses of its functions and variables.
#ifndef OPTRACE_BOOK_SYMBOLS_H
#define OPTRACE_BOOK_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The book exists only on Linux, where files are ELF.
#if defined(__linux__) && defined(__LP64__)
#define OPTRACE_BOOK 1
#include <elf.h>

// A file that is mapped into memory. Everything in it is checked before it is used, because it may be truncated or malformed.
typedef struct {
  const uint8_t *bytes;
  size_t size;
  const Elf64_Sym *symbols;  // Null: it has no `.symtab`.
  uint32_t count;
  const char *names;
  size_t names_size;
  const uint8_t *id;  // The build id.
  size_t id_size;     // 0: it has none.
  bool has_swift;     // It has Swift's metadata.
} symbol_file;

// Opens a file and finds its symbols. False: it cannot be read, or is no ELF file for this machine. Close it only after true.
bool symbol_file_open(symbol_file *file, const char *path);
void symbol_file_close(symbol_file *file);
// Returns the name of a symbol; "" if the file is malformed.
const char *symbol_name(const symbol_file *file, const Elf64_Sym *symbol);
// True if a symbol is a function or variable that the file defines.
bool symbol_is_defined(const Elf64_Sym *symbol);
bool symbol_is_function(const Elf64_Sym *symbol);
#else
#define OPTRACE_BOOK 0
#endif

#endif
