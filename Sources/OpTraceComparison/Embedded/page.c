#include "COpTraceComparisonPage.h"

#include <string.h>

#define FILES(file) \
  file(comparison_css, "OpTraceComparison/Page/comparison.css") \
  file(comparison, "OpTraceComparison/Page/comparison.mjs")
#define PREFIX optrace_comparison_page
#include "COpTraceScripts/embedding.h"
