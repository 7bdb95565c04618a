import ArgumentParser
import Testing

@testable import CounterfoilCLI

/// The command line of `serve`.
@Suite struct ServeCommandTests {
    private func settings(_ line: String) throws -> ServeCommand {
        try ServeCommand.parse(line.split(separator: " ").map(String.init))
    }

    @Test func `every option may be given at once`() throws {
        let found = try settings(
            """
            bins --host 127.0.0.2 --port 1 --admin-port 2 --admin-host ::1 --admin-token secret --stubs elsewhere --seed 7 --node n2
            --standing --public-url https://mock.example/{node} --public-admin-url https://mock.example/nodes/{node}
            --admin-host-name mock --authority /tmp/authority --cors http://localhost:3000 --session-ttl 5m --quota team=50 --drain 5s
            --session-limit 1000 --journal-memory 8 --state bank.state --ready-file /tmp/ready --tls --tls-port 3 --ca-out /tmp/ca.pem
            --plan brownout --quiet --webhooks-to hooks.example
            """.replacing("\n", with: " "))

        #expect(found.port == 1)
        #expect(found.adminPort == 2)
        #expect(found.tlsPort == 3)
        #expect(found.seed == 7)
    }

    @Test func `options that may be repeated are all kept`() throws {
        let found = try settings("--quota team=50 --quota user=3 --admin-host-name mock --admin-host-name *.mock.svc.cluster.local")
        #expect(found.quota == ["team=50", "user=3"])
        #expect(found.adminHostName == ["mock", "*.mock.svc.cluster.local"])
    }

    @Test(arguments: [
        "--port", "--port x", "--prot 1", "--seed -1", "--port 65536", "--host 0.0.0.0", "--session-ttl 5", "--journal-memory 0",
        "--ca-out x", "--session-limit 0", "--session-limit x", "--session-ttl 0s", "--drain soon", "--port 9000 --admin-port 9000",
        "--tls-port 9000", "--tls --tls-port 70000", "--node N2", "--node n-2", "--node abcdefghijklmnopqrstu", "--standing",
        "--node n2 --plan brownout", "--cors localhost:3000", "--cors http://localhost:3000/", "--cors *", "--cors HTTP://localhost",
        "--public-url mock.example", "--public-url https://mock.example/{node}", "--public-url https://mock.example/{bank}",
        "--public-admin-url https://{session}.example", "--admin-host-name *.com", "--authority x",
        "--tls --public-url https://s-{session}.mock.example", "--quota team", "--quota team=0", "--quota team=1 --quota team=2",
    ])
    func `a line that cannot be served is rejected`(line: String) {
        #expect(throws: (any Error).self) { try settings(line) }
    }

    @Test func `a port that does not exist is reported with its option`() throws {
        var settings = try settings("bins")
        settings.adminPort = 70_000

        let error = #expect(throws: UsageError.self) { try settings.check() }

        #expect(error?.description == "found --admin-port 70000, expected a port from 0 to 65535")
    }

    @Test(arguments: ["--host 0.0.0.0 --admin-token", "--state"]) func `an empty value, as of a variable that is not set, is rejected`(
        line: String
    ) {
        #expect(throws: (any Error).self) { try ServeCommand.parse(line.split(separator: " ").map(String.init) + [""]) }
    }
}
