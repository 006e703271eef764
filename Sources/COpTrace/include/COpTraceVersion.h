// The version of this package. OpTraceVersion.swift and the headers of traces take it from here. The headings of `CHANGELOG.md` and of
// `debian/changelog` must match it; `ReleaseTests` checks that.
#ifndef COPTRACE_VERSION_H
#define COPTRACE_VERSION_H

// Always three numbers.
#define OPTRACE_VERSION "0.2.0"

#endif
