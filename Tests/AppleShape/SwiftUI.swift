public import Foundation
public import Observation
@_exported public import UIKit

// The declarations that the views and the examples use, with the types and the isolation that Swift sees on Apple's
// systems. They do nothing. On Apple's systems SwiftUI also exports Foundation; here a file has to import it.

// MARK: Views and scenes

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension View where Body == Never {
    public var body: Never { fatalError("a stub has no body") }
}

extension Never: View {
    public typealias Body = Never
    public var body: Never { fatalError("a stub has no body") }
}

extension Optional: View where Wrapped: View {
    public typealias Body = Never
}

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Scene where Body == Never {
    public var body: Never { fatalError("a stub has no body") }
}

extension Never: Scene {}

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

extension App {
    @MainActor @preconcurrency public static func main() {}
}

public nonisolated struct WindowGroup<Content: View>: Scene {
    public typealias Body = Never
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}

@resultBuilder public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> where repeat each Content: View { TupleView() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
        _ConditionalContent()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> {
        _ConditionalContent()
    }
}

public nonisolated struct EmptyView: View {
    public typealias Body = Never
    public init() {}
}

public nonisolated struct TupleView<Content>: View {
    public typealias Body = Never
}

// swift-format-ignore: NoLeadingUnderscores
public nonisolated struct _ConditionalContent<First: View, Second: View>: View {
    public typealias Body = Never
}

// MARK: Property wrappers

@propertyWrapper public struct State<Value> {
    private let value: Value
    public init(wrappedValue value: Value) { self.value = value }
    public init(initialValue value: Value) { self.value = value }
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { Binding(value) }
}

extension State: Sendable where Value: Sendable {}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(initialValue: nil) }
}

@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    private let value: Value
    init(_ value: Value) { self.value = value }

    @preconcurrency public init(
        get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) { fatalError("a stub has no value") }

    public static func constant(_ value: Value) -> Binding<Value> { Binding(value) }
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        Binding<Subject>(value[keyPath: keyPath])
    }
}

extension Binding: @unchecked Sendable where Value: Sendable {}

@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }
    private init(value: Value) { wrappedValue = value }
    @available(*, unavailable, message: "The wrapped value must be an object that conforms to Observable")
    public init(wrappedValue: Value) { fatalError("unavailable") }
    @available(*, unavailable, message: "The wrapped value must be an object that conforms to Observable")
    public init(projectedValue: Bindable<Value>) { fatalError("unavailable") }
}

extension Bindable where Value: AnyObject {
    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
        Binding<Subject>(wrappedValue[keyPath: keyPath])
    }
}

extension Bindable where Value: AnyObject, Value: Observable {
    public init(wrappedValue: Value) { self.init(value: wrappedValue) }
    public init(_ wrappedValue: Value) { self.init(value: wrappedValue) }
    public init(projectedValue: Bindable<Value>) { self = projectedValue }
}

extension Bindable: Sendable where Value: Sendable {}

@propertyWrapper public struct Environment<Value> {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError("a stub has no value") }
}

extension Environment {
    public init(_ objectType: Value.Type) where Value: AnyObject, Value: Observable {}
    public init<Object: AnyObject & Observable>(_ objectType: Object.Type) where Value == Object? {}
}

extension Environment: Sendable where Value: Sendable {}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    public init() {}
    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { K.defaultValue }
        set {}
    }
    public var accessibilityReduceMotion: Bool { false }
    public var colorScheme: ColorScheme {
        get { .light }
        set {}
    }
    public var scenePhase: ScenePhase {
        get { .active }
        set {}
    }
    public var dismiss: DismissAction { DismissAction() }
}

public enum ColorScheme: Sendable { case light, dark }

public enum ScenePhase: Comparable, Sendable { case background, inactive, active }

@MainActor @preconcurrency public struct DismissAction {
    nonisolated init() {}
    public func callAsFunction() {}
}

@propertyWrapper public struct FocusState<Value: Hashable> {
    @propertyWrapper public struct Binding {
        public var wrappedValue: Value {
            get { fatalError("a stub has no value") }
            nonmutating set {}
        }
        public var projectedValue: FocusState<Value>.Binding { self }
        fileprivate init(_: Void) {}
    }

    public init() where Value == Bool {}
    public init<T: Hashable>() where Value == T? {}
    public var wrappedValue: Value {
        get { fatalError("a stub has no value") }
        nonmutating set {}
    }
    public var projectedValue: FocusState<Value>.Binding { Binding(()) }
}

extension FocusState: Sendable where Value: Sendable {}

@propertyWrapper public struct ScaledMetric<Value: BinaryFloatingPoint> {
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public let wrappedValue: Value
}

// MARK: Text, images and colours

public struct LocalizedStringKey: ExpressibleByStringInterpolation, Equatable {
    public init(stringLiteral value: String) {}
}

public nonisolated struct Text: View, Equatable {
    public typealias Body = Never
    public init(verbatim content: String) {}
    @_disfavoredOverload public init<S: StringProtocol>(_ content: S) {}
    public init(
        _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
    ) {}
}

