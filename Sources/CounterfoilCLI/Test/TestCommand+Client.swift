import ArgumentParser
import BankModel
import DriverProtocol
import Foundation
import Harness

/// The client that `counterfoil test` is to judge, and how it is driven.
extension TestCommand {
    /// The driver's command.
    ///
    /// - Throws: a `ValidationError` if no client is given; a `DriverCommandError` if its command cannot be read.
    func command() throws -> DriverCommand {
        guard let client else { throw ValidationError("found no --client, expected the driver: a program and its arguments") }
        return try DriverCommand(client, try kind())
    }

    /// How the program is driven.
    ///
    /// - Throws: a `ValidationError` for options that do not go together, or names that there are not.
    func kind() throws -> DriverCommand.Kind {
        guard oneShot else {
            guard operations == nil, features == nil else {
                throw ValidationError(
                    "found --operations or --features without --one-shot, expected neither: a driver that loops says itself what it can")
            }
            return .loop
        }
        guard let operations else { throw ValidationError("found --one-shot without --operations, expected what the client can do") }
        let abilities = DriverCommand.Abilities(
            operations: try TestCommand.names(operations, of: DriverOperation.self, "--operations"),
            features: try TestCommand.names(features ?? "", of: DriverFeature.self, "--features"))
        if abilities.features.contains(.cancel) {
            throw ValidationError("found --features cancel with --one-shot, expected others: a client that is run once cannot be told")
        }
        return .oneShot(abilities)
    }

    /// What to say of a driver that did not start as it should: a file among its arguments that is named from here is not found
    /// in the folder that a driver runs in.
    static func hint(_ words: [String], isThere: (String) -> Bool = FileManager.default.fileExists) -> String? {
        guard let file = words.dropFirst().first(where: { !$0.hasPrefix("/") && !$0.hasPrefix("-") && isThere($0) }) else { return nil }
        return "counterfoil: the driver runs in a folder of its own, where there is no \(file): give its whole path, as in "
            + "--client \"\((words.prefix { $0 != file } + ["$PWD/\(file)"]).joined(separator: " "))\""
    }

    /// The names in a list with commas.
    private static func names<Name: RawRepresentable<String> & CaseIterable>(
        _ list: String, of type: Name.Type, _ option: String
    ) throws -> [Name] {
        try list.split(separator: ",").map { text in
            if let name = Name(rawValue: String(text)) { return name }
            let known = Name.allCases.map(\.rawValue)
            let hint = nearestName(to: String(text), among: known).map { "; did you mean `\($0)`?" } ?? ""
            throw ValidationError("found \(option) `\(text)`, expected \(oneOf(known))\(hint)")
        }
    }
}
