// Which file the code at an address comes from.
#ifndef OPTRACE_IMAGES_H
#define OPTRACE_IMAGES_H

#include "COpTrace.h"

// Describes a module by its number, or, without one, the file that contains the code at an address now. Both 0 on systems that do not
// number modules. See `optrace_image_find`.
bool image_describe(uint32_t module, uint64_t address, optrace_image *out, uint8_t *path);

#endif
