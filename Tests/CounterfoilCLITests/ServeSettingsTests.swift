import ArgumentParser
import Testing

@testable import CounterfoilCLI

/// Plain command lines are read without ArgumentParser: both readings must agree.
@Suite struct ServeSettingsTests {
    @Test(arguments: [
        "serve", "serve roundup", "serve roundup bins --quiet", "serve --port 0 --admin-port 9 --seed 7", "serve --host 127.0.0.2 feed",
        "serve --host 0.0.0.0 --admin-token secret", "serve --admin-host ::1 --cors http://localhost:3000 --session-ttl 5m",
        "serve --tls", "serve --tls bins --tls-port 0 --ca-out /tmp/ca.pem",
        "serve --session-limit 1000", "serve --journal-memory 8 --ready-file /tmp/ready --stubs elsewhere",
        "serve bins --plan brownout", "serve --drain 5s", "serve --node n2", "serve --node n2 --standing --plan brownout",
        "serve --node n2 --public-url https://{session}.mock.example --public-admin-url https://mock.example/nodes/{node}",
        "serve --admin-host-name mock --admin-host-name *.mock.svc.cluster.local", "serve --tls --authority /tmp/authority",
        "serve --quota team=50 --quota user=3",
    ])
    func aPlainLineIsReadAsArgumentParserReadsIt(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)

        let plain = try #require(ServeSettings(plain: words))

        #expect(try plain == ServeCommand.parse(Array(words.dropFirst())).settings)
    }

    @Test func `every option of the command is one of a plain line`() {
        let help = ServeCommand.helpMessage(columns: 400)
        let listed = help.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first.map(String.init).flatMap { $0.hasPrefix("--") ? $0 : nil }
        }

        #expect(Set(ServeOption.all.map(\.name)) == Set(listed).subtracting(["--version", "--help"]))
        #expect(listed.count > 15)
    }

    @Test(arguments: [
        "", "test", "serve --help", "serve -h", "serve --port", "serve --port=1", "serve --port x", "serve --port 65536", "serve --prot 1",
        "serve --seed -1", "serve --session-ttl 5", "serve --host 0.0.0.0", "serve --stubs --quiet", "serve --journal-memory 0",
        "serve --session-limit x", "serve --ca-out x", "serve --tls --tls-port 70000",
        "serve --public-url mock.example", "serve --public-url https://mock.example/{node}",
        "serve --public-url https://mock.example/{bank}",
        "serve --public-admin-url https://{session}.example", "serve --admin-host-name *.com", "serve --authority x",
        "serve --tls --public-url https://s-{session}.mock.example", "serve --quota team",
        "serve --quota team=0", "serve --quota team=1 --quota team=2",
    ])
    func whateverElseIsLeftToArgumentParser(_ line: String) {
        #expect(ServeSettings(plain: line.split(separator: " ").map(String.init)) == nil)
    }

    @Test(arguments: [
        "serve --port 65536", "serve --host 0.0.0.0", "serve --session-ttl 5", "serve --journal-memory 0", "serve --ca-out x",
        "serve --session-limit 0", "serve --session-ttl 0s", "serve --drain soon", "serve --port 9000 --admin-port 9000",
        "serve --tls-port 9000", "serve --node N2", "serve --node n-2", "serve --node abcdefghijklmnopqrstu", "serve --standing",
        "serve --node n2 --plan brownout",
        "serve --cors localhost:3000", "serve --cors http://localhost:3000/", "serve --cors *", "serve --cors HTTP://localhost",
    ])
    func whatCannotBeServedIsRefusedByBoth(_ line: String) {
        let words = line.split(separator: " ").map(String.init)

        #expect(ServeSettings(plain: words) == nil)
        #expect(throws: (any Error).self) { try ServeCommand.parse(Array(words.dropFirst())) }
    }

    @Test("an empty token, as of a variable that is not set, is none: it is refused, not demanded")
    func emptyToken() {
        let words = ["serve", "--host", "0.0.0.0", "--admin-token", ""]

        #expect(ServeSettings(plain: words) == nil)
        #expect(throws: (any Error).self) { try ServeCommand.parse(Array(words.dropFirst())) }
    }

    @Test func aStateFileHasAName() {
        #expect(ServeSettings(plain: ["serve", "--state", ""]) == nil)
        #expect(throws: (any Error).self) { try ServeCommand.parse(["--state", ""]) }
        #expect(ServeSettings(plain: ["serve", "--state", "bank.state"])?.state == "bank.state")
    }
}
