import HandleRules

/// The joint between a core and the affixes that were removed from around it.
struct Joint: Sendable {
    /// Whether each affix is strong or has an underscore beside the core, which shows that the core is a word of its own.
    /// A number of few digits shows that too.
    var isClear = true
    /// Whether each affix is strong.
    private(set) var isStrong = true
    /// Whether each affix has an underscore beside the core.
    private(set) var isUnderscore = true

    /// The joint of a number, which is an affix that isn't strong.
    static let number = Joint(isStrong: false, isUnderscore: false)

    @inline(__always)
    mutating func add(isStrong isStrongAffix: Bool, hasUnderscore: Bool) {
        isClear = isClear && (isStrongAffix || hasUnderscore)
        isStrong = isStrong && isStrongAffix
        isUnderscore = isUnderscore && hasUnderscore
    }
}
