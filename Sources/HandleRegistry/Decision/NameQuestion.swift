/// A question whether a handle can be had, without its caller.
package struct NameQuestion: Sendable {
    let input: String
    let name: String?
    let suggestions: Int?
    let session: String?

    /// - Parameters:
    ///   - input: the handle as typed.
    ///   - name: the person's name, in any script, for better suggestions.
    ///   - suggestions: the number wanted; nil for ``Registry/usualSuggestions`` if the handle is refused, and none if
    ///     not.
    ///   - session: any text that identifies the person. The same session gets the same suggestions again.
    package init(_ input: String, name: String? = nil, suggestions: Int? = nil, session: String? = nil) {
        (self.input, self.name, self.suggestions, self.session) = (input, name, suggestions, session)
    }
}
