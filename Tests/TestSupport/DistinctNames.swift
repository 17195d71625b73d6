/// Well-formed names of which no two look alike, the same ones each time: so many letters stand for each number.
/// - Parameter index: below 331,776.
package func distinctName(_ index: Int, prefix: String = "") -> String {
    // No two of them are of a class, and none follows itself.
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
