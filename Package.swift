// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "counterfoil",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .executable(name: "counterfoil", targets: ["CounterfoilCLI"]),
        .library(name: "CounterfoilTesting", targets: ["CounterfoilTesting"]),
        .library(name: "CounterfoilDriver", targets: ["CounterfoilDriver"]),
    ],
    traits: [
        .trait(name: "TLS", description: "Banks over TLS, with certificates of an authority that the server makes."),
        .trait(name: "HTTP2", description: "Banks over HTTP/2."),
        .default(enabledTraits: ["TLS", "HTTP2"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-atomics.git", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.2", traits: []),
    ],
    targets: [
        // 0: the ground. Each layer may use those above it here, never those below.
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(name: "CDashboard", exclude: ["page"]),
        .target(name: "Platform"),
        .target(name: "BankModel", dependencies: ["Platform"]),
        .target(name: "SQLiteFile", dependencies: ["CSQLite"]),

        // 1: pure values, no IO.
        .target(
            name: "BankCore",
            dependencies: [
                "Platform", "BankModel", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]),
        .target(name: "Faults", dependencies: ["Platform", "BankModel"]),
        .target(name: "DriverProtocol", dependencies: ["Platform", "BankModel"]),
        .target(name: "Contracts", dependencies: ["Platform", "BankModel", "Faults", "DriverProtocol"]),

        // 1 as well: the kit that makes somebody's client a driver. No socket, no curl (.ci/layers holds that).
        .target(name: "CounterfoilDriver", dependencies: ["Platform", "BankModel", "DriverProtocol"]),

        // 2: files, and the client.
        .target(
            name: "BankFiles",
            dependencies: [
                "Platform", "BankModel", "BankCore", "Faults", "DriverProtocol", "Contracts",
                // For libyaml, which it brings as the module CYaml (docs/decisions/libraries.md).
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        .target(
            name: "BankClient",
            dependencies: [
                "CCurl", "Platform", "BankModel", "SQLiteFile", "DriverProtocol",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),

        // 3: the engine, which answers requests without a socket: sessions, rules, journal. It imports no NIO.
        .target(
            name: "BankEngine",
            dependencies: [
                "Platform", "BankModel", "BankCore", "Faults", "Contracts", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),
        // The engine's durable log, in SQLite.
        .target(name: "EventStore", dependencies: ["CSQLite", "Platform", "BankModel", "SQLiteFile", "BankEngine"]),

        // The wire, and the loop that lets a harness drive the client.
        .target(
            name: "StubServer",
            dependencies: [
                "Platform", "BankModel", "BankCore", "Faults", "BankEngine",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2", condition: .when(traits: ["HTTP2"])),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: ["HTTP2"])),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"])),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: .when(traits: ["TLS"])),
                .product(name: "X509", package: "swift-certificates", condition: .when(traits: ["TLS"])),
            ]
        ),
        // The admin API and the dashboard: what a test library does without (.ci/layers holds that).
        .target(
            name: "BankAdmin",
            dependencies: [
                "CDashboard", "Platform", "BankModel", "BankCore", "Faults", "Contracts", "BankEngine", "StubServer",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        .target(name: "ClientDriver", dependencies: ["Platform", "BankModel", "DriverProtocol", "CounterfoilDriver", "BankClient"]),

        // 4: the judge at work.
        .target(
            name: "Harness",
            dependencies: [
                "Platform", "BankModel", "BankCore", "Faults", "DriverProtocol", "Contracts", "BankFiles", "BankClient", "BankEngine",
                "StubServer",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),

        // 4 as well: a bank as a scope inside somebody's tests, and the banks that come with it. SwiftPM takes resources from a target's
        // own folder only, and copies a symbolic link as such: so the folder of the banks is a target.
        .target(
            name: "EmbeddedBanks", path: "Stubs",
            exclude: ["README.md", "corpus"],
            sources: ["EmbeddedBanks.swift"],
            resources: [
                "berlin", "bins", "counterfoil", "dialects", "feed", "login", "openbanking", "outages", "roundup", "snapshot",
            ].map { .copy($0) }
        ),
        .target(
            name: "CounterfoilTesting",
            dependencies: [
                "Platform", "EmbeddedBanks", "BankModel", "BankCore", "Faults", "Contracts", "BankFiles", "BankEngine", "StubServer",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // 4 as well: the wing to other tools and to real APIs. Only the command and tests import it (.ci/layers).
        .target(
            name: "BankImport",
            dependencies: [
                "Platform", "BankModel", "BankCore", "Contracts", "BankFiles", .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/Interop/BankImport"),
        .target(name: "BankExport", dependencies: ["BankModel", "BankCore"], path: "Sources/Interop/BankExport"),
        .target(name: "BankGenerator", dependencies: ["BankModel"], path: "Sources/Interop/BankGenerator"),
        .target(
            name: "ProviderCheck",
            dependencies: ["Platform", "BankModel", "BankCore", "Faults", "Contracts", "BankClient", "BankEngine", "StubServer"],
            path: "Sources/Interop/ProviderCheck"),

        // 5: the command.
        .executableTarget(
            name: "CounterfoilCLI",
            dependencies: [
                "Platform", "BankModel", "BankCore", "Faults", "DriverProtocol", "Contracts", "BankFiles", "EventStore", "BankClient",
                "ClientDriver", "BankEngine", "StubServer", "BankAdmin", "Harness", "BankImport", "BankExport", "BankGenerator",
                "ProviderCheck",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Atomics", package: "swift-atomics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),

        // Clients broken on purpose: how the judge is judged. Not a product, not installed.
        .executableTarget(
            name: "MutantClients",
            dependencies: ["CCurl", "Platform", "BankModel", "DriverProtocol", "CounterfoilDriver", "BankClient", "ClientDriver"],
            path: "Tests/MutantClients"),

        // Banks and folders that several test targets use.
        .target(name: "TestBanks", dependencies: ["Platform", "BankFiles"], path: "Tests/TestBanks"),
        .testTarget(name: "BankModelTests", dependencies: ["Platform", "BankModel"]),
        .testTarget(name: "SQLiteFileTests", dependencies: ["CSQLite", "Platform", "SQLiteFile"]),
        .testTarget(
            name: "CounterfoilCLITests",
            dependencies: [
                "Platform", "BankModel", "BankFiles", "BankImport", "BankClient", "Contracts", "DriverProtocol", "Harness",
                "CounterfoilCLI", "MutantClients", "TestBanks",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(
            name: "BankClientTests",
            dependencies: [
                "CCurl", "Platform", "BankModel", "SQLiteFile", "DriverProtocol", "BankClient",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Peers"]),
        .testTarget(name: "CounterfoilDriverTests", dependencies: ["Platform", "BankModel", "DriverProtocol", "CounterfoilDriver"]),
        .testTarget(
            name: "ClientDriverTests",
            dependencies: ["Platform", "BankModel", "BankClient", "DriverProtocol", "CounterfoilDriver", "ClientDriver", "TestBanks"]),
        .target(name: "FailingDisk", dependencies: ["Platform", "CSQLite"], path: "Tests/FailingDisk"),
        .target(
            name: "TestServer",
            dependencies: [
                "Platform", "BankModel", "BankCore", "Faults", "BankFiles", "BankEngine", "EventStore", "StubServer", "BankAdmin",
                "TestBanks",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/TestServer"),
        .testTarget(
            name: "BankCoreTests",
            dependencies: ["BankModel", "BankCore", "BankFiles", "TestBanks", .product(name: "Crypto", package: "swift-crypto")]),
        .testTarget(
            name: "EventStoreTests",
            dependencies: ["Platform", "BankModel", "SQLiteFile", "BankEngine", "EventStore", "FailingDisk", "TestBanks"]),
        // The tests of the server, by subject. A release build compiles each target as a whole, on one core: one target of all these tests
        // would leave the other cores idle at the end of a build.
        .testTarget(
            name: "FaultsTests",
            dependencies: [
                "Platform", "BankModel", "BankCore", "Faults", "BankFiles", "BankEngine", "StubServer", "TestBanks", "TestServer",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]
        ),
        .testTarget(
            name: "BankEngineTests",
            dependencies: [
                "Platform", "BankModel", "BankCore", "Faults", "BankEngine", "EventStore", "StubServer", "TestBanks", "FailingDisk",
                "TestServer",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]
        ),
        .testTarget(
            name: "StubServerTests",
            dependencies: [
                "Platform", "BankModel", "BankCore", "Faults", "BankEngine", "EventStore", "StubServer", "BankAdmin", "TestBanks",
                "TestServer",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        .testTarget(
            name: "BankAdminTests",
            dependencies: [
                "Platform", "BankModel", "BankCore", "Faults", "Contracts", "BankEngine", "StubServer", "BankAdmin", "TestBanks",
                "TestServer",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "BankFilesTests",
            dependencies: [
                "BankModel", "BankCore", "Faults", "Contracts", "BankFiles", "TestBanks", .product(name: "Yams", package: "Yams"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: ["Stubs"]),
        .testTarget(
            name: "BankImportTests",
            dependencies: ["BankModel", "BankCore", "Faults", "Contracts", "BankFiles", "BankImport", "TestBanks"],
            exclude: ["Corpus"]),
        .testTarget(
            name: "BankExportTests", dependencies: ["BankModel", "BankCore", "BankFiles", "BankExport", "TestBanks"],
            exclude: ["Golden"]),
        .testTarget(
            name: "BankGeneratorTests", dependencies: ["BankModel", "BankCore", "BankFiles", "BankGenerator", "TestBanks"]),
        .testTarget(
            name: "ContractsTests", dependencies: ["BankModel", "Faults", "DriverProtocol", "Contracts", "BankFiles", "TestBanks"],
            exclude: ["Reports/Golden"]),
        .testTarget(
            name: "CounterfoilTestingTests",
            dependencies: [
                "Platform", "BankModel", "Faults", "Contracts", "CounterfoilTesting",
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]),
        .testTarget(
            name: "HarnessTests",
            dependencies: [
                "Platform", "BankModel", "BankCore", "Faults", "DriverProtocol", "Contracts", "BankFiles", "BankClient", "BankEngine",
                "StubServer", "Harness", "TestBanks", .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "ProviderCheckTests",
            dependencies: [
                "Platform", "BankModel", "BankCore", "Faults", "Contracts", "BankFiles", "BankClient", "BankEngine", "StubServer",
                "ProviderCheck",
                "TestBanks",
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Golden"]),
    ]
)

// `make tsan` builds the client, its tests and what they need, not the whole product.
if Context.environment["COUNTERFOIL_ONLY"] == "client" {
    package.products = []
    let needed = ["CCurl", "CSQLite", "Platform", "BankModel", "SQLiteFile", "BankClient", "BankClientTests"]
    package.targets.removeAll { !needed.contains($0.name) }
}

let unoptimised: Set = ["MutantClients", "TestServer", "BankImport", "BankExport", "BankGenerator", "ProviderCheck", "CounterfoilCLI"]
// One set of settings for every target of ours.
for target in package.targets where !["CCurl", "CSQLite", "CDashboard"].contains(target.name) {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
    // What serves a request or decides a verdict is optimised. Tests, mutants, imports, exports and commands are not: that takes as long as
    // all the rest. Packages that use CounterfoilTesting build none of these.
    if target.type == .test || unoptimised.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
    }
}
