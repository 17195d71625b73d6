import Hummingbird

/// What callers may rely on: the OpenAPI document, and a page for each type of problem.
struct ContractController: Sendable {
    private let document = Page(Documents.contract, type: "application/json")

    /// The pages by code, from docs/problems.md.
    private let problems: [String: Page] = ProblemPages.sections(
        of: String(decoding: Documents.problems, as: UTF8.self)
    )
    .mapValues { Page(Array($0.utf8), type: "text/markdown; charset=utf-8") }

    func addRoutes<Context: CallerContext>(to routes: inout Routes<Context>) {
        routes.add(.get, "/openapi.json") { request, _ in document.answer(to: request) }
        routes.add(.get, "/problems/{code}") { request, context in
            guard let page = problems[String(context.parameters["code"] ?? "")] else { throw Problem.notFound }
            return page.answer(to: request)
        }
    }
}

/// The sections of docs/problems.md, each of which begins with `## CODE`.
enum ProblemPages {
    static func sections(of text: String) -> [String: String] {
        let mark = "\n## "
        var pages: [String: String] = [:]
        for section in text.split(separator: mark).dropFirst() {
            let code = section.prefix { $0 != "\n" }
            // Each page stands for itself: what is a second heading there is the first one here.
            pages[String(code)] = "# \(section)\n"
        }
        return pages
    }
}
