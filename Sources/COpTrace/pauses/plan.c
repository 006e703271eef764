#include "plan.h"

#include <stddef.h>
#include <string.h>

#include "../stacks/modules.h"

// ---- Reading ---------------------------------------------------------------------------------------------------------

static bool begins(const char **text, const char *word) {
  size_t length = strlen(word);
  if (strncmp(*text, word, length) != 0) return false;
  *text += length;
  return true;
}

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Nothing is changed unless there is such a number, and it is at most `largest`.
static bool read_number(const char **text, int base, uint64_t largest, uint64_t *out) {
  uint64_t number = 0;
  const char *at = *text;
  for (int next; (next = digit(*at)) >= 0 && next < base; at++) {
    if (number > (largest - (uint64_t)next) / (uint64_t)base) return false;
    number = number * (uint64_t)base + (uint64_t)next;
  }
  if (at == *text) return false;
  *text = at;
  *out = number;
  return true;
}

static bool read_field(const char **text, int base, uint64_t largest, char behind, uint64_t *out) {
  if (!read_number(text, base, largest, out) || **text != behind) return false;
  (*text)++;
  return true;
}

static bool is_end(char c) { return !c || c == ' ' || c == '/'; }

static bool read_module(const char **text, plan_module *out) {
  size_t length = 0;
  if (begins(text, "=")) {
    while (!is_end((*text)[length])) length++;
    if (!length || length >= plan_longest_name) return false;
    memcpy(out->name, *text, length);
    *text += length;
    return true;
  }
  for (; !is_end(**text); *text += 2) {
    int high = digit((*text)[0]), low = high < 0 ? -1 : digit((*text)[1]);
    if (low < 0 || out->id_bytes == sizeof out->id) return false;
    out->id[out->id_bytes++] = (uint8_t)(high << 4 | low);
  }
  return out->id_bytes;
}

static bool read_modules(const char **text, plan *out) {
  do {
    if (out->modules == plan_most_modules || !read_module(text, &out->module[out->modules])) return false;
    out->modules++;
  } while (begins(text, "/"));
  return true;
}

static bool read_frames(const char **text, const plan *in, plan_place *out) {
  do {
    uint64_t module, offset;
    if (out->frames == plan_most_frames || !read_field(text, 10, UINT8_MAX, '+', &module) || module >= in->modules ||
        !read_number(text, 16, UINT64_MAX >> 4, &offset))
      return false;
    out->frame[out->frames++] = (plan_frame){.module = (uint8_t)module, .offset = offset};
  } while (begins(text, "/"));
  return true;
}

static bool read_place(const char **text, bool is_crowd, plan *out) {
  const uint64_t most_together = is_crowd ? UINT8_MAX : plan_most_together;
  uint64_t finding, index, count, held, wanted;
  if (out->places == plan_most_places) return false;
  plan_place *one = &out->place[out->places];
  if (!read_field(text, 10, UINT16_MAX, ':', &finding) || !read_field(text, 10, most_together, ':', &index) ||
      !read_field(text, 10, most_together, ':', &count) || !read_field(text, 10, UINT8_MAX, ':', &held) ||
      !read_field(text, 10, UINT8_MAX, ':', &wanted) || index >= count || !read_frames(text, out, one))
    return false;
  one->finding = (uint16_t)finding;
  one->index = (uint8_t)index, one->count = (uint8_t)count;
  one->is_crowd = is_crowd;
  one->held = (uint8_t)held, one->wanted = (uint8_t)wanted;
  out->places++;
  return true;
}

// Whether the places of each finding stand together, in their order.
static bool is_whole(const plan *p) {
  for (uint32_t i = 0; i < p->places;) {
    const plan_place *first = &p->place[i];
    uint32_t count = first->is_crowd ? 1 : first->count;
    for (uint32_t j = 0; j < count; j++) {
      const plan_place *one = &p->place[i + j];
      if (i + j >= p->places || one->finding != first->finding || one->index != j || one->count != first->count) return false;
    }
    i += count;
  }
  return p->places;
}

bool plan_read(plan *out, const char *text) {
  enum { longest_wait = 10000 };
  *out = (plan){0};
  if (begins(&text, "chance=")) {
    out->is_by_chance = true;
    return read_number(&text, 10, UINT64_MAX, &out->seed) && !*text;
  }
  uint64_t wait;
  if (!begins(&text, "wait=") || !read_number(&text, 10, longest_wait, &wait)) return false;
  out->wait = (uint32_t)wait;
  if (!begins(&text, " modules=") || !read_modules(&text, out)) return false;
  while (*text) {
    bool is_crowd = begins(&text, " crowd=");
    if ((!is_crowd && !begins(&text, " place=")) || !read_place(&text, is_crowd, out)) return false;
  }
  return !*text && is_whole(out);
}

// ---- Finding ---------------------------------------------------------------------------------------------------------

static bool is_module(const plan_module *wanted, const module *one) {
  if (wanted->id_bytes) return one->id_bytes >= wanted->id_bytes && memcmp(one->id, wanted->id, wanted->id_bytes) == 0;
  const char *slash = strrchr(one->path, '/');
  return strcmp(slash ? slash + 1 : one->path, wanted->name) == 0;
}

static bool is_at(const plan *p, const plan_frame *frame, uint64_t pc) {
  const module *one = module_at(module_of(pc));
  return one && pc - one->base == frame->offset && is_module(&p->module[frame->module], one);
}

static bool holds(const held_stack *held, uint8_t kind) {
  if (!kind) return true;
  for (uint32_t i = 0; i < held->count; i++)
    if (held->things[i].kind == kind) return true;
  return false;
}

// The recorder's own frames are in no stack of a trace.
static bool is_recorders(uint64_t pc) {
  const module *ours = module_at(module_of((uint64_t)(uintptr_t)&plan_read));
  return ours && !ours->is_own && pc >= ours->low && pc < ours->high;
}

// Wherever the file is loaded, addresses in a page stay.
static bool may_be_at(const plan_place *one, uint64_t pc) {
  const uint64_t in_page = 0xFFF;
  return ((pc ^ one->frame[0].offset) & in_page) == 0 || is_recorders(pc);
}

static bool is_here(const plan *p, const plan_place *one, const walked *w) {
  size_t first = 0;
  while (first < w->count && is_recorders(w->pcs[first])) first++;
  if (w->count - first < one->frames) return false;
  for (size_t i = 0; i < one->frames; i++)
    if (!is_at(p, &one->frame[i], w->pcs[first + i])) return false;
  return true;
}

uint64_t plan_places_here(const plan *of, const held_stack *held, uint8_t kind, place at) {
  walked w = {.count = 0};
  uint64_t found = 0;
  for (uint32_t i = 0; i < of->places; i++) {
    const plan_place *one = &of->place[i];
    if (one->wanted != kind || !holds(held, one->held) || !may_be_at(one, at.pc)) continue;
    if (!w.count) walk_from(&w, at);
    if (is_here(of, one, &w)) found |= 1ull << i;
  }
  return found;
}
