import BankAdmin
import BankCore
import BankEngine
import BankFiles
import BankModel
import Foundation
import StubServer

extension BankLibrary {
    /// The library of `Stubs/`.
    static func find(_ given: String?, readsExpected: Bool = true) -> BankLibrary {
        BankLibrary(
            folder: InstalledFolder.find("Stubs", given: given), shipped: InstalledFolder.shipped("Stubs"), readsExpected: readsExpected)
    }

    /// The named banks, or all. All errors in all banks are reported together.
    func sources(_ wanted: [String]) throws(ComplaintsError) -> [BankSource] {
        let wanted = distinct(wanted)
        // Start-up: to serve one bank the others are not looked at.
        if !wanted.isEmpty, wanted.allSatisfy(has) { return try load(wanted) }
        let known = names
        guard !known.isEmpty else {
            let found = FileManager.default.fileExists(atPath: folder) ? "no bank" : "no such folder"
            throw wrong("found \(found), expected folders with a bank.yaml: name the folder of the banks with --stubs", folder)
        }
        let unknown = wanted.filter { !known.contains($0) }
        guard unknown.isEmpty else {
            throw ComplaintsError(
                unknown.map { name in
                    let isBundled = shipped.map { FileManager.default.fileExists(atPath: "\($0)/\(name)/bank.yaml") } ?? false
                    let bundled = "; these are the bundled banks: run the command beside your folder Stubs, or name it with --stubs"
                    let hint =
                        isBundled
                        ? "; this folder hides the bundled bank of that name: run the command elsewhere"
                        : didYouMean(name, among: known, otherwise: folder == shipped ? bundled : "")
                    return Complaint("found the bank `\(name)`, expected \(oneOf(known))\(hint)", at: SourcePosition(file: folder))
                })
        }
        return try load(wanted.isEmpty ? known : wanted)
    }

    private func load(_ names: [String]) throws(ComplaintsError) -> [BankSource] {
        try makeAll(names) { name throws(ComplaintsError) in BankSource(try load(name), library: self) }
    }
}

extension PlanSource {
    /// The plans of a folder, read again each time: an edited one needs no restart.
    init(_ library: PlanLibrary) { self.init(names: { library.names }, load: { name in try library.load(name) }) }
}

extension BankSource {
    /// A bank that was loaded from files, and can be again.
    init(_ loaded: LoadedBank, library: BankLibrary) {
        let name = loaded.bank.name
        self.init(bank: loaded.bank, files: loaded.files) { BankSource(try library.load(name), library: library) }
    }
}
