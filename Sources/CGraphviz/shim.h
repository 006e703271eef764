#ifndef OPTRACE_CGRAPHVIZ_SHIM_H
#define OPTRACE_CGRAPHVIZ_SHIM_H

#include <graphviz/gvc.h>

// Swift sees no macros that cast: these read what a layout leaves in a graph. Points, y upwards.

typedef struct {
  double x, y;
} optrace_point;

typedef struct {
  optrace_point low, high;
} optrace_box;

static inline optrace_point optrace_node_position(Agnode_t *node) {
  optrace_point result = {ND_coord(node).x, ND_coord(node).y};
  return result;
}

static inline optrace_box optrace_graph_box(Agraph_t *graph) {
  optrace_box result = {{GD_bb(graph).LL.x, GD_bb(graph).LL.y}, {GD_bb(graph).UR.x, GD_bb(graph).UR.y}};
  return result;
}

// What is drawn under the graph, in the form `xdot`.
static inline void optrace_set_background(Agraph_t *graph, const char *drawing) {
  agattr(graph, AGRAPH, (char *)"_background", (char *)drawing);
}

// The edge's first spline, or NULL. An edge has more than one only with `concentrate`.
static inline const bezier *optrace_edge_curve(Agedge_t *edge) {
  return ED_spl(edge) && ED_spl(edge)->size > 0 ? &ED_spl(edge)->list[0] : 0;
}

// Graphviz changed the type of the length from unsigned to size_t between its versions.
static inline int optrace_render(GVC_t *context, Agraph_t *graph, const char *format, char **data, size_t *length) {
  unsigned long long count = 0;
  int status = gvRenderData(context, graph, format, data, (void *)&count);
  *length = (size_t)count;
  return status;
}

#endif
