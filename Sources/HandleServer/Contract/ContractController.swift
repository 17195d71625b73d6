import Hummingbird

/// The published contract: the OpenAPI document, and a page for each problem type.
struct ContractController: Sendable {
    private let document = Page(Documents.contract, type: "application/json")

    /// The pages by code, from docs/problems.md.
    private let problems: [String: Page] = ProblemPages.sections(
        of: String(decoding: Documents.problems, as: UTF8.self)
    )
    .mapValues { Page(Array($0.utf8), type: "text/markdown; charset=utf-8") }

    func addRoutes(to routes: inout Routes) {
        routes.add(.get, "/openapi.json") { request, _ in document.answer(to: request) }
        routes.add(.get, "/problems/{code}") { request, context in
            guard let page = problems[String(context.parameters["code"] ?? "")] else { throw Problem.notFound }
            return page.answer(to: request)
        }
    }
}

/// The sections of docs/problems.md. Each begins with `## CODE`.
enum ProblemPages {
    static func sections(of text: String) -> [String: String] {
        let mark = "\n## "
        var pages: [String: String] = [:]
        for section in text.split(separator: mark).dropFirst() {
            let code = section.prefix { $0 != "\n" }
            // Each section is a page of its own, so its second-level heading becomes a first-level one.
            pages[String(code)] = "# \(section)\n"
        }
        return pages
    }
}
