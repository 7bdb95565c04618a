import Faults
import Testing

/// One fault of an exchange, and the bytes that leave at each moment: ``TimedRow/release`` is the time at which all held
/// exchanges are released.
struct TimedRow: Sendable, CustomTestStringConvertible {
    /// The milliseconds after which all that is held is released.
    static let release = 1000

    let kind: String
    let settings: String
    let request: OracleRequest
    private let h1: Timeline
    private let h2: Timeline?
    private let untouched: Set<OracleWire>

    /// - Parameters:
    ///   - h2: the bytes on HTTP/2; nil for the same, with the stream's reset for the connection's end.
    ///   - untouched: the protocols on which the fault cannot act.
    init(
        _ kind: String, _ settings: String = "{}", _ request: OracleRequest = .document, leaves h1: Timeline, h2: Timeline? = nil,
        untouched: Set<OracleWire> = []
    ) {
        self.kind = kind
        self.settings = settings
        self.request = request
        self.h1 = h1
        self.h2 = h2
        self.untouched = untouched
    }

    var testDescription: String { "\(kind) \(settings)" }

    /// The time at which the fault is delivered.
    enum Lateness: String, CaseIterable {
        case atOnce, later, released

        var setting: String {
            switch self {
            case .atOnce: ""
            case .later: #", "after": "300ms""#
            case .released: #", "after": "released""#
            }
        }
    }

    func rule(_ lateness: Lateness) -> String { #"{"fault": {"\#(kind)": \#(settings)\#(lateness.setting)}, "times": 1}"# }

    func isApplied(on wire: OracleWire) -> Bool { !untouched.contains(wire) }

    func expected(on wire: OracleWire, _ lateness: Lateness) -> Timeline {
        guard isApplied(on: wire) else { return request == .pay ? "0 head 201, body all, whole" : TimedTable.plain }
        let basis = wire.isHTTP2 ? h2 ?? h1 : h1
        let late: Timeline =
            switch lateness {
            case .atOnce: basis
            case .later: basis.later(by: 300, upTo: TimedRow.release)
            case .released: basis.together(at: TimedRow.release)
            }
        return wire.isHTTP2 && h2 == nil ? late.onAStream : late
    }
}

/// Every kind that affects an exchange, at each of its points.
enum TimedTable {
    static let plain: Timeline = "0 head 200, body all, whole"
    private static let http1: Set<OracleWire> = [.h1, .h1s]
    private static let http2: Set<OracleWire> = [.h2, .h2c]

    static let rows = request + oddReads + commit + head + body + damage + codings + delays + aroundTheReply