public nonisolated struct Image: View {
    public typealias Body = Never
    public init(systemName: String) {}
}

public protocol ShapeStyle: Sendable {}

public struct Color: ShapeStyle, Hashable, Sendable {
    public static let red = Color()
    public static let orange = Color()
    public static let green = Color()
}

extension ShapeStyle where Self == Color {
    public static var red: Color { .red }
    public static var orange: Color { .orange }
    public static var green: Color { .green }
}

public struct HierarchicalShapeStyle: ShapeStyle {}

extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
}

public nonisolated struct Label<Title: View, Icon: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {}
}

extension Label where Title == Text, Icon == Image {
    public nonisolated init(_ titleKey: LocalizedStringKey, systemImage name: String) {}
    @_disfavoredOverload public nonisolated init<S: StringProtocol>(_ title: S, systemImage name: String) {}
}

public struct Font: Hashable, Sendable {
    public static let largeTitle = Font()
    public static let title = Font()
    public static let headline = Font()
    public static let footnote = Font()
}

// MARK: Containers

public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public enum VerticalAlignment: Sendable { case top, center, bottom, firstTextBaseline }

public nonisolated struct VStack<Content: View>: View {
    public typealias Body = Never
    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}
}

public nonisolated struct HStack<Content: View>: View {
    public typealias Body = Never
    public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}
}

public nonisolated struct ZStack<Content: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder content: () -> Content) {}
}

public nonisolated struct Group<Content> {}

extension Group: View where Content: View {
    public typealias Body = Never
    public nonisolated init(@ViewBuilder content: () -> Content) { self.init() }
}

public nonisolated struct List<Content: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder content: () -> Content) {}
}

public nonisolated struct Form<Content: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder content: () -> Content) {}
}

public nonisolated struct ScrollView<Content: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder content: () -> Content) {}
}

public nonisolated struct Section<Parent, Content, Footer> {}

extension Section: View where Parent: View, Content: View, Footer: View {
    public typealias Body = Never
}

extension Section where Parent: View, Content: View, Footer: View {
    public nonisolated init(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent, @ViewBuilder footer: () -> Footer
    ) { self.init() }
}

extension Section where Parent == EmptyView, Content: View, Footer: View {
    public nonisolated init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) { self.init() }
}

extension Section where Parent == EmptyView, Content: View, Footer == EmptyView {
    public nonisolated init(@ViewBuilder content: () -> Content) { self.init() }
}

extension Section where Parent == Text, Content: View, Footer == EmptyView {
    public nonisolated init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) { self.init() }
    @_disfavoredOverload public nonisolated init<S: StringProtocol>(
        _ title: S, @ViewBuilder content: () -> Content
    ) { self.init() }
}

public nonisolated struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}

extension ForEach: View where Content: View {
    public typealias Body = Never
}

extension ForEach where Content: View {
    public nonisolated init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) { self.init() }
}

public nonisolated struct NavigationStack<Data, Root: View>: View {
    public typealias Body = Never
}

public struct NavigationPath: Sendable {}

extension NavigationStack where Data == NavigationPath {
    public nonisolated init(@ViewBuilder root: () -> Root) { self.init() }
}

public nonisolated struct NavigationLink<Label: View, Destination: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder destination: () -> Destination, @ViewBuilder label: () -> Label) {}
}

extension NavigationLink where Label == Text {
    public nonisolated init(_ titleKey: LocalizedStringKey, @ViewBuilder destination: () -> Destination) {
        self.init(destination: destination) { Text("") }
    }
    @_disfavoredOverload public nonisolated init<S: StringProtocol>(
        _ title: S, @ViewBuilder destination: () -> Destination
    ) { self.init(destination: destination) { Text("") } }
}

public nonisolated struct ContentUnavailableView<Label: View, Description: View, Actions: View>: View {
    public typealias Body = Never
    public init(
        @ViewBuilder label: () -> Label, @ViewBuilder description: () -> Description = { EmptyView() },
        @ViewBuilder actions: () -> Actions = { EmptyView() }
    ) {}
}

// MARK: Controls

public struct ButtonRole: Equatable, Sendable {
    public static let destructive = ButtonRole()
    public static let cancel = ButtonRole()
}

public nonisolated struct Button<Label: View>: View {
    public typealias Body = Never
    @preconcurrency public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
    @preconcurrency public init(
        role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label
    ) {}
}

extension Button where Label == Text {
    @preconcurrency public nonisolated init(
        _ titleKey: LocalizedStringKey, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void
    ) { self.init(action: action) { Text("") } }
    @_disfavoredOverload @preconcurrency public nonisolated init<S: StringProtocol>(
        _ title: S, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void
    ) { self.init(action: action) { Text("") } }
}

public nonisolated struct TextField<Label: View>: View {
    public typealias Body = Never
}

extension TextField where Label == Text {
    public nonisolated init(_ titleKey: LocalizedStringKey, text: Binding<String>) { self.init() }
    @_disfavoredOverload public nonisolated init<S: StringProtocol>(_ title: S, text: Binding<String>) { self.init() }
}

