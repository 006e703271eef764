#include "COpTraceScripts.h"

#include <string.h>

// A module comes before those that import it.
#define FILES(file) \
  file(elements, "COpTraceScripts/Scripts/elements.mjs") \
  file(names, "COpTraceScripts/Scripts/names.mjs") \
  file(tracing, "COpTraceScripts/Scripts/tracing.mjs") \
  file(tiles, "COpTraceScripts/Scripts/tiles.mjs") \
  file(viewer, "COpTraceScripts/Scripts/viewer.mjs") \
  file(flame, "COpTraceScripts/Scripts/flame.mjs") \
  file(flame_file, "COpTraceScripts/Scripts/flame-file.mjs")
#define PREFIX optrace_script
#include "embedding.h"
