// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the benchmarks are no part of the default build.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "handle-registry", path: "..")],
    targets: [
        .target(name: "CountingMalloc"),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CountingMalloc",
                .product(name: "EmbeddedPostgres", package: "handle-registry"),
                // The program itself, so that it is built alike and lies beside.
                .product(name: "handles", package: "handle-registry"),
                .product(name: "HandleCore", package: "handle-registry"),
                .product(name: "HandleRegistry", package: "handle-registry"),
                .product(name: "Postgres", package: "handle-registry"),
                .product(name: "Seeds", package: "handle-registry"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
        ),
    ]
)
