#include "COpTraceRequestsPage.h"

#include <string.h>

// A module comes before those that import it.
#define FILES(file) \
  file(requests_css, "OpTraceRequests/Page/requests.css") \
  file(requests, "OpTraceRequests/Page/requests.mjs") \
  file(brush, "OpTraceRequests/Page/brush.mjs") \
  file(course, "OpTraceRequests/Page/course.mjs") \
  file(blame_flame, "OpTraceRequests/Page/blame-flame.mjs") \
  file(latency, "OpTraceRequests/Page/latency.mjs") \
  file(waterfall, "OpTraceRequests/Page/waterfall.mjs") \
  file(requests_tab, "OpTraceRequests/Page/requests-tab.mjs")
#define PREFIX optrace_requests_page
#include "COpTraceScripts/embedding.h"
