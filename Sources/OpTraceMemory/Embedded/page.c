#include "COpTraceMemoryPage.h"

#include <string.h>

// A module comes before those that import it.
#define FILES(file) \
  file(memory_css, "OpTraceMemory/Page/memory.css") \
  file(memory_curve, "OpTraceMemory/Page/memory-curve.mjs") \
  file(memory_flame, "OpTraceMemory/Page/memory-flame.mjs") \
  file(memory_tab, "OpTraceMemory/Page/memory-tab.mjs")
#define PREFIX optrace_memory_page
#include "COpTraceScripts/embedding.h"
