// swift-tools-version: 6.2
import PackageDescription

// A package of its own: the fuzzer needs flags that the rest must not have. `make fuzz` gives them.
let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    // A library, because libFuzzer brings the main function; the Makefile links the two.
    products: [.library(name: "FuzzReading", type: .static, targets: ["FuzzReading"])],
    dependencies: [.package(name: "handle-registry", path: "..")],
    targets: [
        .target(
            name: "FuzzReading",
            dependencies: [.product(name: "ReadingLaws", package: "handle-registry")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
