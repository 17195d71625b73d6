/// Results that come in any order and are wanted in that of their numbers.
struct Waiting<Element> {
    private var elements: [Int: Element] = [:]
    /// The number of the next to be taken.
    private(set) var next = 0

    mutating func put(_ element: Element, at number: Int) { elements[number] = element }

    mutating func takeNext() -> Element? {
        guard let element = elements.removeValue(forKey: next) else { return nil }
        next += 1
        return element
    }
}
