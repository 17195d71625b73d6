/* Counts the allocations of the process, to show that a hot path has none. */
#ifndef COUNTING_MALLOC_H
#define COUNTING_MALLOC_H

#include <stdint.h>

/* The number of calls of malloc, calloc, realloc and posix_memalign so far. */
uint64_t counting_malloc_count(void);

#endif
