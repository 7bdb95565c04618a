import BankCore
import BankEngine
import BankFiles
import BankModel
import Faults
import StubServer
import TestServer
import Testing

/// Every shipped plan on every shipped bank.
@Suite struct ShippedOutageTests {
    static let stubs =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/") + "/Stubs"
    static let library = BankLibrary(folder: stubs)
    static let plans = PlanLibrary(stubs: stubs)

    /// The reason why a plan cannot apply, by the bank's own definition; nil if it can.
    private func expectedExclusion(_ plan: String, _ source: BankSource, hasPort: Bool) -> String? {
        func hasOperation(_ roles: Role...) -> Bool { roles.contains { !source.bank.operations(of: $0).isEmpty } }
        switch plan {
        case "certificate-expired": return "which applies to a handshake"
        case "blackout" where !hasPort: return "without a separate port"
        case "token-storm" where source.bank.auth == nil: return "issues no tokens"
        case "auth-down" where !hasOperation(.login, .refresh), "read-only" where !hasOperation(.pay, .goals): return "for which bank"
        default: return nil
        }
    }

    @Test(arguments: library.names)
    func `starts or is rejected with its reason`(_ bank: String) async throws {
        let loaded = try ShippedOutageTests.library.load(bank)
        let source = BankSource(bank: loaded.bank, files: []) { throw ServerError.noBank }
        try await withStub([source]) { stub in
            let standing = try #require(stub.server.registry.session(bank))
            let portless = try await stub.server.openSession(bank: bank, name: "portless")
            #expect(!ShippedOutageTests.plans.names.isEmpty)
            for name in ShippedOutageTests.plans.names {
                let plan = try ShippedOutageTests.plans.load(name)
                for session in [standing, portless] {
                    let expected = expectedExclusion(name, source, hasPort: session === standing)
                    do throws(OutageError) {
                        let outage = try session.start(plan, replaces: true)
                        #expect(expected == nil, "\(name) on \(session.id) starts")
                        #expect(outage.rules.count + outage.skipped.count >= plan.entries.reduce(0) { $0 + $1.rules.count })
                    } catch {
                        #expect(expected.map(error.description.contains) == true, "\(name) on \(session.id): \(error)")
                    }
                    session.reset()
                }
            }
            await standing.waitForPorts()
        }
    }

    @Test func `a brownout eventually fails a fifth`() async throws {
        let loaded = try ShippedOutageTests.library.load("bins")
        let source = BankSource(bank: loaded.bank, files: []) { throw ServerError.noBank }
        try await withStub([source]) { stub in
            let session = try #require(stub.server.registry.session("bins"))
            try session.freeze()
            var plan = try ShippedOutageTests.plans.load("brownout")
            for index in plan.entries.indices { plan.entries[index].rules.removeAll { $0.kind == "delay" } }
            _ = try session.start(plan)
            func failures() async throws -> Int {
                let client = try stub.client()
                var failed = 0
                for _ in 0..<500 {
                    await client.send(request("GET /bins/1a30k8"))
                    if await client.response().map({ $0.status >= 500 }) ?? true { failed += 1 }
                }
                return failed
            }

            #expect(try await failures() == 0)
            try session.advance(.seconds(30))
            #expect((25...75).contains(try await failures()))
            try session.advance(.seconds(60))
            #expect((70...130).contains(try await failures()))
        }
    }
}
