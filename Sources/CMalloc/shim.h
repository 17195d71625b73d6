/* The settings of the system's allocator, which are missing from Swift's module of the C library. */
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
