import BankCore
import BankEngine
import BankFiles
import BankModel
import EmbeddedBanks
import Foundation
import StubServer

/// Finds and reads the files of the banks.
struct StubsFolder: Sendable {
    let path: String
    /// The folder of the embedded banks, whose dialects and outages count where `path` has none of that name.
    private let embedded: String

    /// The environment variable that names the folder of the banks.
    static let variable = "COUNTERFOIL_STUBS"

    /// - Parameters:
    ///   - given: the folder that the caller named; nil for the environment's, or else the embedded one.
    ///   - environment: the environment of the process.
    ///   - embedded: the folder of the embedded banks.
    /// - Throws: ``StubBankError`` if there is no such folder.
    init(
        _ given: URL?, environment: [String: String] = ProcessInfo.processInfo.environment, embedded: URL? = EmbeddedBanks.folder
    ) throws(StubBankError) {
        let named = environment[StubsFolder.variable].flatMap { $0.isEmpty ? nil : $0 }
        self.embedded = embedded?.path ?? ""
        let (path, origin) =
            if let given { (given.path, "StubBankOptions.stubs") } else if let named { (named, StubsFolder.variable) } else {
                (self.embedded, "the library's resources")
            }
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard FileReader.disk.list(self.path) != nil else {
            throw StubBankError(
                .noStubs,
                "found no folder \(self.path) (\(origin)), expected the folder of the banks: "
                    + "name it with StubBankOptions(stubs:) or the environment's \(StubsFolder.variable)")
        }
    }

    private var library: BankLibrary { BankLibrary(folder: path, shipped: embedded, readsExpected: false) }

    var plans: PlanLibrary { library.plans }

    /// Reads the banks with these names, or all banks in the folder if `wanted` is empty.
    ///
    /// - Throws: ``StubBankError`` for an unknown name, with the nearest known one; or with every error in the files.
    func sources(_ wanted: [String]) throws(StubBankError) -> [BankSource] {
        let library = library
        for name in wanted where !library.has(name) {
            let known = library.names
            guard known.isEmpty else { throw StubBankError.unknownBank(name, known: known, " (of \(path))") }
            throw StubBankError(
                .unknownBank, "found no bank in \(path), expected folders with a bank.yaml, \"\(name)\" among them")
        }
        var seen: Set<String> = []
        var sources: [BankSource] = []
        for name in wanted.isEmpty ? library.names : wanted where seen.insert(name).inserted {
            do throws(ComplaintsError) { sources.append(BankSource(try library.load(name), library)) } catch {
                throw StubBankError(.invalidFiles, "the bank \"\(name)\" cannot be served:\n\(error)")
            }
        }
        return sources
    }
}

extension BankSource {
    /// A bank that can be loaded from its files again.
    fileprivate init(_ loaded: LoadedBank, _ library: BankLibrary) {
        let name = loaded.bank.name
        self.init(bank: loaded.bank, files: loaded.files) { BankSource(try library.load(name), library) }
    }
}
