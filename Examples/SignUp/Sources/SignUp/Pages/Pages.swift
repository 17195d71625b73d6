import Foundation
import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

/// Makes pages of the templates.
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

    /// How many seconds a browser waits before it asks again for a page that could not be made.
    private static let retryAfter = "5"

    /// The answer with a page.
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

/// What every page has.
struct PageHead: Sendable {
    var title: String
    /// Whether something in the form has to be changed.
    var isFaulty = false
    var session: Session?
    /// What is said on top of the page.
    var notice: String?

    /// The signed-in person, for the header.
    struct Session: Sendable {
        let signedInAs: String
        let token: String
        /// That the session ends within days.
        let endsSoon: String?
    }
}

/// What a template sees.
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
