package import BankModel
package import Contracts
import Foundation
import Subprocess

/// The program that mutants are made of: `--list` prints one line of JSON per mutant; a mutant's name as argument runs that one.
package struct MutantProgram: Sendable {
    private let path: String

    package init(path: String) { self.path = path }

    /// The mutants that it lists; complains of a program that cannot be run, ends with another status than 0, or writes a line that does not
    /// describe one.
    package func mutants(_ complaints: Complaints) async -> [MutantRecord] {
        let position = SourcePosition(file: path)
        let output: String
        do {
            let command = try DriverCommand("\(RunReport.quoted(path)) --list")
            let result = try await Subprocess.run(
                command.executable, arguments: ["--list"], input: .none, output: .string(limit: 4 << 20), error: .currentStandardError)
            guard result.terminationStatus == .exited(0) else {
                complaints.add(
                    found: "a program that \(result.terminationStatus.text) at `--list`",
                    expected: "status 0 and one line of JSON per mutant", at: position)
                return []
            }
            output = result.standardOutput
        } catch {
            complaints.add(
                found: "no executable program that lists at most 4 MiB (\(error))", expected: "one that lists mutants", at: position)
            return []
        }
        return output.split(separator: "\n").enumerated().compactMap { number, line in
            let position = SourcePosition(file: "\(path) --list", line: number + 1)
            do throws(JSONError) { return MutantRecord(try JSON(parsing: String(line)), at: position, complaints) } catch {
                complaints.add(found: "a line that is not JSON (\(error))", expected: "one mutant", at: position)
                return nil
            }
        }
    }
}
