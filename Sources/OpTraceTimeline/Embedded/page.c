#include "COpTraceTimelinePage.h"

#include <string.h>

// A module comes before those that import it.
#define FILES(file) \
  file(timeline_css, "OpTraceTimeline/Page/timeline.css") \
  file(slices, "OpTraceTimeline/Page/slices.mjs") \
  file(steps, "OpTraceTimeline/Page/steps.mjs") \
  file(colours, "OpTraceTimeline/Page/colours.mjs") \
  file(queue_threads, "OpTraceTimeline/Page/queue-threads.mjs") \
  file(rows, "OpTraceTimeline/Page/rows.mjs") \
  file(marks, "OpTraceTimeline/Page/marks.mjs") \
  file(painter, "OpTraceTimeline/Page/painter.mjs") \
  file(minimap, "OpTraceTimeline/Page/minimap.mjs") \
  file(gestures, "OpTraceTimeline/Page/gestures.mjs") \
  file(timeline_legend, "OpTraceTimeline/Page/timeline-legend.mjs") \
  file(timeline_texts, "OpTraceTimeline/Page/timeline-texts.mjs") \
  file(timeline_arrows, "OpTraceTimeline/Page/timeline-arrows.mjs") \
  file(timeline_elements, "OpTraceTimeline/Page/timeline-elements.mjs") \
  file(timeline, "OpTraceTimeline/Page/timeline.mjs") \
  file(timeline_part, "OpTraceTimeline/Page/timeline-part.mjs")
#define PREFIX optrace_timeline_page
#include "COpTraceScripts/embedding.h"
