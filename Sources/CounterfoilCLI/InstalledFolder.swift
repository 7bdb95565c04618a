import BankFiles
import BankModel
import Contracts
import Crypto
import Foundation
import Platform

/// Finds the folders that come with the program: `Stubs` and `Contracts`.
enum InstalledFolder {
    /// The folder given; else that name in the working directory; else the one that came with the program.
    static func find(_ name: String, given: String?) -> String {
        if let given { return given.withoutSlash }
        if FileReader.disk.list(name) != nil { return name }
        return shipped(name) ?? name
    }

    /// The folder of that name that came with the program: installed with it, or in the checkout that it was built in. For a
    /// program that was moved away from both, the one in the working directory; nil if there is none either.
    static func shipped(_ name: String, program: String? = ThisProcess.path, files: FileReader = .disk) -> String? {
        candidates(program).map { "\($0)\(name)" }.first { files.list($0) != nil }
    }

    /// Folders to look in, each with a slash at its end; the working directory is an empty text.
    private static func candidates(_ program: String?) -> [String] {
        guard let program else { return [""] }
        let parts = program.split(separator: "/", omittingEmptySubsequences: false)
        let bin = program.dropLast(parts[parts.count - 1].count + 1)
        var folders = ["\(bin)/../share/counterfoil/"]
        // `swift build` writes below `.build` of the checkout.
        if let build = parts.last(where: { $0 == ".build" }) { folders.append(String(program[..<build.startIndex])) }
        return folders + [""]
    }
}

extension String {
    /// The path or address without a slash at its end; `/` stays as it is.
    var withoutSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}

extension ContractFiles {
    /// The contracts of a folder, for the banks of a library.
    ///
    /// - Parameter given: the folder; nil for `Contracts` in the working directory, or else those that came with the program.
    static func find(_ given: String?, stubs library: BankLibrary) -> ContractFiles {
        ContractFiles(
            folder: URL(filePath: InstalledFolder.find("Contracts", given: given)), stubs: URL(filePath: library.folder),
            shipped: library.shipped.map { URL(filePath: $0) })
    }

    /// The folder's invariants. A user's own contracts need no such file: the bundled invariants apply to them too.
    func bindingInvariants(_ complaints: Complaints) -> [Invariant] { binding.invariants(complaints) }

    /// The folder whose invariants apply.
    private var binding: ContractFiles {
        guard !hasInvariants, let shipped = InstalledFolder.shipped("Contracts") else { return self }
        return ContractFiles(folder: URL(filePath: shipped), stubs: nil)
    }

    /// SHA-256 of the files of cases and of the invariants that apply, in hexadecimal: of each its name, length and bytes.
    var digest: String {
        var hash = SHA256()
        let invariants = hasInvariants ? [] : binding.judging.filter { $0.name == ContractFiles.invariants }
        for (name, bytes) in judging + invariants {
            hash.update(data: Array("\(name) \(bytes.count)\n".utf8))
            hash.update(data: bytes)
        }
        return hexadecimal(Array(hash.finalize()))
    }
}
