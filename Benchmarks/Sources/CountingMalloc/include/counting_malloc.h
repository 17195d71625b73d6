/* Counts the allocations of the process, to show that a hot path has none. */
#ifndef COUNTING_MALLOC_H
#define COUNTING_MALLOC_H

#include <stdint.h>

/* How often malloc, calloc, realloc or posix_memalign was called until now. */
uint64_t counting_malloc_count(void);

#endif
