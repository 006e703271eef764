// What is loaded: the program and its libraries.
#ifndef OPTRACE_MODULES_H
#define OPTRACE_MODULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { modules_most = 4096, module_longest_id = 32 };

// Filled in before others see it, and not changed any more but for `is_loaded`.
typedef struct {
  uint64_t base;              // What addresses in its file are moved by.
  uint64_t low, high;         // All of it.
  uint64_t code_low, code_high;  // What can be executed.
  uint64_t frame_header;      // The address of `.eh_frame_hdr`; 0: it has none.
  const char *path;           // Of the program itself too; "" where it is not known.
  uint8_t id[module_longest_id];  // The build id.
  uint8_t id_bytes;           // 0: it has none.
  bool is_own;                // The program's: none of the system's libraries, of Swift's, of this recorder's.
  _Atomic bool is_loaded;
} module;

// Looks what was loaded and unloaded since the last time; true when something was. Costs some 100 ns when nothing
// was. Takes the loader's lock, so it is for the beginning, for the recorder's own thread, and for after `dlopen` and
// `dlclose`. When another thread is at it, it does nothing.
bool modules_refresh(void);

// Those that were known are not loaded any more, and `modules_refresh` does nothing until it is told `others` false: in
// between, the list is of another process (see `peek_into`). False: another thread is at it.
bool modules_turn(bool others);
// A module of the other process, by its program header.
void modules_add(uint64_t base, const void *parts, size_t count, const char *path);

// The numbers are 1 to this; a module keeps its own for the life of the process, and gets it again when it is loaded
// again at the same place. No lock.
uint32_t modules_count(void);
// Null: there is none of this number.
const module *module_at(uint32_t number);
// The number of the loaded module that an address lies in; 0: none.
uint32_t module_of(uint64_t address);
// Whether an address lies in the program's own code. Remembered: some instructions.
bool module_is_own(uint64_t address);
// Whether instructions of a module stand there.
bool module_has_code(uint64_t address);
// Modules that found no room any more.
uint64_t modules_lost(void);
// Changes when something was unloaded: what was remembered of addresses may be wrong from then on.
uint32_t modules_generation(void);

#endif
