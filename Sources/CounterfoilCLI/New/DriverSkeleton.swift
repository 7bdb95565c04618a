import ArgumentParser
import BankFiles
import BankImport
import BankModel
import Foundation
import Platform

enum KitLanguage: String, CaseIterable, ExpressibleByArgument {
    case swift, python, javascript, java

    /// - Parameter argument: a language's name, or that of a language whose programs use another one's kit.
    init?(argument: String) { self.init(rawValue: KitLanguage.guests[argument.lowercased()] ?? argument) }

    /// Languages that use the kit of another one.
    private static let guests = ["kotlin": "java", "typescript": "javascript"]

    /// The language's name for people.
    var name: String { self == .javascript ? "JavaScript" : rawValue.capitalized }

    /// The kit's files: where each is below `clients`, and its path in a new driver's folder. In Swift it is a library.
    var kit: [(source: String, location: String)] {
        switch self {
        case .swift: []
        case .python: [("python/src/counterfoil_driver.py", "counterfoil_driver.py")]
        case .javascript:
            ["counterfoil-driver.mjs", "counterfoil-driver.d.mts"].map { ("js/src/\($0)", $0) }
        case .java:
            ["counterfoil/driver/CounterfoilDriver.java"].map { ("java/src/main/java/\($0)", $0) }
        }
    }
}

/// The files of a new driver: the skeleton and the kit, which come with the program in the folder `clients`.
struct DriverSkeleton {
    private let language: KitLanguage
    private let clients: String?

    /// - Parameter clients: the folder of skeletons and kits; nil looks for the one that came with the program.
    init(_ language: KitLanguage, clients: String? = nil) {
        self.language = language
        self.clients = clients ?? DriverSkeleton.shipped(language)
    }

    /// The files, by their paths in the driver's folder.
    ///
    /// - Throws: the path, if a file did not come with the program.
    func files() throws(ComplaintsError) -> [ImportFile] {
        guard let clients else {
            throw wrong(
                "found no such folder beside the program, expected the one that `make install` and the archive provide",
                "share/counterfoil/clients")
        }
        var files: [ImportFile] = []
        let skeleton = "\(clients)/skeletons/\(language.rawValue)"
        for location in locations(below: skeleton) {
            var text = try read("\(skeleton)/\(location)", below: clients)
            if location == "Package.swift" { text = text.replacing("@PACKAGE@", with: package(clients)) }
            files.append(ImportFile(location, text))
        }
        for (source, location) in language.kit { files.append(ImportFile(location, try read("\(clients)/\(source)", below: clients))) }
        return files
    }

    /// The dependency on this package: its checkout, where the program was built in one; else its address.
    private func package(_ clients: String) -> String {
        let checkout = URL(filePath: clients).deletingLastPathComponent().standardizedFileURL.path(percentEncoded: false).withoutSlash
        guard FileStatus("\(checkout)/Package.swift") != nil else {
            return #".package(url: "https://github.com/OWNER/counterfoil.git", from: "\#(Counterfoil.versionText)")"#
        }
        return #".package(name: "counterfoil", path: \#(JSON.string(checkout).text))"#
    }

    private func locations(below folder: String, _ inner: String = "") -> [String] {
        (FileReader.disk.list(folder + inner) ?? []).sorted().flatMap { name -> [String] in
            let location = "\(inner)/\(name)"
            return FileReader.disk.list(folder + location) == nil ? [String(location.dropFirst())] : locations(below: folder, location)
        }
    }

    private func read(_ path: String, below folder: String) throws(ComplaintsError) -> String {
        do throws(UnreadFile) { return String(decoding: try FileReader.disk.read(path, below: folder, .data), as: UTF8.self) } catch {
            throw ComplaintsError([Complaint(error, file: path, expected: "a file that comes with the program")])
        }
    }

    private static func shipped(_ language: KitLanguage) -> String? {
        let inner = "/skeletons/\(language.rawValue)"
        return InstalledFolder.shipped("clients" + inner).map { String($0.dropLast(inner.count)) }
    }
}