public nonisolated struct SecureField<Label: View>: View {
    public typealias Body = Never
}

extension SecureField where Label == Text {
    public nonisolated init(_ titleKey: LocalizedStringKey, text: Binding<String>) { self.init() }
    @_disfavoredOverload public nonisolated init<S: StringProtocol>(_ title: S, text: Binding<String>) { self.init() }
}

public nonisolated struct ProgressView<Label: View>: View {
    public typealias Body = Never
}

extension ProgressView where Label == EmptyView {
    public nonisolated init() { fatalError("a stub has no value") }
}

extension ProgressView where Label == Text {
    public nonisolated init(_ titleKey: LocalizedStringKey) { fatalError("a stub has no value") }
    @_disfavoredOverload public nonisolated init<S: StringProtocol>(_ title: S) { fatalError("a stub has no value") }
}

// MARK: Modifiers

public struct Animation: Equatable, Sendable {
    public static let `default` = Animation()
}

public struct UnitPoint: Hashable, Sendable {
    public static let center = UnitPoint()
}

public enum TextAlignment: Hashable, Sendable { case leading, center, trailing }

public struct AccessibilityTraits: Sendable {
    public static let isHeader = AccessibilityTraits()
}

public struct SubmitLabel: Sendable {
    public static var next: SubmitLabel { SubmitLabel() }
    public static var go: SubmitLabel { SubmitLabel() }
    public static var done: SubmitLabel { SubmitLabel() }
    public static var `continue`: SubmitLabel { SubmitLabel() }
}

public struct TextInputAutocapitalization: Sendable {
    public static var never: TextInputAutocapitalization { TextInputAutocapitalization() }
    public static var words: TextInputAutocapitalization { TextInputAutocapitalization() }
}

@MainActor @preconcurrency public protocol PrimitiveButtonStyle {}

public struct BorderedProminentButtonStyle: PrimitiveButtonStyle {}

extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
    @MainActor @preconcurrency public static var borderedProminent: BorderedProminentButtonStyle {
        BorderedProminentButtonStyle()
    }
}

extension View {
    // The environment.
    public nonisolated func environment<T: AnyObject & Observable>(_ object: T?) -> some View { self }
    public nonisolated func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
        self
    }

    // Events.
    public nonisolated func task(
        name: String? = nil, priority: TaskPriority = .userInitiated, file: String = #fileID, line: Int = #line,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { self }
    public nonisolated func task<T: Equatable>(
        id: T, name: String? = nil, priority: TaskPriority = .userInitiated, file: String = #fileID, line: Int = #line,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { self }
    public nonisolated func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
    public nonisolated func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View { self }
    public nonisolated func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void
    ) -> some View { self }
    public nonisolated func onSubmit(_ action: @escaping () -> Void) -> some View { self }

    // Text input and focus.
    public nonisolated func textContentType(_ textContentType: UITextContentType?) -> some View { self }
    public nonisolated func keyboardType(_ type: UIKeyboardType) -> some View { self }
    public nonisolated func textInputAutocapitalization(
        _ autocapitalization: TextInputAutocapitalization?
    ) -> some View { self }
    public nonisolated func autocorrectionDisabled(_ disable: Bool = true) -> some View { self }
    public nonisolated func submitLabel(_ submitLabel: SubmitLabel) -> some View { self }
    public nonisolated func focused(_ condition: FocusState<Bool>.Binding) -> some View { self }
    public nonisolated func focused<Value: Hashable>(
        _ binding: FocusState<Value>.Binding, equals value: Value
    ) -> some View { self }

    // Appearance.
    public nonisolated func disabled(_ disabled: Bool) -> some View { self }
    public nonisolated func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { self }
    public nonisolated func font(_ font: Font?) -> some View { self }
    public nonisolated func padding(_ length: CGFloat) -> some View { self }
    public nonisolated func padding() -> some View { self }
    public nonisolated func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil
    ) -> some View { self }
    public nonisolated func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
    public nonisolated func defaultScrollAnchor(_ anchor: UnitPoint?) -> some View { self }
    public nonisolated func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { self }
    public nonisolated func navigationTitle(_ titleKey: LocalizedStringKey) -> some View { self }
    @_disfavoredOverload public nonisolated func navigationTitle<S: StringProtocol>(_ title: S) -> some View { self }
    public nonisolated func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View { self }

    // Accessibility.
    public nonisolated func accessibilityHint(_ hintKey: LocalizedStringKey) -> some View { self }
    @_disfavoredOverload public nonisolated func accessibilityHint<S: StringProtocol>(_ hint: S) -> some View { self }
    public nonisolated func accessibilityLabel(_ labelKey: LocalizedStringKey) -> some View { self }
    @_disfavoredOverload public nonisolated func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View { self }
    public nonisolated func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { self }
    public nonisolated func accessibilityHidden(_ hidden: Bool) -> some View { self }
}
