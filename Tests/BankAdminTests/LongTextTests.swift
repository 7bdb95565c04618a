import BankModel
import TestServer
import Testing

/// What an error repeats of a request is bounded.
@Suite struct LongTextTests {
    /// `LONG` stands for a long text, which the name of a test would repeat.
    @Test(arguments: [
        ("POST /sessions", #"{"bank":"LONG"}"#), ("POST /sessions", #"{"LONG":1}"#),
        ("POST /sessions", #"{"bank":"till","clock":{"LONG":1}}"#), ("POST /sessions/till/tokens", #"{"login":"LONG"}"#),
        ("POST /sessions/till/faults", #"{"fault":"LONG"}"#), ("POST /sessions/till/faults", #"{"fault":{"LONG":{}}}"#),
        ("POST /sessions/till/faults", #"{"fault":"close","on":{"operation":"LONG"}}"#),
        ("POST /sessions/till/tokens", #"{"login":"LONG LONG LONG LONG"}"#), ("GET /sessions/till/journal?since=LONG", ""),
    ])
    func `an error repeats the beginning of a long text`(line: String, body: String) async throws {
        try await withAdmin { admin in
            let response = try await admin.call(
                line.replacing("LONG", with: String(repeating: "q", count: 6000)),
                body.replacing("LONG", with: String(repeating: "x", count: 200_000)))

            #expect((400..<500).contains(response.status))
            #expect(response.body.count < 5000)
            #expect(response.json["detail"]?.string?.contains(" characters in all)") == true)
        }
    }

    @Test func `an error repeats the beginning of many words`() async throws {
        try await withAdmin { admin in
            let login = String(repeating: "a ", count: 100_000)
            let response = try await admin.call("POST /sessions/till/tokens", #"{"login":"\#(login)"}"#)

            #expect(response.status == 422)
            #expect(response.body.count < 25_000)
        }
    }
}
