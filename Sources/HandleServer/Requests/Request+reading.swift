import HandleRegistry
import HandleRules
import HandleWords
import Hummingbird

extension Request {
    /// The handle in the path, as typed.
    func typedHandle(_ context: ServiceContext) throws(Problem) -> String {
        let raw = context.parameters["handle"] ?? ""
        return try PercentEncoding.decode(raw, plusIsSpace: false, in: "the path").checkedAsTypedHandle()
    }

    /// The handle in the path, in canonical form; it must be well formed.
    func handle(_ context: ServiceContext) throws(Problem) -> Handle {
        let input = try typedHandle(context)
        let reading = Reading(typed: input)
        guard let handle = reading.handle else {
            throw .refused(.decide(Reading(typed: input), word: nil), for: .anyone)
        }
        return handle
    }
}

extension String {
    /// The text, if it is short enough and has no NUL.
    func checkedAsTypedHandle() throws(Problem) -> String {
        // The byte count comes first: it is cheap, and there are never more code points than bytes.
        guard utf8.count <= RequestLimits.handleLength || unicodeScalars.count <= RequestLimits.handleLength else {
            throw Problem(
                .inputTooLong,
                "The text for the handle has \(unicodeScalars.count) characters; the limit is "
                    + "\(RequestLimits.handleLength), and a handle has at most \(Rules.length.upperBound).")
        }
        guard !utf8.contains(0) else {
            throw Problem(.invalidText, "The handle has a NUL character (U+0000); leave it out.")
        }
        return self
    }

    /// The typed handle, or `display` if there is one, which must be the same handle in other capitals.
    func spelled(as display: String?) throws(Problem) -> String {
        guard let display = try display?.checkedAsTypedHandle() else { return self }
        guard let handle = Reading(typed: self).handle else { return self }
        guard Reading(typed: display).handle == handle else { throw .displayMismatch(handle) }
        return display
    }

    /// The text as a moderator's reason.
    func checkedAsReason() throws(Problem) -> String {
        guard isReason, unicodeScalars.count <= RequestLimits.reasonLength else {
            throw Problem(
                .invalidField,
                "'reason' must be at most \(RequestLimits.reasonLength) characters, not blank, without control "
                    + "characters.")
        }
        return self
    }

    /// The text as the secret of a hold or an offer: printable ASCII.
    func checkedAsHold() throws(Problem) -> String {
        guard utf8.count <= RequestLimits.holdBytes, utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Problem(
                .invalidField, "'hold' must be the secret from the response that created the hold or the offer.")
        }
        return self
    }

    /// The text as the id of a typing session: printable ASCII.
    func checkedAsSession() throws(Problem) -> String {
        guard (1...RequestLimits.sessionBytes).contains(utf8.count), utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Problem(
                .invalidParameter,
                "The parameter 'session' must be 1 to \(RequestLimits.sessionBytes) printable ASCII characters without "
                    + "spaces; use a random value for each page, such as a UUID.")
        }
        return self
    }

    /// The text as an owner id.
    /// - Parameter name: the name of the member or parameter.
    func checkedAsOwner(_ name: String = "owner") throws(Problem) -> Owner {
        guard let owner = Owner(self) else {
            throw Problem(.invalidOwner, "'\(name)' must be \(Owner.rule).")
        }
        return owner
    }
}

extension Problem {
    static func displayMismatch(_ handle: Handle) -> Problem {
        Problem(
            .displayMismatch,
            "'display' may differ from \(handle) only in its capitals; to change more, rename the handle.")
    }
}
