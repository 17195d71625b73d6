/* The settings of the system's allocator, which Swift's module of the C library leaves out. */
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
