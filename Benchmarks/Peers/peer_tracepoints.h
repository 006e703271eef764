// Two events with a name, for peer.c.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER optrace_peer
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./peer_tracepoints.h"

#if !defined(OPTRACE_PEER_TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define OPTRACE_PEER_TRACEPOINTS_H
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(optrace_peer, begin, LTTNG_UST_TP_ARGS(const char *, name),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_string(name, name)))
LTTNG_UST_TRACEPOINT_EVENT(optrace_peer, end, LTTNG_UST_TP_ARGS(const char *, name),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_string(name, name)))
#endif

#include <lttng/tracepoint-event.h>
