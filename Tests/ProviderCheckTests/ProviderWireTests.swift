import BankClient
import BankCore
import BankEngine
import BankFiles
import BankModel
import Contracts
import Faults
import Foundation
import Logging
import ProviderCheck
import StubServer
import TestBanks
import Testing

/// A provider behind a real socket: a second stub, asked over libcurl as the command does it.
@Suite(.timeLimit(.minutes(10)))
struct ProviderWireTests {
    @Test func `the provider's journal holds reads and nothing else, and drift put in on purpose is found`() async throws {
        let bank = try TestFiles().library.load("till").bank
        let drifted = TestFiles().replacing("till/payees.json", "Grocer", with: "Baker")
            .replacing("till/accounts.json", "\"name\": \"Savings\"", with: "\"name\": 7, \"iban\": \"GB29\"")

        try await withProvider(try drifted.library.load("till").bank) { address, session in
            let token = try session.issueTokens(login: "ann").access.text
            let report = await verify(bank, address, token)

            let drifts = Set(report.checks.flatMap { check in check.drifts.map { "\(check.id) \($0.kind.rawValue) \($0.pointer)" } })
            #expect(drifts.contains("shapes.accounts new-field /accounts/*/iban"))
            let entries = session.journal().entries
            #expect(entries.count == report.requests)
            #expect(!entries.isEmpty)
            #expect(entries.allSatisfy { $0.method == "GET" || $0.method == "HEAD" })
            #expect(session.ledger.movements.isEmpty)
        }
    }

    @Test func `a redirect to another host is reported by its host, and nobody follows it`() async throws {
        let bank = try TestFiles().library.load("till").bank

        try await withProvider(bank) { address, session in
            let token = try session.issueTokens(login: "ann").access.text
            let rule = ["fault": ["redirect": ["to": "other-host"]], "on": ["operation": "accounts"]] as JSON
            _ = try session.set(try #require(Rule(Node(rule), Complaints())))

            let report = await verify(bank, address, token)

            let drift = try #require(report.checks.first { $0.id == "shapes.accounts" }?.drifts.first)
            #expect(drift.kind == .otherStatus)
            #expect(drift.provider == "302, a redirect to \(address.replacing("127.0.0.1", with: "localhost"))")
            #expect(session.journal().entries.allSatisfy { $0.host?.hasPrefix("localhost") != true })
        }
    }

    @Test func `a provider that hangs is given up when its time is over`() async throws {
        let bank = try TestFiles().library.load("till").bank

        try await withProvider(bank) { address, session in
            _ = try session.set(try #require(Rule(Node(["fault": ["hang": [:]]]), Complaints())))

            let report = await verify(bank, address, "some-token", limit: .milliseconds(300))

            #expect(report.trouble?.hasPrefix("timeout: ") == true)
            #expect(report.exitCode == .noVerdict)
        }
    }

    @Test func `a provider that is not there, and one that speaks no TLS, are distinguished`() async throws {
        let bank = try TestFiles().library.load("till").bank

        try await withProvider(bank) { address, _ in
            let tls = await verify(bank, address.replacing("http:", with: "https:"), "some-token")
            #expect(tls.trouble?.contains("check whether the port uses plain HTTP") == true, "\(tls.trouble ?? "none")")
        }
        let nobody = await verify(bank, "http://127.0.0.1:1", "some-token")
        #expect(nobody.trouble?.hasPrefix("offline: ") == true)
    }

    private func verify(_ bank: Bank, _ address: String, _ token: String, limit: Duration = .seconds(300)) async -> ProviderReport {
        let options = ProviderOptions(
            credentials: .token(token), now: Instant(nanoseconds: Int64(Date().timeIntervalSince1970) * 1_000_000_000),
            newKey: { UUID().uuidString }, announce: { _ in })
        let transport = CurlTransport(limits: TransportLimits(connect: limit, total: limit, redirects: 0))
        return await ProviderRun(bank, provider: address, transport: transport, options: options).run()
    }

    private func withProvider(_ bank: Bank, _ body: (String, BankSession) async throws -> Void) async throws {
        let source = BankSource(bank: bank, files: []) { throw CancellationError() }
        let server = try await StubServer([source], ServerConfiguration(seed: 7), logger: Logger(label: "provider"))
        do {
            try await body(server.address, try #require(server.registry.defaultSessions.first))
        } catch {
            await server.shutdown(grace: .zero)
            throw error
        }
        await server.shutdown(grace: .zero)
    }
}
