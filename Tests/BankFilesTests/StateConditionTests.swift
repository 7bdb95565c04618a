import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// States of a session: what operations set with `then`, `when` asks for.
@Suite struct StateConditionTests {
    private static let operations = """
          open: {request: GET /order, when: {state: {order: null}}, reply: {is: open}}
          paid: {request: GET /order, when: {state: {order: paid}}, reply: {is: paid}}
          pay: {request: POST /order, then: {state: {order: paid}}, status: 201}
          undo: {request: DELETE /order, then: {state: {order: null}}}
          rest: {request: "GET /files/{name...}", when: {path: {name: {matches: "[a-z/]*"}}}, reply: {name: {path: name}}}
          text: {request: "PUT /text/{id}", when: {text: {at: {"$.a[?(@.b > 1)]": {like: "*"}}}}, reply: {text: {joined: ["<", {path_segment: 1}, ">", {json_path: "$.c"}, {html_escaped: {query: q}}]}, content_type: text/plain}}
          lines: {request: GET /lines, headers: {X-A: [b, c]}}
        """

    private func bank(_ operations: String = Self.operations) throws -> Bank {
        var files = TestFiles()
        files.files = files.files.filter { $0.key.hasPrefix("dialects/") }
        files.files["till/bank.yaml"] = "bank: till\nabout: States.\ndialect: terse\noperations:\n" + operations
        return try files.library.load("till").bank
    }

    @Test func `an unknown key of a change is an error`() {
        let operations = Self.operations.replacing(
            "then: {state: {order: paid}}", with: "then: {state: {order: paid}, stat: {order: open}}")
        let error = #expect(throws: ComplaintsError.self) { try bank(operations) }

        #expect(error?.description.contains("unknown key `stat` in then; did you mean `state`?") == true, "\(String(describing: error))")
    }

    @Test func `an operation answers in its state`() throws {
        var caller = try Caller(bank(), login: nil)
        #expect(caller.send("GET", "/order").json["is"] == "open")
        #expect(caller.send("POST", "/order").status == 201)
        #expect(caller.send("GET", "/order").json["is"] == "paid")
        #expect(caller.send("DELETE", "/order").status == 200)
        #expect(caller.send("GET", "/order").json["is"] == "open")
    }

    @Test func `a state is in the checkpoint and in the changes, and ends with a reset`() throws {
        let bank = try bank()
        let start = Instant(seconds: 1_763_553_600)
        var state = SessionState(id: "s", seed: 7, prepared: PreparedBank(bank), baseURL: "", startedAt: start)
        let fresh = state
        state.isLogged = true
        _ = state.answer(BankRequest("POST", "/order"), at: start)
        #expect(state.states == ["order": "paid"])
        var restored = fresh
        try restored.restore(image: state.image)
        #expect(restored.states == ["order": "paid"])
        var replayed = fresh
        for change in state.drainChanges() { replayed.apply(change) }
        #expect(replayed.states == ["order": "paid"])
        state.reset(at: start)
        #expect(state.states.isEmpty)
    }

    @Test func `the rest of a path, JSON paths and joined texts`() throws {
        var caller = try Caller(bank(), login: nil)
        #expect(caller.send("GET", "/files/a/b").json["name"] == "a/b")
        #expect(caller.send("GET", "/files/").json["name"] == "")
        #expect(caller.send("GET", "/files/a1").status == 404)
        let response = caller.send("PUT", "/text/x?q=%3Ca%3E", body: #"{"a":[{"b":2}],"c":{"d":1}}"#)
        #expect(String(decoding: response.body, as: UTF8.self) == "<x>{\n  \"d\" : 1\n}&lt;a&gt;")
        #expect(caller.send("PUT", "/text/x", body: #"{"a":[{"b":1}]}"#).status == 404)
        #expect(caller.send("GET", "/lines").headers.filter { $0.name == "X-A" }.map(\.value) == ["b", "c"])
    }
}
