#include "control_group.h"

#if defined(__linux__)

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/small_file.h"

uint64_t stat_number(const char *text, const char *word) {
  size_t length = strlen(word);
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, word, length) == 0 && line[length] == ' ') return strtoull(line + length, NULL, 10);
  }
  return 0;
}

static size_t read_of_group(const control_group *group, const char *name, char *out, size_t size) {
  char path[600];
  out[0] = 0;
  if (!group->folder[0]) return 0;
  snprintf(path, sizeof path, "%s/%s", group->folder, name);
  return small_file_read(path, out, size);
}

static bool is_group(control_group *group, const char *root, const char *path, size_t length) {
  char text[1024];
  snprintf(group->folder, sizeof group->folder, "%s%.*s", root, (int)length, path);
  return read_of_group(group, "cpu.stat", text, sizeof text) > 0;
}

// A line is "0::/path" in the second version, and "4:cpu,cpuacct:/path" in the first one. In a container the path may be the host's, while the
// group's files are at the root.
static bool find_group(control_group *out, const char *line) {
  const char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!path) return false;
  size_t length = (size_t)(path++ - ++controllers), rest = strcspn(path, "\n");
  if (rest == 1) rest = 0;
  if (length == 0) return is_group(out, "/sys/fs/cgroup", path, rest) || is_group(out, "/sys/fs/cgroup", "", 0);
  if (strncmp(controllers, "cpu", 3) != 0 || (length > 3 && controllers[3] != ',')) return false;
  return is_group(out, "/sys/fs/cgroup/cpu", path, rest) || is_group(out, "/sys/fs/cgroup/cpu", "", 0);
}

void control_group_find(control_group *out) {
  char text[4096];
  small_file_read("/proc/self/cgroup", text, sizeof text);
  for (const char *line = text; line && *line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (find_group(out, line)) return;
  }
  out->folder[0] = 0;
}

uint64_t control_group_throttled(const control_group *group) {
  char text[1024];
  read_of_group(group, "cpu.stat", text, sizeof text);
  uint64_t microseconds = stat_number(text, "throttled_usec");
  return microseconds ? microseconds * 1000 : stat_number(text, "throttled_time");
}

// 0: there is no limit.
static uint32_t limit_of_group(const control_group *group) {
  char text[64], period[64];
  char *rest = text;
  uint64_t quota = 0, each = 0;
  if (read_of_group(group, "cpu.max", text, sizeof text)) {
    quota = strtoull(text, &rest, 10);  // "max": 0.
    each = strtoull(rest, NULL, 10);
  } else if (read_of_group(group, "cpu.cfs_quota_us", text, sizeof text) && text[0] != '-' &&
             read_of_group(group, "cpu.cfs_period_us", period, sizeof period)) {
    quota = strtoull(text, NULL, 10);
    each = strtoull(period, NULL, 10);
  }
  return each ? (uint32_t)(quota * 100 / each) : 0;
}

uint32_t processors_allowed(const control_group *group) {
  cpu_set_t allowed;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? (uint32_t)CPU_COUNT(&allowed) : online > 0 ? (uint32_t)online : 1;
  uint32_t limit = limit_of_group(group);
  return limit && limit < count * 100 ? limit : count * 100;
}

#endif
