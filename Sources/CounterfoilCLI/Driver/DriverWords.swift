import ArgumentParser
import BankModel
import DriverProtocol
import Foundation
import Harness

/// Reads how a client is driven from the options.
enum DriverWords {
    /// The driver's command, files among its arguments looked up from here: a driver runs in a folder of its own.
    ///
    /// - Throws: a `ValidationError` for options that do not go together, names that there are not, or a text that is no command.
    static func command(_ client: String, oneShot: Bool, operations: String?, features: String?) throws -> DriverCommand {
        let kind = try kind(oneShot: oneShot, operations: operations, features: features)
        do throws(DriverCommandError) {
            return try DriverCommand(client, kind).resolved(in: FileManager.default.currentDirectoryPath, isFile: isFile)
        } catch { throw ValidationError("--client: \(error)") }
    }

    private static func isFile(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }

    private static func kind(oneShot: Bool, operations: String?, features: String?) throws -> DriverCommand.Kind {
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
    private static func names<Name: RawRepresentable<String> & CaseIterable>(
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
