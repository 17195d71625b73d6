import Foundation
import HandleField
import HTTPTypes
import Hummingbird
import NIOCore

/// The style sheet and the script. Their addresses contain a hash of the content, so browsers may cache them for long.
struct Assets: Sendable {
    struct Asset: Sendable {
        let path: String
        let type: String
        let bytes: [UInt8]
        let version: String

        init(_ path: String, _ type: String, _ bytes: [UInt8]) {
            self.path = path
            self.type = type
            self.bytes = bytes
            version = String(Secret.hash(String(decoding: bytes, as: UTF8.self)).prefix(12))
        }

        var address: String { "\(path)?v=\(version)" }
    }

    let all = [
        Asset("/assets/page.css", "text/css; charset=utf-8", PackageResources.page_css),
        // One module, because one request is faster than two. First the page's part: it sets the texts of the field.
        Asset("/assets/page.js", "text/javascript; charset=utf-8", PackageResources.page_js + HandleField.script),
    ]

    /// For the layout.
    let style: String
    let script: String

    init() { (style, script) = (all[0].address, all[1].address) }

    func addRoutes(to router: Router<SiteContext>) {
        for asset in all {
            router.get(RouterPath(asset.path)) { request, _ in
                let isNewest = request.uri.query == "v=\(asset.version)"
                let fields: HTTPFields = [
                    .contentType: asset.type,
                    .cacheControl: isNewest ? "public, max-age=31536000, immutable" : "no-cache",
                ]
                return Response(
                    status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: asset.bytes)))
            }
        }
    }
}
