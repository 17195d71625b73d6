import TestService
import TestSupport
import Testing

/// Commands on look-alikes that are kept for one owner, or for the operator.
@Suite struct SeriesTests {
    private let folder = TestFolder("series")

    @Test func reserveAcceptsASeriesAndSaysWhatItLooksLike() async throws {
        let run = try await Commands(in: folder.path)
        _ = try await run("claim", "1teml", "--for", "user-1")
        let ours = try await run("reserve", "item1", "item_1", "--reason", "ours")
        #expect(ours.status == 0)
        #expect(
            ours.output == """
                item1            reserved         Look-alikes in use: 1teml
                item_1           reserved         Looks like item1, kept for the same operator. Look-alikes in use: 1teml

                """)
        let theirs = try await run("reserve", "iteml", "--reason", "theirs", "--for", "org-1")
        #expect(theirs.status == 1 && theirs.output.contains("unavailable      This looks too much like item1."))
        let json = try await run("reserve", "brand", "br4nd", "--reason", "a brand", "--for", "org-1", "--json")
        #expect(json.status == 0 && json.output.split(separator: "\n").count == 2)
        #expect(json.output.contains(#""duplicate":"lookalike","first_line":1,"original":"brand","lookalikes":[]}"#))
        let file = try folder.file("more.csv", "handle,owner\nbr_and,org-1\nbrand_,org-2\nbran_d,\n")
        let more = try await run("reserve", "--file", file, "--reason", "a brand")
        #expect(more.status == 1)
        #expect(
            more.output == """
                line,record,input,handle,display,result,reasons,duplicate,first_line,details
                2,1,br_and,br_and,br_and,reserved,,,,"Looks like brand, kept for the same owner."
                3,2,brand_,brand_,brand_,unavailable,lookalike:brand,lookalike,2,This looks too much like brand.
                4,3,bran_d,bran_d,bran_d,unavailable,lookalike:brand,lookalike,2,This looks too much like brand.

                """)
        #expect(try await run("verify").status == 0)
    }

    @Test func assignRefusesToDivideASeriesUnlessTheLookalikeIsAllowed() async throws {
        let run = try await Commands(in: folder.path)
        _ = try await run("reserve", "acme", "ac_me", "--reason", "ours")
        let first = try await run("assign", "acme", "--to", "org-1", "--reason", "a deal", "--json")
        #expect(first.status == 0 && first.output.hasSuffix(#""reasons":[],"lookalikes":[]}"# + "\n"))
        let refused = try await run("assign", "ac_me", "--to", "org-2", "--reason", "a deal")
        #expect(refused.status == 1)
        #expect(
            refused.output == """
                ac_me            This looks too much like acme. To assign it in spite of that, use --allow-lookalike.

                """)
        let json = try await run("assign", "ac_me", "--to", "org-2", "--reason", "a deal", "--json")
        #expect(json.status == 1 && json.output.hasPrefix(#"{"input":"ac_me","result":"unavailable","record":null,"#))
        #expect(json.output.contains(#""code":"lookalike""#) && json.output.contains(#""original":"acme""#))
        let allowed = try await run("assign", "ac_me", "--to", "org-2", "--allow-lookalike", "--reason", "a merger")
        #expect(allowed.status == 0)
        #expect(allowed.output == "ac_me            is org-2's now. Look-alikes in use: acme\n")
        #expect(try await run("show", "ac_me").output.contains("– a merger"))
        #expect(try await run("verify").status == 0)
    }
}
