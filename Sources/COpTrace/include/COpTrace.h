#ifndef COPTRACE_H
#define COPTRACE_H
#endif
