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

    @Test(
        arguments: [
            ("--port", "Missing value"), ("--port x", "The value 'x' is invalid"), ("--prot 1", "Unknown option '--prot'"),
            ("--seed -1", "--seed"), ("--port 65536", "found --port 65536, expected a port from 0 to 65535"),
            ("--port 9000 --admin-port 9000", "found --port and --admin-port both 9000"),
            ("--tls-port 9000", "found --tls-port without --tls"),
            ("--tls --tls-port 70000", "found --tls-port 70000"), ("--host 0.0.0.0", "found --host 0.0.0.0, which others can reach"),
            ("--admin-host ::", "found --admin-host ::, which others can reach"),
            ("--session-ttl 5", "found --session-ttl 5, expected a duration"), ("--session-ttl 0s", "found --session-ttl 0s"),
            ("--drain soon", "found --drain soon, expected a duration"), ("--journal-memory 0", "expected 1 to 65536 MiB"),
            ("--journal-memory 65537", "expected 1 to 65536 MiB"), ("--session-limit 0", "expected 1 to 100000000 payments"),
            ("--session-limit 100000001", "expected 1 to 100000000 payments"), ("--session-limit x", "The value 'x' is invalid"),
            ("--ca-out x", "found --ca-out without --tls"), ("--authority x", "found --authority without --tls"),
        ])
    func `a line that cannot be served is rejected`(line: String, expected: String) {
        let error = #expect(throws: (any Error).self) { try settings(line) }

        let message = error.map { ServeCommand.message(for: $0) } ?? ""
        #expect(message.contains(expected), "\(message)")
    }

    @Test(
        arguments: [
            ("--node N2", "expected 1 to 20 of a-z and 0-9"), ("--node n-2", "expected 1 to 20 of a-z and 0-9"),
            ("--node abcdefghijklmnopqrstu", "expected 1 to 20 of a-z and 0-9"), ("--standing", "found --standing without --node"),
            ("--node n2 --plan brownout", "found --plan and --node without --standing"), ("--cors localhost:3000", "expected an origin"),
            ("--cors http://localhost:3000/", "expected an origin"), ("--cors *", "expected an origin"),
            ("--cors HTTP://localhost", "expected an origin"), ("--public-url mock.example", "expected an address with http or https"),
            ("--public-url https://mock.example/{node}", "found {node} in --public-url without --node"),
            ("--public-url https://mock.example/{bank}", "expected no braces other than {node} or {session}"),
            ("--public-admin-url https://{session}.example", "expected no braces other than {node},"),
            ("--tls --public-url https://s-{session}.mock.example", "expected {session} as the whole first label"),
            ("--admin-host-name *.com", "expected a host without a port"), ("--quota team", "found --quota team, expected a label"),
            ("--webhooks-to https://hooks.example", "found --webhooks-to https://hooks.example, expected a host name"),
            ("--quota team=0", "found --quota team=0"), ("--quota team=1 --quota team=2", "found --quota for the label team twice"),
        ])
    func `a name or an address that cannot be served is rejected`(line: String, expected: String) {
        let error = #expect(throws: (any Error).self) { try settings(line) }

        let message = error.map { ServeCommand.message(for: $0) } ?? ""
        #expect(message.contains(expected), "\(message)")
    }

    @Test(arguments: [
        "--port 65535", "--port 0 --admin-port 0", "--journal-memory 1", "--journal-memory 65536", "--session-limit 1",
        "--session-limit 100000000", "--drain 0s", "--tls --tls-port 0", "--node abcdefghijklmnopqrst",
        "--node n2 --standing --plan brownout",
        "--cors https://app.example", "--public-url https://{session}.mock.example", "--admin-host-name *.mock.example",
        "--admin-host :: --admin-token secret", "--quota team=1 --quota user=1", "--tls --authority x --ca-out y",
    ])
    func `a line at the bounds is accepted`(line: String) throws { _ = try settings(line) }

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
