// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "driver",
    platforms: [.macOS(.v13)],
    dependencies: [@PACKAGE@],
    targets: [
        .executableTarget(name: "driver", dependencies: [.product(name: "CounterfoilDriver", package: "counterfoil")])
    ]
)
