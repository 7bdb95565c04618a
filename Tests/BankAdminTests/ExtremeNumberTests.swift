import BankCore
import BankEngine
import BankModel
import Faults
import StubServer
import TestServer
import Testing

/// Every number, duration and instant of every admin call with the largest and smallest values: the call is accepted or
/// rejected, and the server continues.
@Suite struct ExtremeNumberTests {
    /// A call with a body in which every such field has a valid value.
    struct Call: Sendable, CustomTestStringConvertible {
        let line: String
        let body: JSON

        init(_ line: String, _ body: JSON) {
            self.line = line
            self.body = body
        }

        var testDescription: String { "\(line) \(body.text)" }

        /// The call with each of its fields in turn at its extremes.
        var extremes: [JSON] { body.numbers.flatMap { path, value in value.extremes.map { body.replacing(path[...], with: $0) } } }
    }

    static let calls =
        sessions + faults
        + FaultKinds.all.compactMap { type in
            guard let example = try? JSON(parsing: Array(type.example.utf8)) else { return nil }
            return rule([type.kind: example, "after": "1ms"], hasAfter: type.kind)
        }

    private static let sessions: [Call] = [
        Call("POST /sessions", ["bank": "till", "seed": 1, "clock": ["now": "2026-01-12T09:15:00Z", "skew": "1s"]]),
        Call("POST /sessions", ["bank": "till", "clock": "2026-01-12T09:15:00Z"]),
        Call("POST /sessions/default/clock/advance", ["by": "1s"]),
        Call("PUT /sessions/default/clock", ["now": "2060-01-12T09:15:00Z"]),
        Call("PUT /sessions/default/clock", ["skew": "1s"]),
        Call("POST /sessions/default/tokens", ["login": "ann", "lifetime": "1m"]),
        outage("real"), outage("session"),
    ]

    private static func outage(_ clock: String) -> Call {
        Call(
            "POST /sessions/default/outage",
            [
                "for": "1h", "seed": 1, "replace": true,
                "plan": [
                    "about": "for tests", "clock": .string(clock), "seed": 1,
                    "entries": [
                        ["at": "0s", "for": "1s", "rules": [["fault": "close", "times": 1]]],
                        ["at": "1m", "for": "1m", "tokens": "expire"], ["at": "1h", "rules": [["fault": "reset", "ttl": "1m"]]],
                    ],
                ],
            ])
    }

    private static let half = JSONNumber("0.5").map(JSON.number) ?? .null

    private static let faults: [Call] =
        ["nth", "every", "first", "skip", "times"].map { name in Call("POST /sessions/default/faults", ["fault": "close", name: 1]) }
        + [
            Call("POST /sessions/default/faults", ["fault": "close", "ttl": "1h", "probability": half]),
            Call("POST /sessions/default/faults", ["fault": "close", "probability": ["from": 0, "to": half, "over": "5m"]]),
            Call("POST /sessions/default/faults", ["fault": "close", "on": ["attempt": 1]]),
            rule(["status": ["status": 503, "retry_after": ["http-date": 2]]]),
            rule(["dialect": ["name": "rate-limited", "retry_after": 2]]),
            rule(["redirect": ["to": "loop", "status": 307]]),
            rule(["redirect": ["to": "same-host", "status": 307, "retry_after": 2, "executed": true]]),
            rule(["slow": ["bytes_per_second": 100]]),
            rule(["truncate": ["at": half]]), rule(["reset-body": ["at": 100]]), rule(["stall-body": ["at": 100]]),
            rule(["longer-length": ["by": 100]]), rule(["garbage": ["random": 64]]),
            rule(["huge-head": ["bytes": 8000, "lines": 10]]),
            rule(["stale-read": ["by": "1h"]]), rule(["date-skew": ["by": "1h"]]), rule(["endless-page": [:]]),
        ]
        + ["request", "commit", "head", "body", "connect"].flatMap { point in
            [
                ["fixed": "1ms"], ["uniform": ["from": "1ms", "to": "2ms"]], ["ramp": ["from": "1ms", "to": "2ms", "over": "1s"]],
                ["normal": ["mean": "2ms", "sigma": "1ms", "max": "5ms"]],
                ["lognormal": ["median": "2ms", "sigma": half, "max": "5ms"]],
            ].map { (length: JSON) in
                var settings = length.object ?? JSONObject()
                settings["at_point"] = .string(point)
                return rule(["delay": .object(settings)])
            }
        }

    private static func rule(_ fault: JSON, hasAfter kind: String? = nil) -> Call {
        var fault = fault.object ?? JSONObject()
        if let kind, let type = FaultKinds.type(of: kind), !(type is any ExchangeFault.Type) { fault["after"] = nil }
        return Call("POST /sessions/default/faults", ["fault": .object(fault)])
    }

