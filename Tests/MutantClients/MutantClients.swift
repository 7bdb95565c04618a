import BankModel
import ClientDriver
import CounterfoilDriver
import Foundation

/// Clients broken on purpose: how the judge is judged.
///
/// `MutantClients --list` prints each as a JSON line; `MutantClients NAME` drives as that one. `MutantClients --right NAME`
/// drives as a right client that is built otherwise: the judge must pass it.
@main
enum MutantClients {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let all = Mutant.all
        if arguments == ["--list"] {
            for mutant in all { print(mutant.line) }
        } else if arguments.count == 1, let mutant = all.first(where: { $0.name == arguments[0] }) {
            await StandardStreams.drive(ModelClient(name: "mutant \(mutant.name)", compose: mutant.compose))
        } else if arguments.count == 2, arguments[0] == "--right", let client = RightClient(rawValue: arguments[1]) {
            await StandardStreams.drive(ModelClient(name: "right \(client.rawValue)") { parts, start in client.compose(parts, start) })
        } else {
            let near = arguments.first.flatMap { nearestName(to: $0, among: all.map(\.name)) }.map { " (near: \($0))" } ?? ""
            let expected = "expected --list, one mutant's name\(near), or --right \(RightClient.names)"
            LineOutput(descriptor: STDERR_FILENO).write("MutantClients: \(expected)")
            exit(2)
        }
    }
}
