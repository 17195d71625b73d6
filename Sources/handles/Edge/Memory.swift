import CMalloc

enum Memory {
    /// Has the allocator keep what is freed, for work that asks for megabytes again and again: to get them from the
    /// system anew each time takes a tenth of the time of such work.
    static func keep() {
        mallopt(M_MMAP_THRESHOLD, 1 << 30)
        mallopt(M_TRIM_THRESHOLD, 1 << 30)
    }
}
