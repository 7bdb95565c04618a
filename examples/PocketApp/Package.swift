// swift-tools-version: 6.2
import PackageDescription

// A small app whose tests run against a bank: what an app's own package looks like. In yours the dependency is
// .package(url: "https://…/counterfoil.git", from: "…"), and the package is named "counterfoil" below.
let package = Package(
    name: "PocketApp",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "PocketApp", targets: ["PocketApp"])],
    dependencies: [.package(name: "counterfoil", path: "../..")],
    targets: [
        .target(name: "PocketApp"),
        .testTarget(
            name: "PocketAppTests", dependencies: ["PocketApp", .product(name: "CounterfoilTesting", package: "counterfoil")]),
    ]
)
