import BankModel
import Contracts
import Foundation
import TestBanks
import Testing

@testable import CounterfoilCLI
@testable import MutantClients

/// The public bugs, the cases that find them and the mutants that prove the cases, as the repository has them.
@Suite struct BugPageTests {
    private static let root = Clone.root

    /// The mutants as their program lists them.
    private static func mutants(_ complaints: Complaints) async -> [MutantRecord] {
        Mutant.all.compactMap { mutant in
            guard let line = try? JSON(parsing: mutant.line) else { return nil }
            return MutantRecord(line, at: SourcePosition(file: mutant.name), complaints)
        }
    }

    @Test func `every bug is found by a case that mutants prove, or has a reason`() async throws {
        let complaints = Complaints()
        let found = await BugPage.corpus(of: Self.root, { await Self.mutants($0) }, complaints)
        let corpus = try #require(found)

        corpus.checkNames(complaints)
        corpus.checkCover(complaints)

        #expect(complaints.all.map(\.description) == [])
        #expect(corpus.bugs.count >= 31)
        #expect(corpus.bugs.count { $0.reason != nil } <= 5, "a case finds a bug; a reason excuses one")
        #expect(corpus.mutants.count == Mutant.all.count)
    }

    @Test func `the committed page is what contracts and mutants say`() async throws {
        let complaints = Complaints()
        let page = await BugPage.text(of: Self.root, { await Self.mutants($0) }, complaints)
        let written = try #require(page)
        let committed = try String(contentsOf: Self.root.appending(path: BugPage.path), encoding: .utf8)

        let difference = zip(committed.split(separator: "\n"), written.split(separator: "\n")).first { $0 != $1 }
        #expect(
            committed == written, "first difference: \(difference.map { "\($0)" } ?? "the end"); fix it with `counterfoil schema --into .`"
        )
    }
}
