#include <lzma.h>

// Swift does not import these macros.

static const lzma_vli optrace_filter_lzma2 = LZMA_FILTER_LZMA2;
static const lzma_vli optrace_filters_end = LZMA_VLI_UNKNOWN;
