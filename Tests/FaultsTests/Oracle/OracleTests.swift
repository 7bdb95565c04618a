import BankEngine
import BankModel
import Faults
import StubServer
import TestServer
import Testing

/// Every kind of fault on every protocol: curl's result, and its agreement with the receipt.
@Suite struct OracleTests {
    @Test(arguments: OracleWire.allCases) func `every fault has the effect in its row`(wire: OracleWire) async throws {
        let authority = try TestAuthority()
        defer { authority.remove() }
        let runs = OracleState.allCases.flatMap { state in
            FaultTable.rows.map { OracleRun(row: $0, cell: OracleCell(wire, state), authority: authority) }
        }

        try await withThrowingTaskGroup(of: [String].self) { group in
            var rest = runs.filter { $0.seen != nil }[...]
            for run in rest.prefix(8) { group.addTask { try await run.complaints() } }
            rest = rest.dropFirst(8)
            while let complaints = try await group.next() {
                if let next = rest.popFirst() { group.addTask { try await next.complaints() } }
                for complaint in complaints { Issue.record("\(complaint)") }
            }
        }
    }

    @Test func `no kind is missing from the table`() throws {
        let kinds = try Set(FaultTable.rows.filter(\.hasCurl).map { try rule(#"{"fault": \#($0.fault)}"#).kind })

        #expect(kinds == Set(FaultKinds.all.map { $0.kind }))
    }
}
