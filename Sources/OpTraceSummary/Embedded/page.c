#include "COpTraceSummaryPage.h"

#include <string.h>

// A module comes before those that import it.
#define FILES(file) \
  file(why_css, "OpTraceSummary/Page/why.css") \
  file(why_data, "OpTraceSummary/Page/why-data.mjs") \
  file(histogram, "OpTraceSummary/Page/histogram.mjs") \
  file(critical_path, "OpTraceSummary/Page/critical-path.mjs") \
  file(why, "OpTraceSummary/Page/why.mjs")
#define PREFIX optrace_summary_page
#include "COpTraceScripts/embedding.h"
