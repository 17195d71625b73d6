#if canImport(SwiftUI)
import Foundation
import SwiftUI

/// The sentence of an error, with a symbol.
struct FaultLabel: View {
    let error: any Error

    var body: some View {
        Label {
            Text(error.localizedDescription)
        } icon: {
            Image(systemName: "exclamationmark.triangle.fill")
                .foregroundStyle(.red)
                .accessibilityHidden(true)
        }
    }
}
#endif
