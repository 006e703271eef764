// What is loaded: the program and its libraries.
#ifndef OPTRACE_MODULES_H
#define OPTRACE_MODULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { modules_most = 4096, module_longest_id = 32 };

// Filled in before others see it; only `is_loaded` changes later.
typedef struct {
  uint64_t base;              // The difference between memory and the file's addresses.
  uint64_t low, high;         // All of it.
  uint64_t code_low, code_high;  // What can be executed.
  uint64_t frame_header;      // The address of `.eh_frame_hdr`; 0: it has none.
  const char *path;           // Of the program itself, too; "" if not known.
  uint8_t id[module_longest_id];  // The build id.
  uint8_t id_bytes;           // 0: it has none.
  bool is_own;                // The program's: not the system's, not Swift's, not this recorder's.
  _Atomic bool is_loaded;
} module;

// Notes what was loaded and unloaded since the last time; true if anything was. Costs some 100 ns if nothing was. Takes the
// loader's lock, so it is called at the beginning, by the recorder's own thread, and after `dlopen` and `dlclose`. If another
// thread is doing it, nothing happens.
bool modules_refresh(void);

// With `others`, marks the known modules as not loaded, and makes `modules_refresh` do nothing until this is called with false:
// in between, the list is of another process (see `peek_into`). False: another thread is using the list.
bool modules_turn(bool others);
// Adds a module of the other process, by its program header.
void modules_add(uint64_t base, const void *parts, size_t count, const char *path);

// Modules are numbered from 1 to this. A module keeps its number as long as the process lives, and gets it again when it is
// loaded again at the same address. Takes no lock.
uint32_t modules_count(void);
// Null: no module has this number.
const module *module_at(uint32_t number);
// The number of the loaded module that contains an address; 0: none.
uint32_t module_of(uint64_t address);
// Whether an address is in the program's own code, and not in a library that is linked into its file. Cached: some instructions.
bool module_is_own(uint64_t address);
// Whether an address is in a module's code.
bool module_has_code(uint64_t address);
// How many modules found no room.
uint64_t modules_lost(void);
// Changes when something is unloaded: what was cached for addresses may be wrong from then on.
uint32_t modules_generation(void);

#endif
