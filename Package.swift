// swift-tools-version: 6.2
import PackageDescription

/// Shared settings of all targets: Swift 6, warnings as errors, and a file must import what it uses.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Conditions of dependencies. A package that is used only under such a condition is not even fetched without the trait:
/// an app that leaves the trait Server out fetches no other package.
let server = TargetDependencyCondition.when(traits: ["Server"])
let tls = TargetDependencyCondition.when(traits: ["TLS"])
let identityTokens = TargetDependencyCondition.when(traits: ["IdentityTokens"])
let asyncHTTPClient = TargetDependencyCondition.when(traits: ["AsyncHTTPClient"])
let anyTrait = TargetDependencyCondition.when(traits: ["TLS", "IdentityTokens"])

/// A product of another package.
func product(
    _ name: String, of package: String, when condition: TargetDependencyCondition? = server
) -> Target.Dependency {
    .product(name: name, package: package, condition: condition)
}

/// Products of SwiftNIO.
func nio(_ names: String..., when condition: TargetDependencyCondition? = server) -> [Target.Dependency] {
    names.map { product($0, of: "swift-nio", when: condition) }
}

/// Products that many targets use.
let locks = product("NIOConcurrencyHelpers", of: "swift-nio")
let logging = product("Logging", of: "swift-log")
let httpTypes = product("HTTPTypes", of: "swift-http-types")
let hummingbird = product("Hummingbird", of: "hummingbird")
let lifecycle = product("ServiceLifecycle", of: "swift-service-lifecycle")
let argumentParser = product("ArgumentParser", of: "swift-argument-parser")

