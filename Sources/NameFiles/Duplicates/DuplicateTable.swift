import HandleRules

/// The names of a file so far, in 16 bytes each, with the line of their first occurrence.
///
/// A hash table with linear probing by look-alike key. Names with the same key are close together, so one walk finds
/// the same handle and its look-alikes. A slot identifies a name by 40 bits of the name's hash and 39 bits of the key's
/// hash, besides the bits that give its place. docs/decisions/files.md estimates how rarely names collide.
///
/// The table grows by adding a part of twice the size, so nothing is moved. If the number of rows is known beforehand,
/// one part is enough.
struct DuplicateTable {
    /// Load factor at which a new part is added. A lower one saves no time, because the first touch of more memory takes
    /// as long as the longer walks.
    private static let fullness = 0.85
    private static let smallestPart = 1 << 16
    /// Names that are added together, after their lines were loaded.
    private static let stride = 64

    private var parts: [SlotMemory]
    /// Names that still fit into the newest part.
    private var room: Int
    private let budget: Int
    private(set) var groups = LargestGroups()
    /// Bits of slots that were only loaded. Without a use of them, the compiler would remove the loads.
    private var touched: UInt64 = 0
    /// Rows that have joined a group and are not counted yet: the slot of the group, and the row.
    private var joined: [(part: Int32, row: Int32, place: Int)] = []

    /// - Parameters:
    ///   - expectedNames: estimated number of names.
    ///   - budget: memory limit in bytes.
    /// - Throws: ``BatchError``
    init(expectedNames: Int, budget: Int) throws(BatchError) {
        let most = budget / SlotMemory.bytesPerSlot
        let capacity = min(max(Self.smallestPart, Int(Double(expectedNames) / Self.fullness)), most)
        parts = [try SlotMemory(capacity: capacity)]
        room = Self.room(of: parts[0])
        self.budget = budget
    }

    /// Adds the names of some rows and marks duplicates. The rows must come after all earlier ones in the file.
    /// - Parameters:
    ///   - rows: `duplicate` and `firstLine` are set.
    ///   - line: returns the line of a row.
    /// - Throws: ``BatchError`` when the names don't fit into the budget.
    mutating func insert(
        _ names: [IndexedName], in rows: inout [Row], line: (Int) -> Int
    ) throws(BatchError) {
        var start = 0
        while start < names.count {
            if room < Self.stride { try grow() }
            let parts = parts.map(\.slots)
            rows.withUnsafeMutableBufferPointer { rows in
                names.withUnsafeBufferPointer { names in
                    parts.withUnsafeBufferPointer { parts in
                        while start < names.count, room >= Self.stride {
                            let range = start..<min(start + Self.stride, names.count)
                            for slots in parts {
                                touched |= slots.touchLines(of: UnsafeBufferPointer(rebasing: names[range]))
                            }
                            for name in names[range] {
                                let row = Int(name.row)
                                if let group = insert(name.fingerprint, &rows[row], line: line(row), parts) {
                                    joined.append((Int32(group.part), name.row, group.place))
                                }
                            }
                            start = range.upperBound
                        }
                    }
                }
            }
            countJoined(rows, parts: self.parts)
        }
    }

    /// Whether the name or a look-alike is in the table.
    func has(_ fingerprint: Fingerprint) -> Bool { hasKey(of: Slot(fingerprint, line: 1), fingerprint) }

    /// Adds the name unless it or a look-alike is in the table.
    /// - Returns: true if the name was added.
    mutating func insertIfNew(_ fingerprint: Fingerprint, line: Int) throws(BatchError) -> Bool {
        if room < 1 { try grow() }
        var row = Row()
        if hasKey(of: Slot(fingerprint, line: line), fingerprint) { return false }
        return parts.map(\.slots).withUnsafeBufferPointer { insert(fingerprint, &row, line: line, $0) } == nil
    }

    private func hasKey(of wanted: Slot, _ fingerprint: Fingerprint) -> Bool {
        parts.contains { part in
            var place = part.slots.home(of: fingerprint)
            while !part.slots[place].isFree {
                if part.slots[place].hasKey(of: wanted) { return true }
                place = part.slots.next(after: place)
            }
            return false
        }
    }

    /// - Returns: the slot of the first name with the same key, which represents the group; nil when there is none.
    @inline(__always)
    private mutating func insert(
        _ fingerprint: Fingerprint, _ row: inout Row, line: Int,
        _ parts: UnsafeBufferPointer<Slots>
    ) -> (part: Int, place: Int)? {
        let new = Slot(fingerprint, line: line)
        if let newest = parts.last, let place = Self.freeSlot(for: new, fingerprint, parts) {
            newest[place] = new
            room -= 1
            return nil
        }
        var group: (part: Int, place: Int)?
        var free = 0
        for part in parts.indices {
            let slots = parts[part]
            var place = slots.home(of: fingerprint)
            while !slots[place].isFree {
                let slot = slots[place]
                if slot.hasKey(of: new) {
                    if group == nil {
                        group = (part, place)
                        (row.duplicate, row.firstLine) = (.lookalike, slot.line)
                    }
                    if slot.hasName(of: new) {
                        (row.duplicate, row.firstLine) = (slot.hasCapitals(of: new) ? .exact : .capitals, slot.line)
                        break
                    }
                }
                place = slots.next(after: place)
            }
            free = place
            if row.duplicate.isSameHandle { break }
        }
        guard !row.duplicate.isSameHandle, let newest = parts.last else { return group }
        newest[free] = new
        room -= 1
        return group
    }

    /// Counts the rows that have joined groups. This is a separate pass because the counts are far from the slots in
    /// memory: the processor loads several of them at a time.
    private mutating func countJoined(_ rows: [Row], parts: [SlotMemory]) {
        for (part, row, place) in joined {
            let counts = parts[Int(part)].counts
            if counts[place] < .max { counts[place] += 1 }
            if groups.mayHave(besides: counts[place]) {
                groups.note(
                    rows[Int(row)].letters, line: parts[Int(part)].slots[place].line, id: Int(part) << 48 | place,
                    besides: counts[place])
            }
        }
        joined.removeAll(keepingCapacity: true)
    }

    private mutating func grow() throws(BatchError) {
        let used = parts.reduce(0) { $0 + $1.slots.count }
        let capacity = min((parts.last?.slots.count ?? 0) * 2, budget / SlotMemory.bytesPerSlot - used)
        guard capacity >= Self.smallestPart else {
            throw BatchError(
                .tooLarge,
                "there are more than \(Int(Double(used) * Self.fullness)) different names, for which \(budget >> 20) MiB are set; "
                    + "raise --memory, or give fewer names at a time")
        }
        let part = try SlotMemory(capacity: capacity)
        parts.append(part)
        room = Self.room(of: part)
    }

    private static func room(of part: SlotMemory) -> Int { Int(Double(part.slots.count) * fullness) }

    /// The slot of the newest part for a new name, if the first line of its walk in each part says so; else nil.
    @inline(__always)
    private static func freeSlot(
        for new: Slot, _ fingerprint: Fingerprint, _ parts: UnsafeBufferPointer<Slots>
    ) -> Int? {
        var place: Int?
        for slots in parts {
            place = slots.freeSlot(inLineAt: slots.home(of: fingerprint), for: new)
            if place == nil { return nil }
        }
        return place
    }
}
