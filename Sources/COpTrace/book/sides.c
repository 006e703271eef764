// The linker puts libraries one after the other, each in one piece, and the program's own objects in one piece, too. Symbols show which
// piece belongs to which library: most contain the name of their Swift module, and libraries in C have prefixes. A few symbols mislead:
// specialisations of a library's generic functions are in the object that uses them. So a single library name does not split the
// program's code.
#include "sides.h"

#if OPTRACE_BOOK

#include <stdlib.h>
#include <string.h>

typedef enum {
  says_nothing,
  of_runtime = book_runtime, of_dispatch = book_dispatch, of_overlay = book_dispatch_overlay, of_foundation = book_foundation,
  of_other_library = book_other_library,
  of_program,
  says_swift,  // The standard library, or code that the compiler specialised from it, which may be in any object.
} side;

struct sides_place {
  uint64_t address;
  uint32_t symbol;  // Its index in the file.
  side is;
};
typedef struct sides_place place;

// ---- Names -------------------------------------------------------------------------------------------------------------

static bool begins(const char *name, const char *with) { return strncmp(name, with, strlen(with)) == 0; }

static const char *const library_modules[] = {
  "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking", "FoundationXML", "_FoundationCollections",
  "_FoundationCShims", "_FoundationICU", "CoreFoundation", "_StringProcessing", "_RegexParser", "RegexBuilder",
  "Observation", "Synchronization", "Distributed", "Glibc", "SwiftGlibc", "Musl", "SwiftOnoneSupport", "_Differentiation",
  "_Builtin_float", "_Volatile", "Runtime", "Cxx", "CxxStdlib", "XCTest", "Testing", "_TestingInternals",
};

// A Swift symbol is `$s`, the length of the module's name, and that name. `text` begins with the length.
static side side_of_module(const char *text) {
  char *name;
  unsigned long length = strtoul(text, &name, 10);
  if (!length || length > 256 || strnlen(name, length + 1) <= length) return says_nothing;
  if (length == 10 && begins(name, "Foundation")) return of_foundation;
  if (length == 8 && begins(name, "Dispatch")) return of_overlay;
  if (length == 12 && begins(name, "_Concurrency")) return of_runtime;
  for (size_t i = 0; i < sizeof library_modules / sizeof *library_modules; i++)
    if (strlen(library_modules[i]) == length && begins(name, library_modules[i])) return of_other_library;
  // A module's name is followed by another name with its length. Otherwise it is no module, but a member of a generic parameter.
  return name[length] >= '0' && name[length] <= '9' ? of_program : says_nothing;
}

static side side_of(const char *name) {
  if (begins(name, "$s")) {
    if (name[2] >= '1' && name[2] <= '9') return side_of_module(name + 2);
    return name[2] == 's' || (name[2] == 'S' && name[3] != 'o') ? says_swift : says_nothing;
  }
  if (strcmp(name, "main") == 0) return of_program;
  if (begins(name, "_ZN5swift")) return of_runtime;
  if (begins(name, "_dispatch_") || begins(name, "dispatch_")) return of_dispatch;
  if (begins(name, "_swift_") || begins(name, "swift_")) return of_runtime;
  const char *core = name[0] == '_' ? name + 1 + (name[1] == '_') : name;
  return core[0] == 'C' && core[1] == 'F' && core[2] >= 'A' && core[2] <= 'Z' ? of_other_library : says_nothing;
}

// True if only a library can have such a name.
static bool is_library(side one) { return one > says_nothing && one < of_program; }

// ---- Pieces ------------------------------------------------------------------------------------------------------------

static int by_address(const void *a, const void *b) {
  uint64_t first = ((const place *)a)->address, second = ((const place *)b)->address;
  return first < second ? -1 : first > second;
}

static uint64_t begin_of(const sides *s, size_t index) { return index < s->place_count ? s->places[index].address : UINT64_MAX; }

// Adds the range from the first to the last function whose name is the program's. Includes the functions before and after, up to the
// nearest function with a library's name, but without functions of the standard library directly beside that one.
static void add_piece(sides *s, size_t first, size_t last) {
  size_t before = first, behind = last + 1;
  while (before && !is_library(s->places[before - 1].is)) before--;
  if (before)
    while (before < first && s->places[before].is == says_swift) before++;
  while (behind < s->place_count && !is_library(s->places[behind].is)) behind++;
  if (behind < s->place_count)
    while (behind > last + 1 && s->places[behind - 1].is == says_swift) behind--;
  if (s->piece_count == sides_most_pieces) return;
  s->pieces[s->piece_count++] = (book_range){before ? begin_of(s, before) : 0, begin_of(s, behind)};
}

static void find_pieces(sides *s) {
  // More library names than this between two of the program's names mean a linked library, not scattered specialisations.
  enum { in_a_row = 64 };
  size_t first = SIZE_MAX, last = 0, others = 0;
  for (size_t i = 0; i < s->place_count; i++) {
    if (is_library(s->places[i].is)) others++;
    if (s->places[i].is != of_program) continue;
    if (first != SIZE_MAX && others > in_a_row) {
      add_piece(s, first, last);
      first = SIZE_MAX;
    }
    if (first == SIZE_MAX) first = i;
    last = i;
    others = 0;
  }
  if (first != SIZE_MAX) add_piece(s, first, last);
}

