import ArgumentParser
import BankModel
import DriverProtocol
import Foundation
import Harness
import Platform

/// The client that is tested, and how it is driven.
struct DriverOptions: ParsableArguments {
    @Option(help: "The driver of the client: a program and its arguments.")
    var client: String?

    @Flag(help: "Run the driver once per step, with its input in the environment (COUNTERFOIL_OP, COUNTERFOIL_URL, …).")
    var oneShot = false

    @Option(help: "With --one-shot: the operations that the client supports, such as login,accounts,pay.")
    var operations: String?

    @Option(help: "With --one-shot: the features that the client supports, such as persistence,cache,ca.")
    var features: String?

    /// The driver's command.
    ///
    /// - Throws: a `ValidationError` if no client is given, for options that cannot be combined, unknown names, or a text that is not a
    ///   command.
    func command() throws -> DriverCommand {
        guard let client else {
            throw ValidationError(
                "found no --client, expected the driver: a program and its arguments; `counterfoil new driver` writes one")
        }
        return try DriverOptions.command(client, kind())
    }

    /// The command of a driver that runs in a loop.
    static func command(ofLoop client: String) throws -> DriverCommand { try command(client, .loop) }

    /// The command, with the files among its arguments looked up from here: a driver runs in its own folder.
    private static func command(_ client: String, _ kind: DriverCommand.Kind) throws -> DriverCommand {
        do throws(DriverCommandError) {
            return try DriverCommand(client, kind).resolved(in: FileManager.default.currentDirectoryPath, isFile: isFile)
        } catch { throw ValidationError("--client: \(error)") }
    }

    private static func isFile(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }

    private func kind() throws -> DriverCommand.Kind {
        guard oneShot else {
            guard operations == nil, features == nil else {
                throw ValidationError(
                    "found --operations or --features without --one-shot, expected neither: a driver without --one-shot declares them in its hello"
                )
            }
            return .loop
        }
        guard let operations else {
            throw ValidationError("found --one-shot without --operations, expected the operations that the client supports")
        }
        let abilities = DriverCommand.Abilities(
            operations: try names(operations, of: DriverOperation.self, "--operations"),
            features: try names(features ?? "", of: DriverFeature.self, "--features"))
        if abilities.features.contains(.cancel) {
            throw ValidationError(
                "found --features cancel with --one-shot, expected others: a client that runs once per operation cannot be cancelled")
        }
        return .oneShot(abilities)
    }

    /// The names in a list with commas.
    private func names<Name: RawRepresentable<String> & CaseIterable>(
        _ list: String, of type: Name.Type, _ option: String
    ) throws -> [Name] {
        try list.split(separator: ",").map { text in
            if let name = Name(rawValue: String(text)) { return name }
            let known = Name.allCases.map(\.rawValue)
            let hint = didYouMean(String(text), among: known)
            throw ValidationError("found \(option) `\(text)`, expected \(oneOf(known))\(hint)")
        }
    }
}

/// The folder of a run, for its drivers and what their clients store.
///
/// Clients store tokens and payments durably, and of many cases at once most would wait for the disk: so the folder is in memory where that
/// can be had, unless `TMPDIR` names a folder. A killed process loses nothing there either.
enum ScratchFolder {
    /// The memory that must be free: a case stores about 50 kB, which is removed when it has been checked.
    static let wanted: UInt64 = 512 << 20

    /// Makes a new folder, which is only its owner's: clients store secrets in it.
    static func make(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> URL {
        let memory = environment["TMPDIR"] == nil ? MemoryFiles.folder(free: wanted).map { URL(filePath: $0) } : nil
        let folder = (memory ?? FileManager.default.temporaryDirectory).appending(path: "counterfoil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder
    }
}
