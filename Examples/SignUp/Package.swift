// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "sign-up",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "sign-up", targets: ["SignUp"])],
    dependencies: [
        // In a copy of this example: .package(url: "…/handle-registry", from: "…", traits: ["AsyncHTTPClient"])
        .package(name: "handle-registry", path: "../..", traits: ["Server", "AsyncHTTPClient"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "SignUp",
            dependencies: [
                .product(name: "AsyncHTTPTransport", package: "handle-registry"),
                .product(name: "FileSessionStorage", package: "handle-registry"),
                .product(name: "HandleClient", package: "handle-registry"),
                .product(name: "HandleField", package: "handle-registry"),
                .product(name: "Onboarding", package: "handle-registry"),
                .product(name: "OpenIDSessions", package: "handle-registry"),
                .product(name: "Sessions", package: "handle-registry"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [
                .embedInCode("Assets/page.css"), .embedInCode("Assets/page.js"),
                .embedInCode("Templates/layout.mustache"), .embedInCode("Templates/welcome.mustache"),
                .embedInCode("Templates/handle.mustache"), .embedInCode("Templates/name.mustache"),
                .embedInCode("Templates/done.mustache"), .embedInCode("Templates/problem.mustache"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ])
    ]
)
