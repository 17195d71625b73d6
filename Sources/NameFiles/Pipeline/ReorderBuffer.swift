/// Takes results in any order and returns them by number.
struct ReorderBuffer<Element> {
    private var elements: [Int: Element] = [:]
    /// The number of the next result to take.
    private(set) var next = 0

    mutating func put(_ element: Element, at number: Int) { elements[number] = element }

    mutating func takeNext() -> Element? {
        guard let element = elements.removeValue(forKey: next) else { return nil }
        next += 1
        return element
    }
}
