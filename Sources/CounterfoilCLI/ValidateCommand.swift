import ArgumentParser
import BankCore
import BankFiles
import BankModel
import Contracts
import Faults
import Harness

struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Check the files of banks, dialects, outages and contracts.",
        discussion: """
            Example: counterfoil validate roundup --stubs ./Stubs
            Prints the errors on stderr, one per line, as file:line:column, with the value found and the value expected; of a file \
            with over 100 errors the first 100, and the number of the others. Without a name, all banks and dialects are checked. For \
            each bank it prints how many cases apply, and the operations that would make more apply if `operations_of_a_client` had \
            them. Exit code 2 if there is an error; warnings do not change it.
            """)

    @Argument(help: "The banks to check, by folder; by default all.")
    var banks: [String] = []

    @OptionGroup var folders: FolderOptions

    @Flag(help: "Print the result as one line of JSON, with the errors and warnings.")
    var json = false

    func run() throws {
        let library = BankLibrary.find(folders.stubs)
        let check = library.check(banks)
        let found = Complaints()
        let files = ContractFiles.find(folders.contracts, stubs: library)
        let suites = files.suites(found)
        _ = files.bindingInvariants(found)
        if files.hasBugs { BugCorpus(files.bugs(found), suites, []).checkNames(found) }
        suites.checkBanks(library.names, found)
        let facts = check.banks.map { BankFacts($0.bank) }
        // The roles of a case can be wrong on one bank and right on another.
        if found.errors.isEmpty { _ = TestRun.instances(suites, on: facts, found) }
        let plans = library.plans.check(found)
        let result = Validation(
            check: check, plans: plans, suites: suites, reaches: facts.map { CaseReach($0, suites) },
            complaints: check.complaints + found.all)
        for complaint in result.complaints.bounded { Output.errors.line("\(complaint)") }
        Output.results.line(json ? result.json.text : result.lines.joined(separator: "\n"))
        if result.errors > 0 { throw ExitCode(2) }
    }
}

private struct Validation {
    let check: LibraryCheck
    let plans: [Plan]
    let suites: [Suite]
    let reaches: [CaseReach]
    let complaints: [Complaint]

    var errors: Int { complaints.count { !$0.isWarning } }
    private var warnings: Int { complaints.count - errors }
    private var cases: Int { suites.reduce(0) { $0 + $1.cases.count } }

    /// For people: the summary, and a line for each bank.
    var lines: [String] {
        guard errors == 0 else { return [summary] }
        let blind = check.banks.filter { $0.expected == nil && !$0.bank.clientOperations.isEmpty }.map(\.bank.name)
        return [summary] + reaches.map(\.text) + blind.map { "\($0): no expected.yaml; cases that compare displayed data are inconclusive" }
    }

    private var summary: String {
        let warned = warnings > 0 ? " (\(counted(warnings, "warning")))" : ""
        guard errors == 0 else {
            return "\(counted(errors, "error"))\(warned); correct \(errors == 1 ? "it" : "them") before serving or testing"
        }
        return "\(counted(check.banks.count, "bank")), \(counted(check.dialects.count, "dialect")), \(counted(plans.count, "outage"))"
            + " and \(counted(suites.count, "suite")) (\(counted(cases, "case"))) are valid\(warned)"
    }

    var json: JSON {
        .object([
            "sound": .bool(errors == 0), "banks": .array(check.banks.map { .string($0.bank.name) }),
            "dialects": .array(check.dialects.map { .string($0.name) }), "outages": .array(plans.map { .string($0.name) }),
            "suites": .array(suites.map { .string($0.name) }),
            "cases": .int(cases), "reach": .array(reaches.map(\.json)),
            "complaints": .array(complaints.bounded.map(json)),
        ])
    }

    private func json(_ complaint: Complaint) -> JSON {
        .object([
            "file": complaint.position.file.map(JSON.string) ?? .null, "line": complaint.position.line.map(JSON.int) ?? .null,
            "column": complaint.position.column.map(JSON.int) ?? .null, "message": .string(complaint.message),
            "warning": .bool(complaint.isWarning),
        ])
    }
}
