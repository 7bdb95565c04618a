import BankModel
import Contracts
import Testing

/// Secrets on disk, in the log, in a URL, or at another host are found.
@Suite struct SecretPredicateTests {
    private func verdict(_ instance: Instance?, _ change: (inout Evidence) -> Void = { _ in }) throws -> Verdict {
        judge(try #require(instance), Make.allWell(change)).verdict
    }

    @Test func `the disk may not hold the rejected token after the step`() throws {
        let instance = Make.reading("{disk: {lacks: $rejected, after: {step: 2}}}")
        func finding(_ token: String, after: Int) -> Evidence.FoundSecret {
            Evidence.FoundSecret(token: token, location: .disk, path: "store", encoding: "raw", after: after)
        }

        #expect(
            try verdict(instance) {
                $0.journal[1].response = "token-rejected"
                $0.foundSecrets = [finding("token#1", after: 2)]
            } == .fail)
        #expect(
            try verdict(instance) {
                $0.journal[1].response = "token-rejected"
                $0.foundSecrets = [finding("token#2", after: 2), finding("token#1", after: 3)]
            } == .pass)
    }

    @Test func `a file that was not searched to its end leaves open whether it holds a secret`() throws {
        let instance = Make.reading("{disk: {lacks: $tokens, after: {step: 2}}}")
        func left(_ reason: String, mayHoldSecret: Bool, after: Int = 2) -> Evidence.Unsearched {
            Evidence.Unsearched(path: "store", reason: reason, mayHoldSecret: mayHoldSecret, after: after)
        }
        let large = left("a file of 9 bytes, of which the first 8 were searched", mayHoldSecret: true)
        let finding = Evidence.FoundSecret(token: "token#1", location: .disk, path: "store", encoding: "raw", after: 2)

        #expect(try verdict(instance) { $0.unsearched = [large] } == .inconclusive)
        #expect(try verdict(instance) { $0.unsearched = [left("a pipe", mayHoldSecret: false)] } == .pass)
        #expect(try verdict(instance) { $0.unsearched = [left("a file of 9 bytes", mayHoldSecret: true, after: 3)] } == .pass)
        // A secret that was found counts, and so does what else the client did wrong.
        #expect(
            try verdict(instance) {
                $0.unsearched = [large]
                $0.foundSecrets = [finding]
            } == .fail)
        #expect(
            try verdict(Make.reading("{disk: {lacks: $tokens, after: {step: 2}}}", "{step: 3, error: timeout}")) { $0.unsearched = [large] }
                == .fail)
        #expect(
            judge(try #require(instance), Make.allWell { $0.unsearched = [large] }).reasons.map(\.seen)
                == ["the file store was not searched for secrets: a file of 9 bytes, of which the first 8 were searched"])
    }

    @Test func `the log may hold no token at all`() throws {
        let instance = try #require(Make.reading("{log: {lacks: $tokens}}"))
        let finding = Evidence.FoundSecret(token: "token#9", location: .log, path: "stderr", encoding: "raw", after: 3)

        #expect(instance.needsOwnProcess)
        #expect(try verdict(instance) == .pass)
        #expect(try verdict(instance) { $0.foundSecrets = [finding] } == .fail)
    }

    @Test func `data and tokens are distinguished`() throws {
        let data = try #require(Make.reading("{disk: {lacks: $data}}"))
        let tokens = try #require(Make.reading("{disk: {lacks: $tokens}}"))
        let served = Evidence.FoundSecret(token: "description#1", kind: .data, location: .disk, path: "cache", encoding: "raw", after: 3)
        let token = Evidence.FoundSecret(token: "token#1", location: .disk, path: "cache", encoding: "raw", after: 3)

        #expect(data.expectations.first?.needs == .data)
        #expect(tokens.expectations.first?.needs == [])
        #expect(try verdict(data) { $0.foundSecrets = [token] } == .pass)
        #expect(try verdict(data) { $0.foundSecrets = [served] } == .fail)
        #expect(try verdict(tokens) { $0.foundSecrets = [served] } == .pass)
        #expect(try verdict(tokens) { $0.foundSecrets = [token] } == .fail)
    }

    @Test func `a stored ID token is found by its own word alone`() throws {
        let instance = try #require(Make.reading("{disk: {lacks: $id_tokens, after: {step: 2}}}"))
        let tokens = try #require(Make.reading("{disk: {lacks: $tokens, after: {step: 2}}}"))
        var stored = Evidence.FoundSecret(token: "id_token#1", kind: .idToken, location: .disk, path: "id.jwt", encoding: "raw", after: 2)
        stored.mode = 0o644

        #expect(try verdict(instance) == .pass)
        #expect(try verdict(instance) { $0.foundSecrets = [stored] } == .fail)
        #expect(try verdict(tokens) { $0.foundSecrets = [stored] } == .pass)
        #expect(Make.reading("{url: {lacks: $id_tokens}}") == nil)
        let scene = Make.allWell { $0.foundSecrets = [stored] }
        #expect(judge(instance, scene).reasons.map(\.seen) == ["id_token#1 is in id.jwt, raw"])
        #expect(judge(tokens, scene).verdict == .pass)
    }

    @Test func `a file with a token may not be open to more than its mode allows`() throws {
        let instance = try #require(Make.reading("{disk: {mode: \"0600\", after: {step: 2}}}"))
        func judgement(_ mode: Int, holding kind: Evidence.FoundSecret.Kind = .token, after: Int = 2) -> Judgement {
            judge(
                instance,
                Make.allWell {
                    var found = Evidence.FoundSecret(
                        token: "token#1", kind: kind, location: .disk, path: "file", encoding: "raw", after: after)
                    found.mode = mode
                    // A token that stands there raw and in base64 makes one wrong file.
                    $0.foundSecrets = [found, found]
                })
        }

        #expect(judgement(0o600).verdict == .pass)
        #expect(judgement(0o400).verdict == .pass)
        #expect(judgement(0o640).reasons.map(\.seen) == ["the file file, which holds a secret, has the mode 0640"])
        #expect(judgement(0o700).verdict == .fail)
        #expect(judgement(0o644, holding: .data).verdict == .pass)
        #expect(judgement(0o644, holding: .password).verdict == .pass)
        #expect(judgement(0o644, after: 3).verdict == .pass)
    }

    @Test func `a token may not go to another host`() throws {
        let instance = Make.reading("{never: {sends: $tokens, to: other-host}}")
        func verdict(_ host: String?, _ token: String?) throws -> Verdict {
            try self.verdict(instance) {
                $0.baseURL = "http://127.0.0.1:4312"
                $0.journal[2].host = host
                $0.journal[2].token = token
            }
        }

        #expect(try verdict("127.0.0.1:4312", "token#1") == .pass)
        #expect(try verdict("127.0.0.1:9", "token#1") == .pass)
        #expect(try verdict("localhost:4312", "token#1") == .fail)
        #expect(try verdict("[::1]:4312", "token#1") == .fail)
        #expect(try verdict("localhost:4312", nil) == .pass)
        #expect(try verdict("localhost:4312", "empty") == .pass)
        #expect(try verdict(nil, "token#1") == .pass)
    }

    @Test(arguments: ["body", "cookie"]) func `what a write brings may not go to another host`(sent: String) throws {
        let instance = Make.reading("{never: {sends: \(sent), to: other-host}}")
        func verdict(_ host: String, _ change: (inout JournalEntry) -> Void) throws -> Verdict {
            try self.verdict(instance) {
                $0.baseURL = "http://127.0.0.1:4312"
                $0.journal[2].host = host
                $0.journal[2].token = nil
                change(&$0.journal[2])
            }
        }
        let bring: (inout JournalEntry) -> Void = {
            if sent == "body" { $0.bodyBytes = 3 } else { $0.requestHeaders = [.init("cookie", "…")] }
        }

        #expect(try verdict("127.0.0.1:4312", bring) == .pass)
        #expect(try verdict("localhost:4312") { _ in } == .pass)
        #expect(try verdict("localhost:4312", bring) == .fail)
        #expect(try verdict("localhost:4312") { $0.key = "k" } == (sent == "body" ? .fail : .pass))
    }

    @Test func `a cookie may be forbidden from a step on`() throws {
        let instance = Make.reading("{never: {sends: cookie, after: {step: 2}}}")
        func verdict(_ index: Int) throws -> Verdict {
            try self.verdict(instance) { $0.journal[index].requestHeaders = [.init("Cookie", "…")] }
        }

        #expect(try verdict(1) == .pass)
        #expect(try verdict(2) == .fail)
    }

    @Test func `nothing may go to the bank in clear text`() throws {
        let instance = Make.instances(
            """
            needs: [login, accounts]
            given: {protocol: h2}
            steps: [login, accounts, accounts]
            expect: [{never: {sends: request, to: clear, after: {step: 2}}}]
            """
        ).first
        func verdict(_ change: (inout JournalEntry) -> Void) throws -> Verdict {
            try self.verdict(instance) {
                for index in $0.journal.indices {
                    $0.journal[index].wireProtocol = .h2
                    $0.journal[index].tls = "TLSv1.3"
                }
                change(&$0.journal[2])
            }
        }

        #expect(try verdict { _ in } == .pass)
        #expect(try verdict { $0.wireProtocol = .h1s } == .pass)
        let overPlain = try verdict {
            $0.wireProtocol = .h1
            $0.tls = nil
        }
        #expect(overPlain == .fail)
        #expect(try verdict { $0.tls = nil } == .fail)
        let unanswered = try verdict {
            $0.token = nil
            $0.status = nil
            $0.tls = nil
        }
        #expect(unanswered == .fail)
        // A handshake that a rule was applied to.
        #expect(
            try self.verdict(instance) {
                for index in $0.journal.indices { $0.journal[index].tls = "TLSv1.3" }
                var affected = Make.exchange(3, seq: 4)
                affected.method = nil
                $0.journal.append(affected)
            } == .pass)
        #expect(try self.verdict(instance) { $0.journal[2].tls = "TLSv1.3" } == .pass)
    }

    @Test func `a rejected token is known in any part of a request`() throws {
        let instance = Make.reading("{never: {sends: $rejected, after: {step: 2}}}")
        func verdict(_ change: (inout JournalEntry) -> Void) throws -> Verdict {
            try self.verdict(instance) {
                $0.journal[1].response = "token-rejected"
                $0.journal[2].token = nil
                change(&$0.journal[2])
            }
        }

        #expect(try verdict { $0.query = "access_token=token#1" } == .fail)
        #expect(try verdict { $0.query = "access_token=token#12" } == .pass)
        #expect(try verdict { $0.requestBody = Array("token=token#1&x=1".utf8) } == .fail)
        #expect(
            try verdict {
                $0.requestBody = Array("token=token#1".utf8)
                $0.roles = ["logout"]
            } == .pass)
    }

    @Test func `served texts are those of the fields named even in a body that is cut`() {
        var entry = Make.exchange(1)
        entry.responseBody = Array(
            #"{"rows":[{"description" : "Corner caf\u00e9","n":1},{"description":"Tea \"dust\""},{"description":7},"#.utf8)
        var cut = Make.exchange(2)
        cut.responseBody = Array(#"{"description":"Corner café","note":"x","description":"Half a te"#.utf8)

        let served = ServedTexts([entry, cut], fields: ["description", "iban"])

        #expect(served.texts == ["description#1": "Corner café", "description#2": "Tea \"dust\""])
    }

    @Test func `a text that the client sent itself is not the bank's, unless the bank sent it first`() {
        let texts = ["Sent from my app", "Corner café"]
        var rows = Make.exchange(1)
        rows.responseBody = Array(#"{"rows":[{"description":"Corner café"}]}"#.utf8)
        var payment = Make.exchange(2)
        payment.requestBody = Array(#"{"amount":{"amount":"1.00"},"notes":["Sent from my app","Corner caf\u00e9"]}"#.utf8)
        payment.responseBody = Array(#"{"description":"Sent from my app"}"#.utf8)
        var after = Make.exchange(3)
        after.responseBody = Array(#"{"rows":[{"description":"Sent from my app"},{"description":"Tea"}]}"#.utf8)

        #expect(ServedTexts([rows, payment, after], fields: ["description"]).texts == ["description#1": texts[1], "description#2": "Tea"])
        #expect(ServedTexts([rows, after], fields: ["description"]).texts.values.contains(texts[0]))
    }

    @Test(
        arguments: [
            ("{disk: {}}", "`disk` needs `lacks` or `mode`"), ("{disk: {mode: 384}}", "found `384`, expected permission bits in octal"),
            ("{disk: {mode: \"0800\"}}", "found `0800`, expected permission bits in octal"),
            ("{never: {sends: $tokens}}", "`sends: $tokens` needs `to: other-host`"),
            ("{never: {sends: body}}", "`sends: body` needs `to: other-host`"),
            (
                "{never: {sends: request}}",
                "`sends: request` needs `to: other-host` or `to: clear`: a client does send requests to its own bank"
            ),
            ("{never: {sends: request, to: clear}}", "`to: clear` needs `protocol: h1s` or `h2`"),
            ("{never: {sends: $rejected, to: me}}", "found `me`, expected other-host"),
            ("{gap: {role: accounts}}", "`gap` needs `min`, `max`, `grows: true` or `varies: true`"),
            ("{gap: {varies: true}}", "`varies` needs at least two intents"),
            ("{key: {format: short}}", "found `short`, expected well-formed or uuid"),
            ("{log: {lacks: $data, after: {step: 1}}}", "unknown key `after` in `log`"),
        ])
    func `a fault of an expectation is reported`(expectation: String, expected: String) {
        let found = Make.complaints(needs: "[accounts]", steps: "[accounts]", expect: "[\(expectation)]")

        #expect(found.contains { $0.contains(expected) }, "\(found)")
    }
}
