// The modules of the process: the program and its loaded libraries.
#ifndef OPTRACE_MODULES_H
#define OPTRACE_MODULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { modules_most = 4096, module_longest_id = 32 };

// All fields are set before other threads can see the module; later only the atomic ones change.
typedef struct {
  uint64_t base;              // Address in memory minus address in the file.
  uint64_t low, high;         // The range of the whole module.
  uint64_t code_low, code_high;  // The range of its executable part.
  uint64_t frame_header;      // The address of `.eh_frame_hdr`; 0: it has none.
  const char *path;           // The path of the file, also of the program itself; "" if not known.
  uint8_t id[module_longest_id];  // The build id.
  uint8_t id_bytes;           // 0: it has none.
  bool is_own;                // It belongs to the program: not to the system, not to Swift, and not to this recorder.
  _Atomic bool is_loaded;
  // When it was loaded, on the monotonic clock. The list is updated from time to time, so each limit is known only within two times: it
  // was loaded between `from` and `found`, and unloaded between `until` and `gone`. `until`: UINT64_MAX while it is loaded.
  _Atomic uint64_t from, found, until, gone;
  _Atomic uint32_t left_in;   // The generation that began when it was last unloaded; 0: it was not.
} module;

// Updates the list with what was loaded and unloaded since the last call; true if anything was. Costs some 100 ns if nothing was. Takes
// the loader's lock, so it is called only at the beginning, by the flusher, before and after `dlclose`, and for code that is in no known
// module. Does nothing if another thread is updating the list.
bool modules_refresh(void);

// The same right after a module was unloaded: it waits for another thread that is updating the list, for at most a tenth of a second.
void modules_refresh_behind(void);

// Switches the list to another process (`others`), or back. With true, the known modules are marked as not loaded, and `modules_refresh`
// does nothing until this is called with false, which forgets the other's modules. See `peek_into`. False: another thread is using the
// list.
bool modules_turn(bool others);
// Adds a module of the other process, by its program header.
void modules_add(uint64_t base, const void *parts, size_t count, const char *path);

// Modules are numbered from 1 to this number. A module keeps its number as long as the process lives, also when it is unloaded and loaded
// again at the same address. Takes no lock.
uint32_t modules_count(void);
// Null: no module has this number.
const module *module_at(uint32_t number);
// The number of the loaded module that contains an address; 0: none.
uint32_t module_of(uint64_t address);
// Whether an address is in the program's own code, and not in a library that is linked into its file. The answers are cached, so this
// takes only some instructions.
bool module_is_own(uint64_t address);
// Whether an address is in a module's code.
bool module_has_code(uint64_t address);
// How many modules found no room.
uint64_t modules_lost(void);
// Changes when a module is unloaded, because what was cached for its addresses may then be wrong.
uint32_t modules_generation(void);
// When that was last noticed, on the monotonic clock; 0: never.
uint64_t modules_changed_at(void);
// Odd while the times of known modules change, and then another number.
uint32_t modules_changes(void);

#endif
