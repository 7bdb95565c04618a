@testable import BankClient
import BankModel
import Foundation
import Testing

/// No secret in an address, a log line, a description, a reflection; none to another host.
struct SecretsTests {
    private let access = "access-7f3b1c9d2e"
    private let refresh = "refresh-5a8e0d4c6b"
    private let password = "correct-horse-battery"
    private var secrets: [String] { [access, refresh, password] }

    @Test func `a client's parts, its requests, answers and failures show no secret, however they are printed`() async throws {
        try await withFolder { folder in
            _ = try KeyFile(path: folder + "/key").key(making: true)
            let keyText = String(decoding: try bytes(of: folder + "/key"), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            let key = try SealingKey(base64: keyText)
            let store = FileTokenStore(path: folder + "/t", keys: key)
            let token = Token(access: access, refresh: refresh, owner: "o")
            try store.save(token)
            let memory = MemoryTokenStore()
            memory.save(token)
            let keeper = TokenKeeper(store: memory)
            _ = try await keeper.current()
            var headers: HTTPHeaders = ["Authorization": "Bearer \(access)", "set-cookie": refresh, "Accept": "application/json"]
            headers.append("Authorization", "Basic \(password)")
            let body = Array(#"{"access_token":"\#(access)","refresh_token":"\#(refresh)","password":"\#(password)"}"#.utf8)
            let reading = Reading()
            let adapter = try #require(KnownBanks.adapter("counterfoil", reading))
            let parts = ClientParts(
                adapter: adapter, baseURL: "http://bank", transport: ScriptedTransport(.refused), store: store, outbox: MemoryOutbox())

            let values: [(String, Any)] = [
                ("token", token), ("key", key), ("file store", store), ("memory store", memory), ("keeper", keeper), ("parts", parts),
                ("client", BankClient(parts)), ("headers", headers), ("line", headers.lines[0]),
                ("request", HTTPRequest("POST", "http://bank/x", headers: headers, body: body)),
                ("response", HTTPResponse(status: 200, headers: headers, body: body)),
                ("call", BankCall("POST", "/x", headers: headers, body: body)), ("key file", KeyFile(path: folder + "/key")),
            ]
            for (name, value) in values {
                let shown = everythingShown(of: value)
                for secret in secrets + [keyText] { #expect(!shown.contains(secret), "\(name) shows \(secret)") }
            }
            #expect(everythingShown(of: headers).contains("application/json"))
            #expect(everythingShown(of: [password: 1]).contains(password))
        }
    }

    @Test func `no address and no failure in a client's whole life contains a secret, even if the bank echoes its input`() async throws {
        let (access, refresh, password) = (access, refresh, password)
        let bank = try await Bank(signedIn: false) { request, count in
            let sent = String(decoding: request.body ?? [], as: UTF8.self)
            let echo = "found \(request.headers["Authorization"] ?? "") and \(sent)"
            let body = JSON.object(["type": "urn:counterfoil:problem:bad-request", "title": "No", "detail": .string(echo)]).text
            if sent.contains("password=\(password)"), count > 0 { return .tokens(access, refresh: refresh) }
            if request.url.hasSuffix("/v1/accounts") { return .problem(401, "token-expired") }
            return .json(400, body)
        }
        var failures: [String] = []
        func record(_ body: (BankClient) async throws -> Void) async {
            do { try await body(bank.client) } catch { failures += ["\(error)", everythingShown(of: error)] }
        }

        await record { try await $0.signIn(user: "ava", password: password) }
        await record { try await $0.signIn(user: "ava", password: password) }
        await record { _ = try await $0.balance(of: "a") }
        await record { _ = try await $0.transactions(of: "a") }
        await record { _ = try await $0.pay("A", PaymentOrder(from: "f", to: "t", amount: pounds("1.00"))) }
        await record { _ = try await $0.accounts() }
        await record { try await $0.signOut() }

        #expect(failures.count >= 10)
        #expect(failures.contains { $0.contains("(redacted)") })
        for secret in secrets {
            #expect(failures.allSatisfy { !$0.contains(secret) }, "\(secret) in \(failures)")
            #expect(bank.transport.requests.allSatisfy { !$0.url.contains(secret) && !"\($0)".contains(secret) })
        }
    }

    @Test(arguments: ["", "x", "}", "\u{1}"])
    func `an unreadable answer to a sign-in is reported without its content`(_ end: String) async throws {
        let access = access
        let bank = try await Bank(signedIn: false) { _, _ in .json(200, "{\"access_token\":\"\(access)\",\"token_type\":\(end)") }

        let failure = await #expect(throws: ClientFailure.self) { try await bank.client.signIn(user: "ava", password: password) }

        #expect(failure?.error == .decode)
        #expect(failure?.detail.contains(access) == false)
    }

    @Test(
        arguments: ["@other.example/v1", ".other.example/v1", ":99/v1", "", "http://other.example/"], [true, false])
    func `a path that would lead to another host is not followed, with a token or without`(_ path: String, _ authorised: Bool) async throws
    {
        let store = MemoryTokenStore()
        store.save(Token(access: access))
        let transport = ScriptedTransport(.json(200, "{}"))
        let caller = BankCaller(
            baseURL: "http://bank", transport: transport, rules: ProblemRules(), keeper: TokenKeeper(store: store))

        let failure = await #expect(throws: ClientFailure.self) { try await caller.json(.get(path, authorised: authorised)) }

        #expect(failure?.mayHaveLeft == false)
        #expect(transport.requests.isEmpty)
        _ = try await caller.json(.get("//other.example/v1"))
        #expect(transport.requests.map(\.url) == ["http://bank//other.example/v1"])
    }
}

/// All output of printing, dumping and reflecting a value, however deep.
private func everythingShown(of value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    var shown = [dumped, "\(value)", String(reflecting: value)]
    func walk(_ value: Any, _ depth: Int) {
        guard depth < 12 else { return }
        shown.append("\(value)")
        var mirror: Mirror? = Mirror(reflecting: value)
        while let level = mirror {
            for child in level.children { walk(child.value, depth + 1) }
            mirror = level.superclassMirror
        }
    }
    walk(value, 0)
    return shown.joined(separator: "\n")
}
