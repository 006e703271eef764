// Open addressing: at most half of the slots are used. When an entry is removed, later entries move back to close the gap.
#include "numbers.h"

#include <stdlib.h>

#include "../base/bits.h"

enum { smallest = 64, largest = 1 << 28 };

static uint32_t next(uint32_t slot, uint32_t size) { return (slot + 1) & (size - 1); }
// True if an entry at `slot`, whose probing begins at `home`, may move to the empty slot `gap` before it.
static bool may_move(uint32_t home, uint32_t gap, uint32_t slot, uint32_t size) {
  return ((slot - home) & (size - 1)) >= ((slot - gap) & (size - 1));
}

// ---- Sets ----------------------------------------------------------------------------------------------------------

static uint32_t set_home(uint32_t number, uint32_t size) { return hash_index(number, 32) & (size - 1); }

static uint32_t set_slot(const uint32_t *slots, uint32_t size, uint32_t number) {
  uint32_t slot = set_home(number, size);
  while (slots[slot] && slots[slot] != number) slot = next(slot, size);
  return slot;
}

bool number_set_has(const number_set *set, uint32_t number) {
  return number && set->size && set->slots[set_slot(set->slots, set->size, number)];
}

static bool set_grow(number_set *set) {
  uint32_t size = set->size ? set->size * 2 : smallest;
  uint32_t *larger = size <= largest ? calloc(size, sizeof *larger) : NULL;
  if (!larger) return false;
  for (uint32_t i = 0; i < set->size; i++)
    if (set->slots[i]) larger[set_slot(larger, size, set->slots[i])] = set->slots[i];
  free(set->slots);
  set->slots = larger;
  set->size = size;
  return true;
}

bool number_set_add(number_set *set, uint32_t number) {
  if (!number || number_set_has(set, number)) return true;
  if (set->count >= set->size / 2 && !set_grow(set)) return false;
  set->slots[set_slot(set->slots, set->size, number)] = number;
  set->count++;
  return true;
}

bool number_set_remove(number_set *set, uint32_t number) {
  if (!number_set_has(set, number)) return false;
  uint32_t gap = set_slot(set->slots, set->size, number);
  for (uint32_t slot = next(gap, set->size); set->slots[slot]; slot = next(slot, set->size)) {
    if (!may_move(set_home(set->slots[slot], set->size), gap, slot, set->size)) continue;
    set->slots[gap] = set->slots[slot];
    gap = slot;
  }
  set->slots[gap] = 0;
  set->count--;
  return true;
}

void number_set_clear(number_set *set) {
  free(set->slots);
  *set = (number_set){0};
}

// ---- Maps ----------------------------------------------------------------------------------------------------------

static uint32_t map_home(uint64_t word, uint32_t number, uint32_t size) {
  return hash_index(word ^ number * 0xFF51AFD7ED558CCDull, 32) & (size - 1);
}

static number_entry *map_slot(number_entry *slots, uint32_t size, uint64_t word, uint32_t number) {
  uint32_t slot = map_home(word, number, size);
  while (slots[slot].is_used && (slots[slot].word != word || slots[slot].number != number)) slot = next(slot, size);
  return &slots[slot];
}

uint64_t *number_map_find(const number_map *map, uint64_t word, uint32_t number) {
  number_entry *found = map->size ? map_slot(map->slots, map->size, word, number) : NULL;
  return found && found->is_used ? &found->value : NULL;
}

// Moves all entries into a table of this size.
static bool map_resize(number_map *map, uint32_t size) {
  number_entry *moved = size <= largest ? calloc(size, sizeof *moved) : NULL;
  if (!moved) return false;
  for (uint32_t i = 0; i < map->size; i++)
    if (map->slots[i].is_used) *map_slot(moved, size, map->slots[i].word, map->slots[i].number) = map->slots[i];
  free(map->slots);
  map->slots = moved;
  map->size = size;
  return true;
}

uint64_t *number_map_add(number_map *map, uint64_t word, uint32_t number) {
  uint64_t *known = number_map_find(map, word, number);
  if (known) return known;
  if (map->count >= map->size / 2 && !map_resize(map, map->size ? map->size * 2 : smallest)) return NULL;
  number_entry *added = map_slot(map->slots, map->size, word, number);
  *added = (number_entry){.word = word, .number = number, .is_used = true};
  map->count++;
  return &added->value;
}

void number_map_clear(number_map *map) {
  free(map->slots);
  *map = (number_map){0};
}

static void map_remove_at(number_map *map, uint32_t gap) {
  for (uint32_t slot = next(gap, map->size); map->slots[slot].is_used; slot = next(slot, map->size)) {
    const number_entry *entry = &map->slots[slot];
    if (!may_move(map_home(entry->word, entry->number, map->size), gap, slot, map->size)) continue;
    map->slots[gap] = *entry;
    gap = slot;
  }
  map->slots[gap].is_used = false;
  map->count--;
}

void number_map_remove(number_map *map, uint64_t word, uint32_t number) {
  if (!number_map_find(map, word, number)) return;
  map_remove_at(map, (uint32_t)(map_slot(map->slots, map->size, word, number) - map->slots));
}

void number_map_filter(number_map *map, const void *context, bool (*is_kept)(const void *context, const number_entry *entry)) {
  // An entry that moves into a gap is visited there. An entry that moves from the beginning of the table to its end was visited before,
  // and kept.
  for (uint32_t slot = 0; slot < map->size;) {
    if (map->slots[slot].is_used && !is_kept(context, &map->slots[slot])) map_remove_at(map, slot);
    else slot++;
  }
}
