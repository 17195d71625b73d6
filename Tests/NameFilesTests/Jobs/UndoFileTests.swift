import HandleRules
import Testing

@testable import NameFiles

@Suite struct UndoFileTests {
    private let scratch = Scratch()

    private func note(_ name: String, _ change: Int64, in file: UndoFile) throws {
        try file.note([(try #require(Handle(name)), change)])
    }

    private func undoFile(_ text: String) throws -> (file: UndoFile, text: () throws -> String) {
        let path = try scratch.file("undo.csv", text.utf8)
        return (UndoFile(path: path), { String(decoding: try scratch.contents("undo.csv"), as: UTF8.self) })
    }

    /// The handle of an incomplete line was not reserved. In the middle of the file, the line would look damaged.
    @Test(arguments: ["johndo", "johndoe,1", "johndoe,", "\u{0}"]) func incompleteLastLineIsCutOff(_ cut: String) throws
    {
        let (file, text) = try undoFile("handle,change\nacme,7\n" + cut)
        try note("janedoe", 12, in: file)
        #expect(try text() == "handle,change\nacme,7\njanedoe,12\n")
    }

    /// Another run may be writing the line.
    @Test func incompleteLastLineStaysBesideAnotherRun() throws {
        let (first, text) = try undoFile("handle,change\n")
        try note("acme", 7, in: first)
        _ = try scratch.file("undo.csv", (text() + "johndo").utf8)
        let second = UndoFile(path: first.path)
        try note("janedoe", 12, in: second)
        try note("acme_labs", 8, in: first)
        #expect(try text() == "handle,change\nacme,7\njohndo\njanedoe,12\nacme_labs,8\n")
    }
}
