#if canImport(SwiftUI)
import Accessibility
import SwiftUI

extension View {
    /// Lets a screen reader speak each new text. Apply it to one view, because a modifier of a section or a group
    /// applies to each view in it.
    func announcing(_ text: String?) -> some View {
        onChange(of: text) { _, text in
            if let text, !text.isEmpty { AccessibilityNotification.Announcement(text).post() }
        }
    }
}
#endif
