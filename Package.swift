// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours is built alike: Swift 6, and a warning is an error.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "handle-registry",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "handles", targets: ["handles"]),
        .library(name: "Debouncing", targets: ["Debouncing"]),
        .library(name: "EmbeddedPostgres", targets: ["EmbeddedPostgres"]),
        .library(name: "HandleCore", targets: ["HandleCore"]),
        .library(name: "HandleRegistry", targets: ["HandleRegistry"]),
        .library(name: "Postgres", targets: ["Postgres"]),
        .library(name: "Seeds", targets: ["Seeds"]),
        .library(name: "ReadingLaws", targets: ["ReadingLaws"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.15.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // C: the two system libraries, each behind one door.
        .systemLibrary(name: "CLibpq"),
        .systemLibrary(name: "CMalloc"),
        .target(
            name: "CICU",
            linkerSettings: [.linkedLibrary("icuuc"), .linkedLibrary("icui18n")]
        ),

        // Core: pure rules, and Unicode.
        .target(name: "HandleCore", swiftSettings: settings),
        .target(name: "HandleText", dependencies: ["CICU", "HandleCore"], swiftSettings: settings),

        // The typing pause: for the live check, and for programs that ask it.
        .target(name: "Debouncing", swiftSettings: settings),

        // Data that the binary carries: the reserved words and the schema.
        .target(
            name: "Seeds", path: "seeds",
            resources: [
                .embedInCode("reserved-words.tsv"), .embedInCode("innocent-names.txt"),
                .embedInCode("common-names.txt"),
            ], swiftSettings: settings
        ),
        .target(
            name: "Schema", path: "sql",
            resources: [
                .embedInCode("001_handles.sql"), .embedInCode("002_reserved_words.sql"),
                .embedInCode("003_owners.sql"), .embedInCode("004_lookalikes.sql"),
                .embedInCode("005_handle_events.sql"), .embedInCode("006_idempotency_keys.sql"),
                .embedInCode("007_protected_lookalikes.sql"), .embedInCode("008_access_keys.sql"),
                .embedInCode("009_next_protectors.sql"),
                .embedInCode("service_role.sql"), .embedInCode("distribute.sql"),
            ],
            swiftSettings: settings),

        .target(
            name: "Docs", path: "docs",
            exclude: ["admin.md", "batch.md", "benchmarks.md", "operations.md", "tokens.md"],
            resources: [.embedInCode("problems.md")], swiftSettings: settings),

        // Infrastructure: PostgreSQL as a client, and as a private server.
        .target(
            name: "Postgres",
            dependencies: ["CLibpq", .product(name: "NIOConcurrencyHelpers", package: "swift-nio")],
            swiftSettings: settings
        ),
        .target(
            name: "EmbeddedPostgres",
            dependencies: [.product(name: "Subprocess", package: "swift-subprocess")],
            swiftSettings: settings
        ),

        // Product: the decision, the lifecycle, the statements.
        .target(
            name: "HandleRegistry",
            dependencies: [
                "HandleCore", "HandleText", "Postgres", "Schema", "Seeds",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),

        // Files of names: their records, and what is to be said of each.
        .systemLibrary(name: "CZlib"),
        .target(name: "Records", dependencies: ["CZlib"], swiftSettings: settings),
        .target(
            name: "BatchValidation",
            dependencies: [
                "HandleCore", "HandleRegistry", "HandleText", "Records",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ],
            swiftSettings: settings),

        // Edges: HTTP and the command line.
        .target(
            name: "HandleServer",
            dependencies: [
                "Debouncing", "Docs", "HandleRegistry",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("Contract/openapi.json")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "handles",
            dependencies: [
                "BatchValidation", "CMalloc", "EmbeddedPostgres", "HandleRegistry", "HandleServer", "Records",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),

        // Tests: one target for each source target, and what they share.
        .target(
            name: "TestSupport",
            dependencies: [
                "EmbeddedPostgres", "HandleRegistry", "Postgres",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .target(
            name: "ReadingLaws", dependencies: ["HandleCore", "HandleText"], path: "Tests/ReadingLaws",
            swiftSettings: settings),
        .testTarget(
            name: "HandleCoreTests", dependencies: ["HandleCore", "Seeds", "TestSupport"], exclude: ["Vectors"],
            swiftSettings: settings),
        .testTarget(
            name: "HandleTextTests", dependencies: ["HandleText", "ReadingLaws", "TestSupport"],
            exclude: ["Corpus", "Vectors"],
            swiftSettings: settings),
        .testTarget(
            name: "DebouncingTests",
            dependencies: [
                "Debouncing", "HandleCore", "TestSupport",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PostgresTests",
            dependencies: [
                "Postgres", "TestSupport", .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EmbeddedPostgresTests",
            dependencies: ["EmbeddedPostgres", "Postgres", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "HandleRegistryTests",
            dependencies: [
                "HandleRegistry", "TestSupport", .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ], swiftSettings: settings),
        .testTarget(name: "RecordsTests", dependencies: ["CZlib", "Records"], swiftSettings: settings),
        .testTarget(
            name: "BatchValidationTests",
            dependencies: [
                "BatchValidation", "HandleCore", "HandleRegistry", "HandleText", "Records", "Seeds", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HandleServerTests",
            dependencies: [
                "Docs", "HandleServer", "TestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "handlesTests",
            dependencies: [
                "EmbeddedPostgres", "HandleCore", "HandleRegistry", "handles", "Seeds", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: settings
        ),
    ]
)