let package = Package(
    name: "handle-registry",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .executable(name: "handles", targets: ["handles"]),
        // For apps. None of them needs another package.
        .library(name: "HandleRules", targets: ["HandleRules"]),
        .library(name: "HandleClient", targets: ["Debouncing", "HandleClient", "HandleRules"]),
        .library(name: "Sessions", targets: ["Sessions"]),
        .library(name: "OpenIDSessions", targets: ["OpenIDSessions"]),
        .library(name: "CookieSessions", targets: ["CookieSessions"]),
        .library(name: "AuthorizedRequests", targets: ["AuthorizedRequests"]),
        .library(name: "FileSessionStorage", targets: ["FileSessionStorage"]),
        .library(name: "Onboarding", targets: ["Onboarding"]),
        .library(name: "OnboardingViews", targets: ["OnboardingViews"]),
        // For the pages of servers.
        .library(name: "HandleField", targets: ["HandleField"]),
        // For previews and tests of apps.
        .library(name: "HandleClientTesting", targets: ["HandleClientTesting"]),
        // For servers and tests.
        .library(name: "AsyncHTTPTransport", targets: ["AsyncHTTPTransport"]),
        .library(name: "TestIssuer", targets: ["TestIssuer"]),
        .executable(name: "test-issuer", targets: ["test-issuer"]),
    ],
    traits: [
        .default(enabledTraits: ["Server"]),
        .trait(
            name: "Server",
            description: "Everything but the libraries for apps. Without it, no other package is fetched."),
        .trait(name: "TLS", description: "The service can speak TLS itself (builds BoringSSL)."),
        .trait(
            name: "IdentityTokens", description: "The service can check identity tokens of people (builds BoringSSL)."),
        .trait(
            name: "AsyncHTTPClient",
            description: "Servers that use HandleClient can send its requests over AsyncHTTPClient (builds BoringSSL)."),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.15.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // C: libpq, ICU, and the small parts of libcrypto, zlib and the allocator.
        .systemLibrary(name: "CLibpq"),
        .target(name: "CICU", linkerSettings: [.linkedLibrary("icuuc"), .linkedLibrary("icui18n")]),
        .target(name: "CPlatform", linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("z")]),

        // The rules of a handle, for apps too; reserved words, look-alikes, suggestions and Unicode.
        .target(name: "HandleRules", swiftSettings: settings),
        .target(name: "HandleWords", dependencies: ["CICU", "HandleRules"], swiftSettings: settings),

        // The typing pause: for the live check, and for its clients.
        .target(name: "Debouncing", swiftSettings: settings),

        // For apps: requests, and the session of a signed-in person.
        .target(name: "HTTPLoading", swiftSettings: settings),
        .target(name: "Sessions", dependencies: ["HTTPLoading"], swiftSettings: settings),
        .target(name: "OpenIDSessions", dependencies: ["HTTPLoading", "Sessions"], swiftSettings: settings),
        .target(name: "CookieSessions", dependencies: ["HTTPLoading", "Sessions"], swiftSettings: settings),
        .target(name: "AuthorizedRequests", dependencies: ["HTTPLoading", "Sessions"], swiftSettings: settings),
        .target(name: "FileSessionStorage", dependencies: ["HTTPLoading", "Sessions"], swiftSettings: settings),
        .target(
            name: "HandleClient", dependencies: ["Debouncing", "HandleRules", "HTTPLoading"], swiftSettings: settings),
        .target(
            name: "AsyncHTTPTransport",
            dependencies: [
                .target(name: "HandleClient", condition: asyncHTTPClient),
                product("AsyncHTTPClient", of: "async-http-client", when: asyncHTTPClient),
            ] + nio("NIOCore", "NIOHTTP1", "NIOPosix", when: asyncHTTPClient),
            swiftSettings: settings),
        .target(
            name: "Onboarding", dependencies: ["Debouncing", "HandleClient", "HandleRules", "HTTPLoading", "Sessions"],
            swiftSettings: settings),
        // Views of SwiftUI: on other systems than Apple's it is empty.
        .target(
            name: "OnboardingViews",
            dependencies: ["HandleClient", "HandleRules", "Onboarding", "OpenIDSessions", "Sessions"],
            swiftSettings: settings),

        .target(
            name: "HandleClientTesting", dependencies: ["HandleClient", "HandleRules", "HTTPLoading", "Onboarding"],
            swiftSettings: settings),

        // For the pages of servers: a script.
        .target(
            name: "HandleField", exclude: ["handle-field.d.ts"], resources: [.embedInCode("handle-field.js")],
            swiftSettings: settings),

        // Contents of the binary: lists and documents, and the schema.
        .target(name: "CResources"),
        .target(
            name: "Seeds", dependencies: ["CResources"], path: "seeds",
            exclude: ["reserved-words.tsv", "offensive-words.tsv", "innocent-names.tsv", "common-names.txt"],
            swiftSettings: settings),
        .target(
            name: "Schema", path: "sql",
            resources: [
                .embedInCode("001_registry.sql"), .embedInCode("service_role.sql"), .embedInCode("distribute.sql"),
            ],
            swiftSettings: settings),

        // Infrastructure: PostgreSQL as a client, and as a private server.
        .target(name: "Postgres", dependencies: ["CLibpq", locks], swiftSettings: settings),
        .target(
            name: "EmbeddedPostgres",
            dependencies: [
                product("Subprocess", of: "swift-subprocess"),
                product("SystemPackage", of: "swift-system"),
            ],
            swiftSettings: settings),

        // Product: the decision, the lifecycle, the statements.
        .target(
            name: "HandleRegistry",
            dependencies: ["CPlatform", "HandleRules", "HandleWords", "Postgres", "Schema", "Seeds", locks],
            swiftSettings: settings),

        // Files of names: their records, and their validation.
        .target(
            name: "NameFiles", dependencies: ["CPlatform", "HandleRules", "HandleRegistry", "HandleWords", locks],
            swiftSettings: settings),

        // Edges: HTTP and the command line.
        .target(
            name: "HandleServer",
            dependencies: [
                "CPlatform", "CResources", "Debouncing", "HandleRegistry", "HandleRules", "HandleWords", "Postgres",
                httpTypes, hummingbird, lifecycle, logging,
                product("HummingbirdCore", of: "hummingbird"),
                product("NIOHTTPTypes", of: "swift-nio-extras"),
                product("NIOHTTPTypesHTTP1", of: "swift-nio-extras"),
                // Dependencies of the traits.
                product("AsyncHTTPClient", of: "async-http-client", when: identityTokens),
                product("HummingbirdTLS", of: "hummingbird", when: tls),
                product("JWTKit", of: "jwt-kit", when: identityTokens),
                product("NIOSSL", of: "swift-nio-ssl", when: tls),
            ] + nio("NIOConcurrencyHelpers", "NIOCore", "NIOHTTP1", "NIOTLS")
                + nio("NIOFoundationEssentialsCompat", when: identityTokens),
            exclude: ["Contract/openapi.json"],
            swiftSettings: settings),
        .executableTarget(
            name: "handles",
            dependencies: [
                "CPlatform", "EmbeddedPostgres", "HandleRules", "HandleRegistry", "HandleServer", "HandleWords",
                "HTTPLoading", "NameFiles", "Postgres", argumentParser, hummingbird, lifecycle, logging,
                product("UnixSignals", of: "swift-service-lifecycle"),
            ] + nio("NIOConcurrencyHelpers", "NIOCore"),
            swiftSettings: settings),

        // Shared code of the tests.
        .target(
            name: "TestSupport",
            dependencies: ["EmbeddedPostgres", "HandleRules", "HandleRegistry", "HandleWords", "Postgres", locks],
            path: "Tests/TestSupport", swiftSettings: settings),
        .target(
            name: "TestService",
            dependencies: [
                "EmbeddedPostgres", "HandleClient", "HandleRules", "HandleRegistry", "HandleServer",
                "TestSupport", lifecycle, locks, logging,
            ],
            path: "Tests/TestService", swiftSettings: settings),
        .target(
            name: "ReadingLaws", dependencies: ["HandleRules", "HandleWords"], path: "Tests/ReadingLaws",
            swiftSettings: settings),

        // An OpenID issuer, for the tests here and in programs that use Sessions.
        .target(name: "CP256", path: "Tests/CP256", linkerSettings: [.linkedLibrary("crypto")]),
        .target(
            name: "TestIssuer",
            dependencies: [
                // Apple's systems have CryptoKit.
                .target(name: "CP256", condition: .when(platforms: [.linux])),
                "HTTPLoading", httpTypes, hummingbird, lifecycle, logging,
            ] + nio("NIOCore"),
            path: "Tests/TestIssuer", swiftSettings: settings),
        .executableTarget(
            name: "test-issuer", dependencies: ["TestIssuer", argumentParser], path: "Tests/test-issuer",
            swiftSettings: settings),
        .executableTarget(
            name: "SessionProbe",
            dependencies: ["CookieSessions", "FileSessionStorage", "OpenIDSessions", "Sessions"],
            path: "Tests/SessionProbe", swiftSettings: settings),

        // Tests: one target for each source target.
        .testTarget(name: "HandleRulesTests", dependencies: ["HandleRules", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "HandleWordsTests",
            dependencies: ["HandleRules", "HandleWords", "ReadingLaws", "Seeds", "TestSupport"],
            exclude: ["Corpus", "Vectors"], swiftSettings: settings),
        .testTarget(
            name: "DebouncingTests", dependencies: ["Debouncing", "HandleRules", "TestSupport", locks],
            swiftSettings: settings),
        .testTarget(
            name: "TestIssuerTests", dependencies: ["test-issuer", "TestIssuer", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SessionsTests",
            dependencies: [
                "AuthorizedRequests", "CookieSessions", "CP256", "FileSessionStorage", "HandleRules", "HTTPLoading",
                "OpenIDSessions",
                "SessionProbe", "Sessions", "TestIssuer", "TestSupport",
                httpTypes, hummingbird,
            ] + nio("NIOConcurrencyHelpers", "NIOCore"),
            swiftSettings: settings),
        .testTarget(
            name: "HandleClientTests",
            dependencies: [
                "Debouncing", "HandleClient", "HandleRules", "HandleRegistry", "HandleServer", "handles", "TestIssuer",
                "TestService", "TestSupport", httpTypes, hummingbird,
                .target(name: "AsyncHTTPTransport", condition: asyncHTTPClient),
            ] + nio("NIOConcurrencyHelpers", "NIOCore"),
            swiftSettings: settings),
        .testTarget(
            name: "OnboardingTests",
            dependencies: [
                "FileSessionStorage", "HandleClient", "HandleClientTesting", "HandleRules", "HandleRegistry",
                "HandleServer", "handles",
                "Onboarding", "OpenIDSessions", "Sessions", "TestIssuer", "TestService", "TestSupport", locks,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PostgresTests", dependencies: ["CLibpq", "HandleRules", "Postgres", "TestSupport", locks],
            swiftSettings: settings),
        .testTarget(
            name: "EmbeddedPostgresTests", dependencies: ["EmbeddedPostgres", "Postgres", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "HandleRegistryTests",
            dependencies: ["HandleRules", "HandleRegistry", "HandleWords", "Postgres", "Schema", "TestSupport", locks],
            swiftSettings: settings),
        .testTarget(
            name: "NameFilesTests",
            dependencies: [
                "CPlatform", "HandleRules", "HandleRegistry", "HandleWords", "NameFiles", "Seeds", "TestSupport", locks,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HandleServerTests",
            dependencies: [
                "HandleRules", "HandleRegistry", "HandleServer", "Postgres", "TestService", "TestSupport",
                httpTypes, lifecycle, logging,
                product("NIOHTTPTypes", of: "swift-nio-extras"),
                // Dependencies of the traits.
                product("AsyncHTTPClient", of: "async-http-client", when: tls),
                product("Crypto", of: "swift-crypto", when: anyTrait),
                product("CryptoExtras", of: "swift-crypto", when: identityTokens),
                product("Hummingbird", of: "hummingbird", when: identityTokens),
                product("NIOSSL", of: "swift-nio-ssl", when: tls),
                product("SwiftASN1", of: "swift-asn1", when: tls),
                product("X509", of: "swift-certificates", when: tls),
            ] + nio("NIOConcurrencyHelpers", "NIOCore", "NIOEmbedded") + nio("NIOHTTP1", "NIOPosix", when: tls),
            swiftSettings: settings),
        .testTarget(
            name: "handlesTests",
            dependencies: [
                "EmbeddedPostgres", "HandleRules", "HandleRegistry", "HandleServer", "handles", "HandleWords",
                "NameFiles", "OpenIDSessions", "Postgres", "Seeds", "Sessions", "TestIssuer", "TestService",
                "TestSupport",
                argumentParser, lifecycle, logging,
                product("Crypto", of: "swift-crypto", when: identityTokens),
                product("Subprocess", of: "swift-subprocess"),
                product("SystemPackage", of: "swift-system"),
            ] + nio("NIOConcurrencyHelpers", "NIOCore", "NIOPosix"),
            exclude: ["Samples"], swiftSettings: settings),
    ]
)

// Targets that only `make bench` and `make fuzz` build.
if Context.environment["HANDLES_BENCH"] != nil {
    package.targets += [
        .target(name: "CountingMalloc", path: "Benchmarks/Sources/CountingMalloc"),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CountingMalloc", "EmbeddedPostgres", "HandleRegistry", "HandleRules", "HandleWords", "Postgres",
            ],
            path: "Benchmarks/Sources/bench", swiftSettings: settings),
    ]
}
if Context.environment["HANDLES_FUZZ"] != nil {
    // A library, because libFuzzer brings the main function; the Makefile links the two.
    package.products.append(.library(name: "FuzzReading", type: .static, targets: ["FuzzReading"]))
    package.targets.append(
        .target(
            name: "FuzzReading", dependencies: ["ReadingLaws"], path: "Tests/FuzzReading",
            swiftSettings: settings))
}
