public import Foundation

// The declarations that the views use, with the types and the isolation that Swift sees on Apple's systems. They do
// nothing.

@MainActor open class UIApplication: NSObject {
    public class var shared: UIApplication { UIApplication() }
    public var connectedScenes: Set<UIScene> { [] }
}

@MainActor open class UIScene: NSObject {
    public enum ActivationState: Int, Sendable {
        case unattached = -1
        case foregroundActive, foregroundInactive, background
    }

    public var activationState: UIScene.ActivationState { .unattached }
}

@MainActor open class UIWindowScene: UIScene {
    public var keyWindow: UIWindow? { nil }
}

@MainActor open class UIWindow: NSObject {}

public struct UITextContentType: Hashable, Sendable {
    public static let name = UITextContentType()
    public static let username = UITextContentType()
    public static let password = UITextContentType()
    public static let newPassword = UITextContentType()
}

public enum UIKeyboardType: Int, Sendable { case `default`, emailAddress }
