// A relative jump reaches 2 GB (arm64: 128 MB). Libraries may be farther apart, so there are several rooms, each within reach of the
// code that needed it. A room is mapped readable and executable, but never writable: it is filled by `write_code`, like other code.
#include "room.h"

#if defined(OPTRACE_HAS_ENTRIES)

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// A room is at least as large as a page.
enum { most_rooms = 32, room_size = 64 << 10, alignment = 16 };
// A little less than the reach of a jump.
#if defined(__aarch64__)
static const uint64_t reach = (128ull << 20) - (1 << 20);
#else
static const uint64_t reach = (2ull << 30) - (1 << 20);
#endif

typedef struct {
  uint64_t low, next, high;
} room;

static room rooms[most_rooms];
static size_t room_count;
static room *found;

#if !defined(MAP_FIXED_NOREPLACE)
#define MAP_FIXED_NOREPLACE 0x100000
#endif

// ---- What is mapped --------------------------------------------------------------------------------------------------

static int find_own(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  uint64_t here = (uint64_t)(uintptr_t)rooms;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || here < object->dlpi_addr + part->p_vaddr) continue;
    if (here >= object->dlpi_addr + part->p_vaddr + part->p_memsz) continue;
    *(const char **)context = object->dlpi_name && *object->dlpi_name ? object->dlpi_name : "/proc/self/exe";
    return 1;
  }
  return 0;
}

// Maps our own file, because the system has already allowed its code. Some systems refuse to execute memory that belongs to no file.
static int open_own(void) {
  const char *path = NULL;
  struct stat status;
  if (!dl_iterate_phdr(find_own, &path)) return -1;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= 2 * room_size) return file;
  close(file);
  return -1;
}

// Does not map the beginning of the file: tools that list the mappings would take it for another library.
static uint64_t map_at(uint64_t address, int file) {
  int flags = MAP_PRIVATE | MAP_FIXED_NOREPLACE | (file < 0 ? MAP_ANONYMOUS : 0);
  void *pages = mmap((void *)(uintptr_t)address, room_size, PROT_READ | PROT_EXEC, flags, file, file < 0 ? 0 : room_size);
  if (pages == MAP_FAILED) return 0;
  if ((uint64_t)(uintptr_t)pages == address) return address;
  // Before Linux 4.17 the address is only a hint, so the pages may be elsewhere.
  munmap(pages, room_size);
  errno = EEXIST;
  return 0;
}

// ---- Where -----------------------------------------------------------------------------------------------------------

// Tries addresses below the code first, because the heap grows above a program, and the stack is above the libraries. Nearby the steps
// are small.
static uint64_t map_near(uint64_t near, int file) {
  enum { small = 64 << 10, large = 1 << 20, small_steps = 256 };
  uint64_t middle = near & ~(uint64_t)(small - 1);
  for (int up = 0; up < 2; up++) {
    uint64_t distance = small;
    for (int step = 1; distance < reach; step++, distance += step < small_steps ? small : large) {
      // The lowest addresses are never mapped.
      if (!up && middle < distance + small) break;
      uint64_t address = up ? middle + distance : middle - distance;
      if (address > (1ull << 47) - 2 * room_size) break;
      if (map_at(address, file)) return address;
      // Give up: the system refuses this at all addresses, unless the address was only too low.
      if (errno != EEXIST && (errno != EPERM || address >= large)) return 0;
    }
  }
  return 0;
}

static uint64_t map_room(uint64_t near) {
  int file = open_own();
  uint64_t address = file >= 0 ? map_near(near, file) : 0;
  if (file >= 0) close(file);
  if (!address) address = map_near(near, -1);
  if (address || (file = write_file_in_memory(2 * room_size)) < 0) return address;
  address = map_near(near, file);
  close(file);
  return address;
}

static bool reaches(const room *one, uint64_t near) {
  uint64_t low = one->low < near ? one->low : near, high = one->high > near ? one->high : near;
  return high - low < reach;
}

uint64_t room_find(uint64_t near, size_t size) {
  if (size > room_size) return 0;
  for (size_t i = 0; i < room_count; i++) {
    found = &rooms[i];
    if (reaches(found, near) && found->high - found->next >= size) return found->next;
  }
  found = NULL;
  if (room_count == most_rooms) return 0;
  uint64_t address = map_room(near);
  if (!address) return 0;
  found = &rooms[room_count++];
  // Leave some bytes free at the beginning: sanitizers read the bytes before a function that is called.
  *found = (room){address, address + alignment, address + room_size};
  return found->next;
}

void room_keep(size_t size) {
  if (found) found->next += (size + alignment - 1) & ~(uint64_t)(alignment - 1);
}

bool room_has(uint64_t address) {
  for (size_t i = 0; i < room_count; i++)
    if (address >= rooms[i].low && address < rooms[i].high) return true;
  return false;
}

#else

typedef int no_rooms_are_here;

#endif
