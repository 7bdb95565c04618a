import BankClient
import BankModel
import Testing

/// Redirects by Python's own `http.server`.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: Peer.python != nil, "python3 is not on this machine"))
struct HTTPServerRedirectTests {
    @Test func `five redirects on the host are followed with the token, a sixth is not`() async throws {
        try await Peer.script("redirects.py") { peer in
            let followed = try await transport().send(get(peer.url + "/hop/5"))
            let sixth = await sendingFailure(get(peer.url + "/hop/6"))

            #expect(followed.status == 200)
            #expect(sixth?.error == .decode)
            let five = (0...5).reversed().map { "GET /hop/\($0) Bearer secret 0" }
            let six = (1...6).reversed().map { "GET /hop/\($0) Bearer secret 0" }
            let asked = try await seen(peer)
            #expect(asked == five + six)
        }
    }

    /// `localhost` and 127.0.0.1 may be the same server and are different hosts all the same.
    @Test(arguments: ["127.0.0.1", "localhost"])
    func `neither token nor request is sent to another host, port or scheme`(_ host: String) async throws {
        let twin = host == "localhost" ? "127.0.0.1" : "localhost"
        try await Peer.script("redirects.py") { other in
            try await Peer.script("redirects.py") { peer in
                let targets = ["http://\(twin):\(peer.port)/", "http://\(host):\(other.port)/", "https://\(host):\(peer.port)/"]
                let paths = targets.map { "/to/" + $0.replacing("/", with: "%2F").replacing(":", with: "%3A") }
                for path in paths {
                    let failure = await sendingFailure(get("http://\(host):\(peer.port)\(path)"))

                    #expect(failure?.error == .decode, "\(path)")
                }

                let (there, here) = (try await seen(other), try await seen(peer))
                #expect(there == [])
                #expect(here == paths.map { "GET \($0) Bearer secret 0" })
            }
        }
    }

    @Test(arguments: ["POST", "PUT"])
    func `a write is sent once, wherever the answer points`(_ method: String) async throws {
        try await Peer.script("redirects.py") { peer in
            let hop = try await transport().send(HTTPRequest(method, peer.url + "/hop/3", body: [1, 2]))
            let to = try await transport().send(HTTPRequest(method, peer.url + "/to/%2Fhop%2F0", body: [1, 2]))

            #expect((hop.status, to.status) == (302, 307))
            let asked = try await seen(peer)
            #expect(asked == ["\(method) /hop/3 - 2", "\(method) /to/%2Fhop%2F0 - 2"])
        }
    }

    private func get(_ url: String) -> HTTPRequest { HTTPRequest("GET", url, headers: ["Authorization": "Bearer secret"]) }

    /// The requests that the server has received so far.
    private func seen(_ peer: Peer) async throws -> [String] {
        let response = try await transport().send(HTTPRequest("GET", peer.url + "/seen"))
        return String(decoding: response.body, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
