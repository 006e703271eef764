#include "COpTraceProfilePage.h"

#include <string.h>

// A module comes before those that import it.
#define FILES(file) \
  file(flame_css, "OpTraceProfile/Page/flame.css") \
  file(samples_flame, "OpTraceProfile/Page/samples-flame.mjs") \
  file(flame_tab, "OpTraceProfile/Page/flame-tab.mjs")
#define PREFIX optrace_profile_page
#include "COpTraceScripts/embedding.h"
