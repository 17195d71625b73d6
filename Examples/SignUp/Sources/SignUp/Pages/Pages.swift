import Foundation
import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

/// Renders the templates.
struct Pages: Sendable {
    enum Template: String, CaseIterable { case layout, welcome, handle, name, done, problem }

    let texts: PageTexts
    let assets: Assets
    private let library: MustacheLibrary

    init(texts: PageTexts, assets: Assets) throws {
        self.texts = texts
        self.assets = assets
        HTMLEscaping.register
        var templates: [String: MustacheTemplate] = [:]
        for template in Template.allCases {
            let source = "{{% CONTENT_TYPE: \(HTMLEscaping.name)}}" + String(decoding: template.bytes, as: UTF8.self)
            templates[template.rawValue] = try MustacheTemplate(string: source)
        }
        library = MustacheLibrary(templates: templates)
    }

    /// Seconds of `Retry-After` in a 503 response.
    private static let retryAfter = "5"

    /// The response with a page.
    func response(
        _ template: Template, _ page: some Sendable, _ head: PageHead, status: HTTPResponse.Status = .ok
    ) -> Response {
        let model = PageModel(texts: texts, assets: assets, head: head, page: page)
        guard let html = library.render(model, withTemplate: template.rawValue) else {
            preconditionFailure("\(template) is one of the templates")
        }
        var fields: HTTPFields = [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"]
        if status == .serviceUnavailable { fields[.retryAfter] = Self.retryAfter }
        return Response(status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(string: html)))
    }
}

/// The data that every page has.
struct PageHead: Sendable {
    var title: String
    /// Whether the form has a fault that the person has to correct.
    var isFaulty = false
    var session: Session?
    /// The notice at the top of the page.
    var notice: String?

    /// The signed-in person, for the header.
    struct Session: Sendable {
        let signedInAs: String
        let token: String
        /// The warning that the session ends soon; nil before its last week.
        let endsSoon: String?
    }
}

/// The data that a template gets.
private struct PageModel<Page: Sendable>: Sendable {
    let texts: PageTexts
    let assets: Assets
    let head: PageHead
    let page: Page
}

extension Pages.Template {
    fileprivate var bytes: [UInt8] {
        switch self {
        case .layout: PackageResources.layout_mustache
        case .welcome: PackageResources.welcome_mustache
        case .handle: PackageResources.handle_mustache
        case .name: PackageResources.name_mustache
        case .done: PackageResources.done_mustache
        case .problem: PackageResources.problem_mustache
        }
    }
}
