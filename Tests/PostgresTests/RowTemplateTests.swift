import FoundationEssentials
import Testing

@testable import Postgres

@Suite struct RowTemplateTests {
    private let empty = CopyRows(table: "copied", columns: ["name", "note", "id", "mark"])

    private func add(_ name: String?, _ note: String?, _ mark: [UInt8], to rows: inout CopyRows) {
        rows.addRow { row in
            row.add(name)
            row.add(note)
            row.add(Int64(7))
            row.add(bytes: mark)
        }
    }

    /// The first, the last and fields beside each other, with content that is longer and shorter than in the template.
    @Test(arguments: [[0], [3], [0, 3], [0, 1], [1, 2, 3], [0, 1, 2, 3], []])
    func rowsOfATemplateAreThoseOfTheFields(differing: [Int]) {
        var one = empty
        add("johndoe", "a", [1, 2], to: &one)
        let template = RowTemplate(one, differingIn: differing)
        var (rows, expected) = (empty, empty)
        for (name, note, mark) in [("x", "", []), ("johndoe", "a", [1, 2]), ("a_longer_name", "bcd", [0, 0xFF, 9])]
            as [(String, String, [UInt8])]
        {
            let all = (
                differing.contains(0) ? name : "johndoe", differing.contains(1) ? note : "a",
                differing.contains(3) ? mark : [1, 2]
            )
            add(all.0, all.1, all.2, to: &expected)
            rows.add(template) { index, bytes in
                switch differing[index] {
                case 0: bytes += all.0.utf8
                case 1: bytes += all.1.utf8
                case 2: bytes += [0, 0, 0, 0, 0, 0, 0, 7]
                default: bytes += all.2
                }
                return true
            }
        }
        #expect(rows.count == 3)
        #expect(rows.fields.bytes == expected.fields.bytes)
    }

    @Test func fieldsThatAreNullStayNullAndOneThatDiffersMayBeNull() {
        var one = empty
        add("johndoe", nil, [], to: &one)
        let template = RowTemplate(one, differingIn: [0])
        var (rows, expected) = (empty, empty)
        for name in [nil, "olga", nil] {
            add(name, nil, [], to: &expected)
            rows.add(template) {
                guard let name else { return false }
                $1 += name.utf8
                return true
            }
        }
        #expect(rows.fields.bytes == expected.fields.bytes)
    }
}
