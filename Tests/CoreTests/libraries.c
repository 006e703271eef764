// Libraries that come and go: their code is known while they are loaded, and their rules are not remembered for longer.
#if defined(__linux__)
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../Sources/COpTrace/stacks/modules.h"
#include "CStackTestSupport.h"
#include "harness.h"
#include "libraries.h"

bool library_beside(const char *name, char *path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  if (length < 0) return false;
  path[length] = 0;
  char *file = strrchr(path, '/') + 1;
  return (size_t)snprintf(file, size - (size_t)(file - path), "%s", name) < size - (size_t)(file - path);
}

static void *opened(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library) core_test_fail(__FILE__, __LINE__, "%s", dlerror());
  return library;
}

void *library_visited(void) {
  char path[4096];
  return library_beside("visited.so", path, sizeof path) ? opened(path) : NULL;
}

void *library_as(const char *name) {
  char path[4096], here[64];
  snprintf(here, sizeof here, "./%s", name);
  bool made = library_beside("visited.so", path, sizeof path) && symlink(path, here) == 0;
  return made ? opened(here) : NULL;
}

bool library_copy(const char *to) {
  char path[4096], bytes[4096];
  if (!library_beside("visited.so", path, sizeof path)) return false;
  FILE *in = fopen(path, "rb"), *out = fopen(to, "wb");
  for (size_t count; in && out && (count = fread(bytes, 1, sizeof bytes, in));) fwrite(bytes, 1, count, out);
  bool done = in && out && !ferror(out);
  if (in) fclose(in);
  if (out && fclose(out) != 0) done = false;
  return done;
}

static int walk(void *result) {
  *(const char **)result = test_walk_here(NULL);
  return 1;
}

static uint32_t load_and_leave(const char *path) {
  const char *walked = "was not called";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int (*visit)(int (*)(void *), void *) = library ? (int (*)(int (*)(void *), void *))dlsym(library, "visit") : NULL;
  if (!visit) {
    core_test_fail(__FILE__, __LINE__, "%s", dlerror());
    return 0;
  }
  EXPECT(modules_refresh());
  uint64_t address = (uint64_t)(uintptr_t)visit;
  uint32_t number = module_of(address), generation = modules_generation();
  const module *one = module_at(number);
  EXPECT(one && module_has_code(address) && strcmp(one->path, path) == 0 && one->is_loaded);
  EXPECT_EQUAL(visit(walk, &walked), 2);
  EXPECT_NOTHING(walked);
  EXPECT(dlclose(library) == 0 && modules_refresh());
  EXPECT(one && !one->is_loaded && module_of(address) != number && modules_generation() != generation);
  return number;
}

TEST(libraries_come_and_go) {
  static const char *const copies[] = {"./one.so", "./two.so", "./one.so", "./two.so"};
  uint32_t numbers[4];
  modules_refresh();
  REQUIRE(library_copy("one.so") && library_copy("two.so"));
  for (int i = 0; i < 4; i++) numbers[i] = load_and_leave(copies[i]);
  EXPECT(numbers[0] != numbers[1] && numbers[2] != numbers[3]);
}
#endif
