import BankModel
import Testing

@Suite struct JournalEntryTests {
    @Test func `an entry that met nothing has every field, empty ones as null`() {
        let entry = JournalEntry(seq: 1, method: nil, status: nil)

        #expect(
            entry.json.text == """
                {"seq":1,"at":"1970-01-01T00:00:00.000Z","mono_ns":0,"duration_us":null,"connection":1,"request_on_connection":1,\
                "protocol":"h1","tls":null,"host":null,"method":null,"path":"/","query":null,"operation":null,"roles":[],\
                "customer":null,"token":null,"key":null,"attempt":null,"body_sha256":"","body_bytes":0,"status":null,"reply":null,\
                "committed":false,"replayed":false,"fault":null,\
                "receipt":null,\
                "request_headers":[],"request_body":"","reply_headers":[],"reply_body":""}
                """)
    }

    @Test func `a faulted payment shows fault, receipt and both bodies`() {
        let entry = JournalEntry(
            seq: 9, at: Instant(nanoseconds: 1_768_209_300_250_000_000), monoNanoseconds: 12, durationMicroseconds: 340, connection: 3,
            requestOnConnection: 2, wireProtocol: .h1s, tls: "TLSv1.3", host: "localhost:8443", method: "POST", path: "/v1/payments",
            query: "a=b", operation: "payments", roles: ["pay"], customer: "ava", token: "token#1", key: "k-1", attempt: 2,
            bodySHA256: "ab", bodyBytes: 4, status: 201, response: "key-mismatch", committed: true, replayed: true,
            fault: FaultRecord(rule: "rule-1", kind: "lose-reply", point: "commit", applied: false, reason: "h2 has no reset"),
            receipt: Receipt(headBytes: 1, bodyBytes: 2, rawBytes: 4, unsent: 3, end: .clientGone),
            requestHeaders: [.init("Accept", "*/*"), .init("Accept", "a")], requestBody: Array("{\"a\":1}".utf8),
            responseHeaders: [.init("Date", "now")], responseBody: [0x61, 0xFF])

        let json = entry.json

        #expect(json["at"] == "2026-01-12T09:15:00.250Z")
        #expect(json["duration_us"] == 340)
        #expect(json["protocol"] == "h1s")
        #expect(json.at("fault.kind") == "lose-reply")
        #expect(json.at("fault.applied") == false)
        #expect(json.at("fault.reason") == "h2 has no reset")
        #expect(json["receipt"] == ["head_bytes": 1, "body_bytes": 2, "raw_bytes": 4, "unsent": 3, "end": "client-gone"])
        #expect(json["request_headers"] == [["Accept", "*/*"], ["Accept", "a"]])
        #expect(json["request_body"] == "{\"a\":1}")
        #expect(json["reply_body"] == "a\u{FFFD}")
    }

    @Test func `the closed lists have the names that drivers and contracts use`() {
        #expect(
            ClientError.allCases.map(\.rawValue) == [
                "unauthorized", "consent_expired", "forbidden", "not_found", "conflict", "rejected", "rate_limited", "unavailable",
                "offline",
                "timeout", "tls", "too_large", "decode", "outcome_unknown", "cancelled", "nothing_to_do", "failed",
            ])
        #expect(
            DialectResponseName.allCases.map(\.rawValue) == [
                "no-credentials", "token-rejected", "token-expired", "scope-refused", "step-up", "consent-expired", "not-found",
                "bad-request", "key-missing", "key-mismatch", "key-in-flight", "rate-limited", "maintenance", "internal-error",
                "insufficient-funds", "cursor-expired",
            ])
        #expect(
            Receipt.End.allCases.map(\.rawValue) == [
                "kept", "fin", "rst", "stream-reset", "goaway", "tls-alert", "held", "client-gone", "incomplete",
            ])
    }
}
