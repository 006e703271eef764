#include "images.h"

#include <string.h>

#include "modules.h"
#include "supported.h"
#include "COpTrace.h"

static void copy_path(const char *path, uint8_t *out) {
  size_t length = strnlen(path, optrace_longest_path - 1);
  memcpy(out, path, length);
  out[length] = 0;
}

#if OPTRACE_STACKS

bool image_describe(uint32_t number, uint64_t address, optrace_image *out, uint8_t *path) {
  (void)address;
  memset(out, 0, sizeof *out);
  const module *found = module_at(number);
  if (!found) return false;
  out->base = found->low;
  out->size = found->high - found->low;
  out->bias = found->base;
  out->build_id_size = found->id_bytes;
  memcpy(out->build_id, found->id, sizeof out->build_id);
  copy_path(found->path, path);
  return true;
}

bool optrace_image_find(uint64_t address, optrace_image *out, uint8_t *path) {
  uint32_t number = module_of(address);
  // The file may have been loaded since the last refresh.
  if (!number && modules_refresh()) number = module_of(address);
  return image_describe(number, address, out, path);
}

#elif defined(__APPLE__)
#include <dlfcn.h>

bool image_describe(uint32_t number, uint64_t address, optrace_image *out, uint8_t *path) {
  (void)number;
  memset(out, 0, sizeof *out);
  Dl_info info;
  if (!dladdr((const void *)(uintptr_t)address, &info) || !info.dli_fbase || !info.dli_fname) return false;
  out->base = out->bias = (uint64_t)(uintptr_t)info.dli_fbase;
  copy_path(info.dli_fname, path);
  return true;
}

bool optrace_image_find(uint64_t address, optrace_image *out, uint8_t *path) { return image_describe(0, address, out, path); }

#else

bool image_describe(uint32_t number, uint64_t address, optrace_image *out, uint8_t *path) {
  (void)number, (void)address, (void)path, (void)copy_path;
  memset(out, 0, sizeof *out);
  return false;
}

bool optrace_image_find(uint64_t address, optrace_image *out, uint8_t *path) { return image_describe(0, address, out, path); }

#endif
