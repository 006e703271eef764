// A jump reaches 2 GB, or 128 MB. Libraries may lie farther apart, so there are several rooms, each within reach of what asked
// for it. A room is mapped to be read and executed, never to be written: what stands in it comes by the way that changes code.
#include "room.h"

#if defined(OPTRACE_HAS_ENTRIES)

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// A page is no larger than a room.
enum { most_rooms = 32, room_size = 64 << 10, alignment = 16 };
// A little less than a jump reaches.
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

// Our own file is code that the system has let in already: also where code that stands in no file is not to be executed.
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

// Not from the file's begin: who lists what is mapped would find one more library.
static uint64_t map_at(uint64_t address, int file) {
  int flags = MAP_PRIVATE | MAP_FIXED_NOREPLACE | (file < 0 ? MAP_ANONYMOUS : 0);
  void *pages = mmap((void *)(uintptr_t)address, room_size, PROT_READ | PROT_EXEC, flags, file, file < 0 ? 0 : room_size);
  if (pages == MAP_FAILED) return 0;
  if ((uint64_t)(uintptr_t)pages == address) return address;
  // Systems before Linux 4.17 take the address as a wish.
  munmap(pages, room_size);
  errno = EEXIST;
  return 0;
}

// ---- Where -----------------------------------------------------------------------------------------------------------

// Below the code first: above a program its heap grows, and above the libraries there is the stack. Nearby in small steps.
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
      // It will be refused everywhere, unless it is only that the lowest addresses are.
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
  // Sanitizers read what is before a function that is called.
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