static bool find_borders(sides *s) {
  size_t count = 0;
  side last = says_nothing;
  for (size_t i = 0; i < s->place_count; i++)
    if (is_library(s->places[i].is) && s->places[i].is != last) last = s->places[i].is, count++;
  if (!(s->borders = malloc((count + 1) * sizeof *s->borders))) return false;
  for (size_t i = 0; i < s->place_count; i++)
    if (is_library(s->places[i].is) && (!s->border_count || s->places[i].is != s->borders[s->border_count - 1].is))
      s->borders[s->border_count++] = s->places[i];
  return true;
}

uint32_t sides_library_at(const sides *s, uint64_t address) {
  if (sides_is_programs(s, address)) return book_program;
  size_t low = 0, high = s->border_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (s->borders[middle].address <= address) low = middle + 1;
    else high = middle;
  }
  // Code before the first border is attributed to the first library.
  return s->border_count ? s->borders[low ? low - 1 : 0].is : book_other_library;
}

// ---- The overlay -------------------------------------------------------------------------------------------------------

// A piece of the overlay's code, and how many of its functions have a name of the overlay.
typedef struct {
  book_range range;
  size_t names;
} overlay_piece;

// Returns the next piece, at or behind a function. Without names: there is none. Moves `index` behind it.
static overlay_piece next_overlay(const sides *s, size_t *index) {
  overlay_piece piece = {{0, 0}, 0};
  for (; *index < s->place_count; (*index)++) {
    const place *one = &s->places[*index];
    if (piece.names && one->address >= piece.range.high) break;
    if (one->is != of_overlay || sides_is_programs(s, one->address)) continue;
    if (!piece.names) piece.range = sides_library_around(s, one->address);
    piece.names++;
  }
  return piece;
}

static void find_overlays(sides *s) {
  // Each file of the overlay has more functions than this. The largest piece counts even if it has not.
  enum { in_a_file = 12 };
  overlay_piece largest = {{0, 0}, 0}, piece;
  for (size_t index = 0; (piece = next_overlay(s, &index)).names;)
    if (piece.names > largest.names) largest = piece;
  if (!largest.names) return;
  s->overlays[s->overlay_count++] = largest.range;
  for (size_t index = 0; s->overlay_count < sides_most_overlays && (piece = next_overlay(s, &index)).names;)
    if (piece.names >= in_a_file && piece.range.low != largest.range.low) s->overlays[s->overlay_count++] = piece.range;
}

bool sides_is_overlay(const sides *s, uint64_t address) {
  for (size_t i = 0; i < s->overlay_count; i++)
    if (address >= s->overlays[i].low && address < s->overlays[i].high) return true;
  return false;
}

bool sides_find(sides *s, const symbol_file *file, uint64_t bias) {
  if (!s->places && file->count) {
    if (!(s->places = malloc(file->count * sizeof *s->places))) return false;
    s->place_count = 0;
    for (uint32_t i = 0; i < file->count; i++) {
      const Elf64_Sym *symbol = &file->symbols[i];
      if (symbol_is_function(symbol))
        s->places[s->place_count++] = (place){symbol->st_value + bias, i, side_of(symbol_name(file, symbol))};
    }
    qsort(s->places, s->place_count, sizeof *s->places, by_address);
  }
  if (!s->is_known) {
    find_pieces(s);
    if (!find_borders(s)) return false;
    find_overlays(s);
    atomic_store(&s->is_known, true);
  }
  return true;
}

void sides_forget(sides *s) {
  free(s->places);
  s->places = NULL;
  s->place_count = 0;
}

bool sides_known(const sides *s) { return atomic_load_explicit(&s->is_known, memory_order_acquire); }

bool sides_is_programs(const sides *s, uint64_t address) {
  for (size_t i = 0; i < s->piece_count; i++)
    if (address >= s->pieces[i].low && address < s->pieces[i].high) return true;
  return false;
}

// Returns the index of the first function at an address; `s->place_count`: there is none.
static size_t first_at(const sides *s, uint64_t address) {
  size_t low = 0, high = s->place_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (s->places[middle].address < address) low = middle + 1;
    else high = middle;
  }
  return low < s->place_count && s->places[low].address == address ? low : s->place_count;
}

void sides_functions_at(const sides *s, uint64_t address, void (*visit)(void *context, uint32_t symbol), void *context) {
  for (size_t i = first_at(s, address); i < s->place_count && s->places[i].address == address; i++)
    visit(context, s->places[i].symbol);
}

// Returns the library of a function. If its name does not show the library, the next function whose name does decides.
static side side_at(const sides *s, size_t index) {
  for (size_t i = index; i < s->place_count; i++)
    if (is_library(s->places[i].is)) return s->places[i].is;
  return says_nothing;
}

book_range sides_library_around(const sides *s, uint64_t address) {
  size_t index = first_at(s, address);
  if (index == s->place_count || sides_is_programs(s, address)) return (book_range){0};
  side own = side_at(s, index);
  if (own == says_nothing) return (book_range){0};
  // Specialised generic functions of Foundation's other modules are scattered among Foundation's own functions.
  size_t most = own == of_foundation ? 32 : 0, first = index, last = index;
  for (size_t i = index, others = 0; i-- && others <= most && !sides_is_programs(s, s->places[i].address);) {
    if (!is_library(s->places[i].is)) {
      if (!others) first = i;
    } else if (s->places[i].is == own) {
      first = i;
      others = 0;
    } else {
      others++;
    }
  }
  for (size_t i = index + 1, others = 0; i < s->place_count && others <= most && !sides_is_programs(s, s->places[i].address); i++) {
    if (!is_library(s->places[i].is)) {
      if (!others) last = i;
    } else if (s->places[i].is == own) {
      last = i;
      others = 0;
    } else {
      others++;
    }
  }
  return (book_range){s->places[first].address, begin_of(s, last + 1)};
}

#endif
