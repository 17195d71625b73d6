/// A legal name for a number: eight letters after the prefix. No two of these names look alike, and the same number
/// always gives the same name.
/// - Parameter index: below 331,776.
package func distinctName(_ index: Int, prefix: String = "") -> String {
    // No two of these letters look alike, and no letter follows itself.
    let (first, second) = (Array("fhjkpx"), Array("aety"))
    var name = prefix
    var rest = index
    for _ in 0..<4 {
        name.append(first[rest % first.count])
        rest /= first.count
        name.append(second[rest % second.count])
        rest /= second.count
    }
    return name
}