    private static let request: [TimedRow] = [
        TimedRow("status", #"{"status": 503, "body": {"a": 1}}"#, leaves: "0 head 503, body 7, whole"),
        TimedRow("status", #"{"status": 204}"#, leaves: "0 head 204, whole"),
        TimedRow("dialect", #"{"name": "rate-limited", "retry_after": 1}"#, leaves: "0 head 429, body all, whole"),
        TimedRow("close", leaves: "0 fin"),
        TimedRow("close", "{}", .pay, leaves: "0 fin"),
        TimedRow("reset", leaves: "0 rst"),
        TimedRow("hang", leaves: "1000 fin"),
        TimedRow("captive-portal", leaves: "0 head 200, body all, whole"),
        TimedRow("business-failure", "{}", .pay, leaves: "0 head 201, body all, whole"),
        TimedRow("redirect", #"{"to": "loop"}"#, leaves: "0 head 302, whole"),
        TimedRow("redirect", #"{"to": "same-host", "status": 308, "retry_after": 1}"#, .pay, leaves: "0 head 308, whole"),
        TimedRow("redirect", #"{"to": "downgrade", "status": 307}"#, leaves: "0 head 307, whole", untouched: [.h1, .h2c]),
    ]

    private static let oddReads: [TimedRow] = [
        TimedRow("replay-page", "{}", .page, leaves: plain),
        TimedRow("shift-page", "{}", .page, leaves: plain),
        TimedRow("expire-cursor", "{}", .page, leaves: "0 head 400, body all, whole"),
        TimedRow("endless-page", "{}", .page, leaves: plain),
        TimedRow("stale-read", #"{"by": "1h"}"#, .page, leaves: plain),
        TimedRow("replay-page", leaves: plain, untouched: Set(OracleWire.allCases)),
    ]

    private static let commit: [TimedRow] = [
        TimedRow("lose-reply", #"{"by": "close"}"#, .pay, leaves: "0 fin"),
        TimedRow("lose-reply", #"{"by": "reset"}"#, .pay, leaves: "0 rst"),
        TimedRow("lose-reply", #"{"by": "hang"}"#, .pay, leaves: "1000 fin"),
        TimedRow("lose-reply", #"{"by": "half-head"}"#, .pay, leaves: "0 cut, fin", untouched: http2),
        TimedRow("lose-reply", #"{"by": "half-body"}"#, .pay, leaves: "0 head 201, body half, fin"),
        TimedRow("redirect", #"{"to": "same-host", "status": 303, "executed": true}"#, .pay, leaves: "0 head 303, whole"),
    ]

    private static let head: [TimedRow] = [
        TimedRow("garbage", #"{"random": 64}"#, leaves: "0 raw 64, fin", untouched: http2),
        TimedRow("huge-head", #"{"bytes": 8000, "lines": 1}"#, leaves: plain),
        TimedRow("huge-head", #"{"bytes": 15000, "lines": 1}"#, leaves: plain, untouched: http2),
        TimedRow("content-type", #"{"value": "text/html"}"#, leaves: plain),
        TimedRow("set-cookie", #"{"attributes": "Path=/"}"#, leaves: plain),
        TimedRow("date-skew", #"{"by": "-1h"}"#, leaves: plain),
        TimedRow("goaway", #"{"last": "this"}"#, leaves: plain, h2: "0 goaway this, fin", untouched: http1),
        TimedRow("goaway", "{}", leaves: plain, h2: "0 goaway 0, fin", untouched: http1),
        TimedRow("goaway", #"{"last": "this", "open": true}"#, leaves: plain, h2: "0 goaway this; 1000 reset 2", untouched: http1),
        TimedRow("reset-stream", #"{"code": "refused-stream"}"#, leaves: plain, h2: "0 reset 7", untouched: http1),
    ]

    private static let body: [TimedRow] = [
        TimedRow("truncate", #"{"at": 100}"#, leaves: "0 head 200, body 100, fin"),
        TimedRow("truncate", #"{"at": 0}"#, leaves: "0 head 200, fin"),
        TimedRow("truncate", #"{"at": 0.5, "framing": "honest"}"#, leaves: "0 head 200, body 500, whole"),
        TimedRow("truncate", #"{"at": 5000}"#, leaves: plain, untouched: Set(OracleWire.allCases)),
        TimedRow("longer-length", #"{"by": 100}"#, leaves: "0 head 200, body 1000, fin"),
        TimedRow("reset-body", #"{"at": 10}"#, leaves: "0 head 200, body 10, rst"),
        TimedRow("stall-body", #"{"at": 10}"#, leaves: "0 head 200, body 10; 1000 body 990, whole"),
        TimedRow(
            "slow", #"{"chunks": 5, "over": "300ms"}"#,
            leaves: "0 head 200, body 200; 60 body 200; 120 body 200; 180 body 200; 240 body 200, whole"),
        TimedRow(
            "slow", #"{"bytes_per_second": 15000}"#, leaves: "0 head 200, body 300; 20 body 300; 40 body 300; 60 body 100, whole"),
        TimedRow("bad-chunk", #"{"how": "cut"}"#, leaves: "0 head 200, body 500, fin", untouched: http2),
        TimedRow("bad-chunk", #"{"how": "size"}"#, leaves: "0 head 200, body 1000, fin", untouched: http2),
    ]

    private static let damage = [
        #"{"json": "trailing-comma"}"#, #"{"utf8": true}"#, #"{"bom": true}"#, #"{"gzip": true}"#, #"{"duplicate-keys": true}"#,
        #"{"wrong-type": true}"#, #"{"null": true}"#, #"{"deep": 5000}"#, #"{"huge": 10000}"#,
    ].map { TimedRow("corrupt", $0, leaves: plain) }

    private static let codings =
        [#"{"how": "lies"}"#, #"{"how": "cut"}"#, #"{"how": "bomb", "bytes": 1048576}"#, #"{"how": "unasked"}"#].map {
            TimedRow("gzip", $0, leaves: plain)
        } + [TimedRow("trailers", #"{"lines": {"X-A": "b"}}"#, leaves: "0 head 200, body 1000, whole", h2: plain, untouched: http2)]

    private static let aroundTheReply: [TimedRow] = [
        TimedRow("early-hints", leaves: "0 interim 103, head 200, body all, whole"),
        TimedRow(
            "early-hints", #"{"status": "100", "count": 3}"#, .pay,
            leaves: "0 interim 100, interim 100, interim 100, head 201, body all, whole"),
        TimedRow("early-hints", #"{"status": 102}"#, leaves: "0 interim 102, head 200, body all, whole"),
        TimedRow(
            "early-reply", #"{"status": 503, "body": {"a": 1}, "then": "drain"}"#, .pay, leaves: "0 head 503, body 7, whole"),
        TimedRow("early-reply", leaves: plain, untouched: Set(OracleWire.allCases)),
        TimedRow("surplus", leaves: "0 head 200, body all, whole, raw again", untouched: http2),
        TimedRow("surplus", "{}", .pay, leaves: "0 head 201, body all, whole, raw again", untouched: http2),
        TimedRow("surplus", #"{"status": 408}"#, leaves: "0 head 200, body all, whole, raw 36", untouched: http2),
        TimedRow("surplus", #"{"bytes": "abc"}"#, leaves: "0 head 200, body all, whole, raw 3", untouched: http2),
    ]

    private static let delays: [TimedRow] =
        ["request", "commit", "head"].flatMap { point in
            [
                TimedRow("delay", #"{"at_point": "\#(point)", "fixed": "700ms"}"#, leaves: "700 head 200, body all, whole"),
                TimedRow("delay", #"{"at_point": "\#(point)", "fixed": "700ms"}"#, .pay, leaves: "700 head 201, body all, whole"),
                TimedRow("delay", #"{"at_point": "\#(point)", "until": "released"}"#, leaves: "1000 head 200, body all, whole"),
            ]
        } + [
            TimedRow("delay", #"{"at_point": "body", "fixed": "700ms"}"#, leaves: "0 head 200; 700 body all, whole"),
            TimedRow("delay", #"{"at_point": "body", "until": "released"}"#, leaves: "0 head 200; 1000 body all, whole"),
        ]
}
