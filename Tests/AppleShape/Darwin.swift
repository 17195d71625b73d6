// The C library. Types and constants that differ between the two systems are not checked.
@_exported public import Glibc
