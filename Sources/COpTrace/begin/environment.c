#include <stdlib.h>
#include <string.h>

#include "../base/settings.h"
#include "COpTraceBegin.h"
#include "paths.h"
#include "request.h"

// NULL: it is not set, or empty.
static const char *variable(const char *name) {
  const char *value = setting(name);
  return value && *value ? value : NULL;
}

uint64_t optrace_bytes(const char *text) {
  size_t end = strlen(text);
  uint64_t unit = 1, number = 0;
  if (end && (text[end - 1] == 'B' || text[end - 1] == 'b')) end--;
  switch (end ? text[end - 1] : 0) {
    case 'K': case 'k': unit = 1ull << 10, end--; break;
    case 'M': case 'm': unit = 1ull << 20, end--; break;
    case 'G': case 'g': unit = 1ull << 30, end--; break;
    default: break;
  }
  size_t at = end && text[0] == '+' ? 1 : 0;
  if (at == end) return 0;
  for (; at < end; at++) {
    if (text[at] < '0' || text[at] > '9') return 0;
    uint64_t digit = (uint64_t)(text[at] - '0');
    if (number > (INT64_MAX - digit) / 10) return 0;
    number = number * 10 + digit;
  }
  return number > INT64_MAX / unit ? 0 : number * unit;
}

static bool read_capacity(optrace_environment *out) {
  const char *text = variable("OPTRACE_FLIGHT_RECORDER");
  if (!text) return true;
  out->recorder.is_ring = true;
  out->recorder.capacity = optrace_bytes(text);
  if (!out->recorder.capacity) {
    request_complain(NOTHING_IS_RECORDED, "OPTRACE_FLIGHT_RECORDER='%s' is not a size such as 512K, 16M or 1G", text);
    return false;
  }
  return true;
}

static bool read_stacks(optrace_environment *out) {
  static const struct { const char *word; uint32_t stacks; } words[] = {
    {"off", optrace_stacks_off}, {"waits", optrace_stacks_waits}, {"all", optrace_stacks_all},
  };
  const char *text = variable("OPTRACE_STACKS");
  out->recorder.stacks = optrace_stacks_waits;
  if (!text) return true;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i].word, text) == 0) {
      out->recorder.stacks = words[i].stacks;
      return true;
    }
  request_complain(NOTHING_IS_RECORDED, "OPTRACE_STACKS='%s' is not off, waits or all", text);
  return false;
}

static bool read_profile(optrace_profile_options *out) {
  enum { usual_rate = 99, highest_rate = 1000 };
  const char *text = variable("OPTRACE_PROFILE_RATE"), *by = variable("OPTRACE_PROFILE_BY");
  if (!optrace_is_wanted("OPTRACE_PROFILE")) return true;
  uint64_t rate = text ? optrace_bytes(text) : usual_rate;
  if (rate < 1 || rate > highest_rate) {
    request_complain(NOTHING_IS_RECORDED, "OPTRACE_PROFILE_RATE='%s' is not a number from 1 to 1000", text);
    return false;
  }
  if (by && strcmp(by, "events") != 0 && strcmp(by, "timer") != 0) {
    request_complain(NOTHING_IS_RECORDED, "OPTRACE_PROFILE_BY='%s' is not events or timer", by);
    return false;
  }
  bool is_by_timer = by && strcmp(by, "timer") == 0;
  *out = (optrace_profile_options){
    .rate = (uint32_t)rate, .by = is_by_timer ? optrace_profile_by_timer : optrace_profile_by_events};
  return true;
}

static bool read_memory(uint64_t *interval) {
  enum { usual_interval = 512 << 10 };
  static const uint64_t largest_interval = ((uint64_t)1 << 40) - 1;
  const char *text = variable("OPTRACE_MEMORY");
  if (!optrace_is_wanted("OPTRACE_MEMORY")) return true;
  // Like other variables it is set to 1 for "yes". One byte is "1B".
  *interval = strcmp(text, "1") == 0 ? usual_interval : optrace_bytes(text);
  if (*interval && *interval <= largest_interval) return true;
  request_complain(NOTHING_IS_RECORDED, "OPTRACE_MEMORY='%s' is not a size such as 512K, from 1B to 1023G", text);
  return false;
}

bool optrace_environment_read(optrace_environment *out) {
  memset(out, 0, sizeof *out);
  const char *pattern = variable("OPTRACE_OUTPUT");
  if (!pattern) {
    if (variable("OPTRACE_FLIGHT_RECORDER")) request_complain(NOTHING_IS_RECORDED, "OPTRACE_FLIGHT_RECORDER needs OPTRACE_OUTPUT");
    return false;
  }
  if (!read_capacity(out) || !read_stacks(out) || !read_profile(&out->recorder.profile) || !read_memory(&out->memory)) return false;
  out->recorder.use_counter = optrace_clock_has_counter();
  out->dispatch = optrace_is_wanted("OPTRACE_DISPATCH");
  out->tasks = optrace_is_wanted("OPTRACE_TASKS");
  out->orders = optrace_is_wanted("OPTRACE_ORDERS");
  out->pauses = variable("OPTRACE_PAUSES");
  out->recorder.cpu = optrace_is_wanted("OPTRACE_CPU");
  char *path = request_path(pattern);
  out->path = path ? path_absolute(path) : NULL;
  free(path);
  return out->path != NULL;
}
