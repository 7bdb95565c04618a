import BankModel
import Harness
import Testing

/// What is reported of a program that lists no mutants.
@Suite(.timeLimit(.minutes(10))) struct MutantProgramTests {
    @Test(arguments: [
        ("true", []), ("false", ["false: found a program that exited with status 1 at `--list`, expected status 0"]),
        ("echo", ["echo --list:1: found a line that is not JSON"]), ("/nowhere/mutants", ["/nowhere/mutants: found no executable program"]),
    ])
    func `a program that cannot list mutants is reported with what it did, one that lists none is not`(
        path: String, beginnings: [String]
    ) async {
        let complaints = Complaints()

        let mutants = await MutantProgram(path: path).mutants(complaints)

        #expect(mutants == [])
        let found = complaints.errors.map(\.description)
        #expect(found.count == beginnings.count)
        #expect(zip(found, beginnings).allSatisfy { $0.hasPrefix($1) }, "\(found)")
    }
}