    @Test(arguments: calls)
    func `a call is accepted or rejected`(_ call: Call) async throws {
        try await withAdmin { admin in
            #expect(!call.extremes.isEmpty || call.body["fault"] != nil)
            for body in call.extremes {
                let response = try await admin.call(call.line, body.text)

                #expect([200, 201, 400, 404, 409, 422].contains(response.status), "\(body.text): \(response.text)")
                try await use(admin.stub)
                try await look(admin)
                for line in ["DELETE /sessions/default/faults", "POST /sessions/default/reset"] { _ = try await admin.call(line) }
                if call.line == "POST /sessions", let id = response.json["id"]?.string {
                    #expect(try await admin.call("GET /sessions/\(id)/clock").status == 200)
                    _ = try await admin.call("DELETE /sessions/\(id)")
                }
            }
            #expect(try await admin.stub.ask(request("GET /v1/clock")).status == 200)
        }
    }

    @Test func `a whole query is accepted or rejected`() async throws {
        try await withAdmin { admin in
            _ = try await admin.stub.ask(request("GET /v1/clock"))
            let numbers = ["9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e308", "0"]
            let names = ["since", "before", "limit", "last", "status", "revision"]
            let journal = names.flatMap { name in numbers.map { "journal?\(name)=\($0)" } }
            let waits = ["9223372036s", "3155760000001ms", "0s"].map { "journal?revision=-1&wait=\($0)" }
            for path in journal + waits + numbers.flatMap({ ["ledger?last=\($0)", "journal/\($0)"] }) {
                let response = try await admin.call("GET /sessions/default/\(path)")

                #expect([200, 400, 404].contains(response.status), "\(path): \(response.text)")
            }
        }
    }

    @Test func `more than a hundred years are rejected with the reason`() async throws {
        try await withAdmin { admin in
            let response = try await admin.call("POST /sessions/default/faults", #"{"fault": "close", "ttl": "9223372036s"}"#)

            #expect(response.status == 400)
            #expect(
                response.text.contains("ttl: found `9223372036s`, expected a duration such as 250ms, 30s, 5m, 2h or 1d, at most 36525d"))
            #expect(try await admin.call("POST /sessions/default/faults", #"{"fault": "close", "ttl": "36525d"}"#).status == 201)
        }
    }

    /// Sends requests that a rule may match; held ones are dropped with the rule.
    private func use(_ stub: Stub) async throws {
        let till = try stub.till
        let seen = till.journal().entries.last?.seq ?? 0
        let token = (try? till.issueTokens(login: "ann").access.text) ?? ""
        let client = try stub.client()
        await client.send(
            request("GET /v1/accounts/a1/entries?limit=2", token: token) + request("GET /v1/document.json")
                + payment(key: "k\(seen)", token: token))
        _ = await till.entries { ($0.last?.seq ?? 0) > seen }
    }

    /// Reads everything that shows the settings.
    private func look(_ admin: Admin) async throws {
        for path in ["/clock", "/tokens", "/faults", "/outage", "/journal?last=5", "/verdict"] {
            let response = try await admin.call("GET /sessions/default\(path)")
            #expect([200, 404].contains(response.status), "\(path): \(response.text)")
        }
    }
}

extension JSON {
    /// Every number, duration and instant in it, with its path of keys and indexes.
    fileprivate var numbers: [(path: [String], value: JSON)] {
        switch self {
        case .number: [([], self)]
        case .string(let text):
            Duration(text: text) != nil || Instant(rfc3339: text) != nil ? [([], self)] : []
        case .array(let elements):
            elements.enumerated().flatMap { index, element in element.numbers.map { ([String(index)] + $0.path, $0.value) } }
        case .object(let object):
            object.members.flatMap { member in member.value.numbers.map { ([member.key] + $0.path, $0.value) } }
        case .null, .bool: []
        }
    }

    /// The extreme replacements of a value.
    fileprivate var extremes: [JSON] {
        guard case .string(let text) = self else {
            return ["9223372036854775807", "-9223372036854775808", "1e308", "-1e308", "0"].compactMap { JSONNumber($0).map(JSON.number) }
        }
        if Duration(text: text) == nil { return ["1677-09-21T00:12:44Z", "2262-04-11T23:47:16Z", "9999-12-31T23:59:59Z"] }
        return ["9223372036s", "36525d", "3155760000001ms", "-36525d", "-9223372036s", "0s"]
    }

    /// The value with another one at that path.
    fileprivate func replacing(_ path: ArraySlice<String>, with value: JSON) -> JSON {
        guard let first = path.first else { return value }
        switch self {
        case .array(var elements):
            guard let index = Int(first) else { return self }
            elements[index] = elements[index].replacing(path.dropFirst(), with: value)
            return .array(elements)
        case .object(var object):
            object[first] = object[first]?.replacing(path.dropFirst(), with: value)
            return .object(object)
        default: return self
        }
    }
}
