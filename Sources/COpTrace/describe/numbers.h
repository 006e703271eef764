// Hash tables of numbers, for data that one lock guards. An empty table is all zeros, and takes no memory.
#ifndef OPTRACE_NUMBERS_H
#define OPTRACE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

// A set of numbers other than 0.
typedef struct {
  uint32_t *slots;
  uint32_t size, count;  // The size is a power of two.
} number_set;

bool number_set_has(const number_set *set, uint32_t number);
// False: memory is out.
bool number_set_add(number_set *set, uint32_t number);
// True if the number was in the set.
bool number_set_remove(number_set *set, uint32_t number);
void number_set_clear(number_set *set);

// A map from a word and a number to a word.
typedef struct {
  uint64_t word;
  uint32_t number;
  bool is_used;
  uint64_t value;
} number_entry;
typedef struct {
  number_entry *slots;
  uint32_t size, count;
} number_map;

// Returns the value, which the caller may change; NULL: there is none.
uint64_t *number_map_find(const number_map *map, uint64_t word, uint32_t number);
// The same, but adds 0 if there is no value. NULL: memory is out.
uint64_t *number_map_add(number_map *map, uint64_t word, uint32_t number);
void number_map_clear(number_map *map);
void number_map_remove(number_map *map, uint64_t word, uint32_t number);
// Removes the entries for which `is_kept` returns false.
void number_map_filter(number_map *map, const void *context, bool (*is_kept)(const void *context, const number_entry *entry));

#endif
