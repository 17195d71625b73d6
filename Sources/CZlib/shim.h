/* zlib, and a wrapper of a macro that Swift can't import. */
#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <zlib.h>

/* inflateInit2 is a macro, which Swift does not import. 15 is the largest window; 16 selects gzip's header and CRC. */
static inline int czlib_gunzip_init(z_stream *stream) {
    return inflateInit2(stream, 15 + 16);
}

#endif
