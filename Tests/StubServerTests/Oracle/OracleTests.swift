import BankModel
import Faults
import StubServer
import Testing

extension WireTests {
    /// Every kind of fault on every protocol: what curl sees, and whether the receipt says the same.
    @Suite struct OracleTests {
        @Test(arguments: OracleWire.allCases) func everyFaultIsWhatItSays(wire: OracleWire) async throws {
            let cells = OracleState.allCases.flatMap { state in OracleTable.rows.map { ($0, OracleCell(wire, state)) } }
                .filter { $0[$1] != nil }
            var rest = cells[...]
            let authority = try TestAuthority()
            defer { authority.remove() }

            try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<min(8, rest.count) {
                    guard let (row, cell) = rest.popFirst() else { break }
                    group.addTask { try await OracleRun(row: row, cell: cell, authority: authority).complaints() }
                }
                while let complaints = try await group.next() {
                    for complaint in complaints { Issue.record("\(complaint)") }
                    if let (row, cell) = rest.popFirst() {
                        group.addTask { try await OracleRun(row: row, cell: cell, authority: authority).complaints() }
                    }
                }
            }
        }

        @Test func noKindStandsOutsideTheTable() throws {
            let kinds = try Set(OracleTable.rows.map { try rule(#"{"fault": \#($0.fault)}"#).kind })

            #expect(kinds == Set(FaultKinds.all.map { $0.kind }))
        }
    }
}
