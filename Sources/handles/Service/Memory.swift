import CPlatform

enum Memory {
    /// Makes the allocator keep freed memory, for work that allocates megabytes repeatedly. Getting them from the
    /// system each time takes a tenth of the time of such work.
    static func keep() {
        mallopt(M_MMAP_THRESHOLD, 1 << 30)
        mallopt(M_TRIM_THRESHOLD, 1 << 30)
    }
}
