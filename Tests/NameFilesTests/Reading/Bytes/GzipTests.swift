import Testing

@testable import NameFiles

@Suite struct GzipTests {
    let scratch = Scratch()
    let text = Array((0..<3000).map { "name\($0)\n" }.joined().utf8)

    @Test func plainFileNamedGzIsRead() throws {
        #expect(try FileReading(scratch.file("a.txt.gz", "alice\nbob\n")).texts == ["alice", "bob"])
    }

    @Test(arguments: [1, 7, 4096, 65536])
    func gzipMembersAreReadOneAfterTheOther(chunkSize: Int) throws {
        let members = try scratch.gzip(Array("ali".utf8)) + scratch.gzip([]) + scratch.gzip(Array("ce\nbob\n".utf8))
        let reading = try FileReading(scratch.file("a.gz", members), chunkSize: chunkSize)
        #expect(reading.texts == ["alice", "bob"])
        #expect(reading.error == nil)
    }

    @Test(arguments: [[0, 0, 0, 0], Array("garbage".utf8), [0x1F], [0, 0x1F, 0x8B]])
    func garbageAfterTheLastMemberIsIgnored(garbage: [UInt8]) throws {
        let reading = try FileReading(scratch.file("a.gz", scratch.gzip(text) + garbage))
        #expect(reading.entries.count == 3000)
        #expect(reading.error == nil)
    }

    @Test func wrongChecksumIsReportedAfterAllRecords() throws {
        var compressed = try scratch.gzip(text)
        compressed[compressed.count - 8] ^= 1
        let path = try scratch.file("a.gz", compressed)
        let reading = try FileReading(path)
        #expect(reading.entries.count == 3000)
        #expect(reading.faults.allSatisfy { $0 == nil })
        #expect(reading.error?.code == .unreadable)
        #expect(
            reading.error?.description
                == "\(path) is damaged: its compressed data are wrong (incorrect data check); get it again")
    }

    @Test func damagedGzipIsReportedAfterItsReadableRecords() throws {
        var compressed = try scratch.gzip(text)
        for index in compressed.count / 2..<compressed.count / 2 + 40 { compressed[index] = 0xFF }
        let reading = try FileReading(scratch.file("a.gz", compressed))
        #expect(reading.entries.count < 3000)
        #expect(reading.error?.description.contains("is damaged") == true)
    }

    @Test func gzipCutAnywhereIsReportedAsCut() throws {
        let short = Array("alice\nbob\ncarol\ndave\n".utf8)
        let compressed = try scratch.gzip(short)
        let names = ["alice", "bob", "carol", "dave"]
        for length in 2..<compressed.count {
            let reading = try FileReading(scratch.file("a.gz", compressed[..<length]), Selection(format: .lines))
            #expect(reading.error?.description.contains("is cut") == true, "\(length) bytes")
            let whole = reading.entries.filter { $0.fault == nil }
            #expect(whole.map(\.text).elementsEqual(names.prefix(whole.count)))
            #expect(reading.faults.dropLast().allSatisfy { $0 == nil })
            #expect(reading.entries.last?.fault == nil || reading.entries.last?.fault == .cut)
        }
    }

    @Test func recordThatIsCutIsMarked() throws {
        // Two members: the first ends in the middle of a record, and of the second only the beginning is there.
        let cut = try scratch.gzip(Array("id,name\n1,alice\n2,bo".utf8)) + [0x1F, 0x8B, 8]
        let reading = try FileReading(scratch.file("a.csv.gz", cut))
        #expect(reading.texts == ["alice", "bo"])
        #expect(reading.faults == [nil, .cut])
        #expect(reading.error != nil)
    }
}
