#ifndef OPTRACE_CGRAPHVIZ_SHIM_H
#define OPTRACE_CGRAPHVIZ_SHIM_H

#include <graphviz/gvc.h>

#endif
