#include "COpTraceGraphPage.h"

#include <string.h>

// A module comes before those that import it.
#define FILES(file) \
  file(graph_css, "OpTraceGraph/Page/graph.css") \
  file(graph_boxes, "OpTraceGraph/Page/graph-boxes.mjs") \
  file(graph_geometry, "OpTraceGraph/Page/graph-geometry.mjs") \
  file(picture_view, "OpTraceGraph/Page/picture-view.mjs") \
  file(graph, "OpTraceGraph/Page/graph.mjs")
#define PREFIX optrace_graph_page
#include "COpTraceScripts/embedding.h"
