import BankFiles
import BankModel
import Contracts
import Foundation

/// The page of public bugs in the repository: bug, cases, mutants.
enum BugPage {
    /// The path of the page in the repository.
    static let path = "docs/bug-corpus.md"

    /// The bugs, cases and mutants of a repository; nil if its contracts have no file of bugs.
    ///
    /// - Parameter mutants: asks for them, and complains if there is no answer.
    static func corpus(of root: URL, _ mutants: (Complaints) -> [MutantRecord], _ complaints: Complaints) -> BugCorpus? {
        let files = ContractFiles(folder: root.appending(path: "Contracts"), stubs: root.appending(path: "Stubs"))
        guard files.hasBugs else { return nil }
        return BugCorpus(files.bugs(complaints), files.suites(complaints), mutants(complaints))
    }

    /// The page's text; nil if the repository's contracts have no file of bugs.
    static func text(of root: URL, _ mutants: (Complaints) -> [MutantRecord], _ complaints: Complaints) -> String? {
        let corpus = corpus(of: root, mutants, complaints)
        corpus?.checkNames(complaints)
        return corpus?.page(source: "counterfoil schema --into .", contracts: "../Contracts")
    }
}
