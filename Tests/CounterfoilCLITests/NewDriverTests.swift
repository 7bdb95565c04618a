import ArgumentParser
import BankImport
@testable import CounterfoilCLI
import Foundation
import TestBanks
import Testing

/// The folders that `counterfoil new driver` writes, from the skeletons and kits of the repository.
@Suite struct NewDriverTests {
    private static let root = Clone.root.path

    @Test(arguments: [
        (KitLanguage.python, ["README.md", "counterfoil_driver.py", "driver.py"]),
        (.javascript, ["README.md", "counterfoil-driver.d.mts", "counterfoil-driver.mjs", "driver.mjs"]),
        (.java, ["Driver.java", "README.md", "counterfoil/driver/CounterfoilDriver.java"]),
        (.swift, ["Package.swift", "README.md", "Sources/driver/main.swift"]),
    ])
    func `a driver has its kit, its own file and the commands`(_ language: KitLanguage, _ expected: [String]) throws {
        let files = try DriverSkeleton(language, clients: "\(Self.root)/clients").files()

        #expect(files.map(\.path).sorted() == expected)
    }

    @Test(arguments: [("kotlin", KitLanguage.java), ("Kotlin", .java), ("typescript", .javascript), ("java", .java)])
    func `a client in Kotlin or TypeScript has the driver of Java or JavaScript`(name: String, expected: KitLanguage) throws {
        #expect(try NewDriver.parse(["--language", name]).language == expected)
    }

    @Test func `a driver in Swift depends on the checkout that the program was built in`() throws {
        let files = try DriverSkeleton(.swift, clients: "\(Self.root)/clients").files()

        let package = try #require(files.first { $0.path == "Package.swift" })
        let text = String(decoding: package.bytes, as: UTF8.self)

        #expect(text.contains(".package(name: \"counterfoil\", path: \"\(Self.root)\")"))
        #expect(!text.contains("@"))
    }
}
