import Testing

@testable import HandleServer

@Suite struct DateFieldTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
    ])
    func dateHasTheFormOfTheHeader(_ second: Int, _ text: String) {
        let date = DateField()
        #expect(date.text(at: 1) == "Thu, 01 Jan 1970 00:00:01 GMT")
        #expect(date.text(at: second) == text)
        #expect(date.text(at: second) == text)
    }
}
