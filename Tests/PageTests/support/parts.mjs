// The page's parts, in the order of its tabs: what is imported adds itself.
import '../../../Sources/OpTraceTimeline/Page/timeline-part.mjs';
import '../../../Sources/OpTraceGraph/Page/graph.mjs';
import '../../../Sources/OpTraceSummary/Page/why.mjs';
import '../../../Sources/OpTracePage/Page/findings.mjs';
import '../../../Sources/OpTraceRequests/Page/requests-tab.mjs';
import '../../../Sources/OpTraceProfile/Page/flame-tab.mjs';
import '../../../Sources/OpTraceComparison/Page/comparison.mjs';
import '../../../Sources/OpTracePrediction/Page/prediction.mjs';
