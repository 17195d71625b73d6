#if canImport(SwiftUI)
import SwiftUI

/// Keyboards of fields for text that is not prose. Not every system has all of these settings.
extension View {
    /// Neither capitals nor corrections by the system.
    func typingVerbatim() -> some View {
        #if os(macOS)
        autocorrectionDisabled()
        #else
        textInputAutocapitalization(.never).autocorrectionDisabled()
        #endif
    }

    func typingUsername(isEmail: Bool) -> some View {
        #if os(macOS) || os(watchOS)
        typingVerbatim().textContentType(.username)
        #else
        typingVerbatim().textContentType(.username).keyboardType(isEmail ? .emailAddress : .default)
        #endif
    }
}
#endif
