import ReadingLaws

/// libFuzzer calls this with each generated input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    if let law = ReadingLaws.broken(by: input) { preconditionFailure(law) }
    return 0
}
