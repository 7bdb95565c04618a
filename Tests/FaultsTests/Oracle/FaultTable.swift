import BankModel

/// Every kind of fault, its settings, and the expectations: what curl 7.88.1 sees, which gives up after 1.5 s if it is held, and
/// which bytes leave at which time.
enum FaultTable {
    static let rows =
        ofConnections + handshakes + beforeExecution + redirectedWrites + oddReads + lostResponses + heads + bodies + damage + codings
        + delays + aroundTheResponse

    /// The rows about connections whose bytes and times are tested.
    static let timedConnections = rows.filter { $0.hasTimes && $0.isOfConnection }

    /// The rows about exchanges whose bytes and times are tested.
    static let timedExchanges = rows.filter { $0.hasTimes && !$0.isOfConnection }

    private static let half = OracleBank.documentBytes / 2
    private static let document = Seen.ok()

    /// Points `connect` and `tls`.
    static let ofConnections: [FaultRow] = [
        FaultRow(connection: #""refuse""#, .nothing([7], [.fin])),
        FaultRow(connection: #""blackhole""#, .silence, leaves: "1000 fin"),
        FaultRow(
            connection: #""reset-on-accept""#, .nothing([56, 55, 7], [.rst]).because("7: the RST came before curl looked at its connect"),
            but: [
                .h1s: .nothing([35, 7], [.rst]), .h2: .nothing([35, 7], [.rst]),
                .h2c: .nothing([56, 55, 7, 16], [.rst]).because("16: the RST came before curl sent HTTP/2's first frames"),
            ], leaves: "10 rst"),
        FaultRow(
            connection: #""close-on-accept""#, .nothing([52], [.fin]),
            but: [.h1s: .nothing([35], [.fin]), .h2: .nothing([35], [.fin]), .h2c: .nothing([18, 56], [.fin])], leaves: "0 fin"),
        FaultRow(connection: #"{"bandwidth": {"bytes_per_second": 20000}}"#, connectionOnly(.ok())),
        FaultRow(connection: #""tls-abort""#, .nothing([35], [.fin]), but: clear, leaves: "0 fin"),
        FaultRow(connection: #"{"certificate": {"is": "expired"}}"#, certificateRejected, but: clear, leaves: connected),
        FaultRow(connection: #"{"certificate": {"is": "not-yet-valid"}}"#, certificateRejected, but: clear, leaves: connected),
        FaultRow(connection: #"{"certificate": {"is": "wrong-host"}}"#, certificateRejected, but: clear, leaves: connected),
        FaultRow(connection: #"{"certificate": {"is": "self-signed"}}"#, certificateRejected, but: clear, leaves: connected),
        FaultRow(connection: #"{"certificate": {"is": "unknown-authority"}}"#, certificateRejected, but: clear, leaves: connected),
    ]

    /// The connection is served as usual; the client of the timed tests checks no certificate and takes any version of TLS.
    static let connected: Timeline = "0 head 200, body 1000, whole"

    /// Without TLS such a rule cannot be set.
    static let clear: [OracleWire: Seen] = [.h1: .rejected, .h2c: .rejected]

    static let certificateRejected = Seen.nothing([60], [.tlsAlert, .kept]).because("whose it is curl asks after the handshake")

    /// The connection's own entry records that nothing was sent for it.
    static func connectionOnly(_ seen: Seen) -> Seen {
        var seen = seen
        seen.hasHead = false
        seen.sent = .nothing
        return seen
    }

    /// Point `request`: nothing is executed.
    static let beforeExecution: [FaultRow] = [
        FaultRow(
            #"{"status": {"status": 503, "body": {"a": 1}, "retry_after": 2}}"#, h1: .ok(503, .exactly(7)), h2: .ok(503, .exactly(7)),
            leaves: "0 head 503, body 7, whole"),
        FaultRow(#"{"status": {"status": 204}}"#, h1: .ok(204, .nothing), h2: .ok(204, .nothing), leaves: "0 head 204, whole"),
        FaultRow(#"{"status": {"status": 304, "body": "never sent"}}"#, h1: .ok(304, .nothing), h2: .ok(304, .nothing)),
        FaultRow(
            #"{"dialect": {"name": "rate-limited", "retry_after": 1}}"#, h1: .ok(429, .whole), h2: .ok(429, .whole),
            leaves: "0 head 429, body all, whole"),
        FaultRow(
            #""close""#, h1: .nothing([52], [.fin]), h2: .nothing([92], [.streamReset]),
            warm: (.resent(.fin), .nothing([92], [.streamReset])),
            again: (.nothing([52], [.fin]).applied(2...2), .nothing([92], [.streamReset])), leaves: "0 fin"),
        FaultRow(
            #""close""#, .pay, h1: .nothing([52], [.fin]), h2: .nothing([92], [.streamReset]),
            warm: (.resent(.fin, status: 201, .whole), .nothing([92], [.streamReset])),
            again: (.nothing([52], [.fin]).applied(2...2), .nothing([92], [.streamReset])), leaves: "0 fin"),
        FaultRow(
            #""reset""#, h1: .nothing([56], [.rst]), h2: .nothing([92], [.streamReset]),
            warm: (.resent(.rst), .nothing([92], [.streamReset])),
            again: (.nothing([56], [.rst]).applied(2...2), .nothing([92], [.streamReset])), leaves: "0 rst"),
        FaultRow(#""hang""#, h1: .silence, h2: .silence, leaves: "1000 fin"),
        FaultRow(#""captive-portal""#, h1: .ok(200, .whole), h2: .ok(200, .whole), leaves: "0 head 200, body all, whole"),
        FaultRow(#""business-failure""#, .pay, h1: .ok(201, .whole), h2: .ok(201, .whole), leaves: "0 head 201, body all, whole"),
        FaultRow(#"{"redirect": {"to": "loop"}}"#, h1: .ok(302, .any), h2: .ok(302, .any), leaves: "0 head 302, whole"),
        FaultRow(
            #"{"redirect": {"to": "loop"}}"#, options: ["-L", "--max-redirs", "3"],
            h1: followed, h2: followed,
            but: [OracleCell(.h2c, .cold): followed.applied(1...4).exiting([16, 47], "curl 7.88.1 cannot use an h2c connection twice")]),
        FaultRow(#"{"redirect": {"to": "other-host", "status": 307}}"#, h1: .ok(307, .any), h2: .ok(307, .any)),
        FaultRow(
            #"{"redirect": {"to": "downgrade"}}"#, h1: .ok(302, .any), h2: .ok(302, .any),
            but: [
                OracleCell(.h1, .cold): document.untouched("it is clear text already"),
                OracleCell(.h1, .warm): document.untouched("it is clear text already"),
                OracleCell(.h2c, .cold): document.untouched("it is clear text already"),
            ], leaves: "0 head 302, whole"),
        FaultRow(#"{"redirect": {"to": "https://elsewhere.test/x"}}"#, h1: .ok(302, .any), h2: .ok(302, .any)),
    ]

    /// A payment that is redirected: the statuses that make a GET of it and those that keep it, each target once.
    static let redirectedWrites: [FaultRow] = [
        FaultRow(#"{"redirect": {"to": "same-host", "status": 301}}"#, .pay, h1: .ok(301, .any), h2: .ok(301, .any)),
        FaultRow(
            #"{"redirect": {"to": "same-host", "status": 308, "retry_after": 2}}"#, .pay, h1: .ok(308, .any), h2: .ok(308, .any),
            leaves: "0 head 308, whole"),
        FaultRow(#"{"redirect": {"to": "other-host", "status": 307}}"#, .pay, h1: .ok(307, .any), h2: .ok(307, .any)),
        FaultRow(
            #"{"redirect": {"to": "same-host", "status": 303, "executed": true}}"#, .pay, h1: .done(303, .any), h2: .done(303, .any),
            leaves: "0 head 303, whole"),
    ]

    private static let followed: Seen = {
        var seen = Seen.ok(302, .any).applied(4...4)
        seen.exits = [47]
        return seen
    }()

    /// Point `request`: reads with odd content.
    static let oddReads: [FaultRow] = [
        FaultRow(#""replay-page""#, .page, h1: .done(200, .whole), h2: .done(200, .whole), leaves: FaultRow.plain),
        FaultRow(#""shift-page""#, .page, h1: .done(200, .whole), h2: .done(200, .whole), leaves: FaultRow.plain),
        FaultRow(#""expire-cursor""#, .page, h1: .ok(400, .whole), h2: .ok(400, .whole), leaves: "0 head 400, body all, whole"),
        FaultRow(#""endless-page""#, .page, h1: .done(200, .whole), h2: .done(200, .whole), leaves: FaultRow.plain),
        FaultRow(#"{"stale-read": {"by": "1h"}}"#, .page, h1: .done(200, .whole), h2: .done(200, .whole), leaves: FaultRow.plain),
        FaultRow(
            #""replay-page""#, h1: document.untouched("no page is read"), h2: document.untouched("no page is read"), leaves: FaultRow.plain),
        FaultRow(
            #"{"wrong-id-token": {"part": "nonce"}}"#, h1: document.untouched("nobody signs in"),
            h2: document.untouched("nobody signs in"), leaves: FaultRow.plain),
        FaultRow(
            #"{"authorization-error": {"error": "server_error"}}"#, h1: document.untouched("no sign-in page is opened"),
            h2: document.untouched("no sign-in page is opened"), leaves: FaultRow.plain),
        FaultRow(
            #"{"stream-events": {"by": "drop"}}"#, h1: document.untouched("no stream is opened"),
            h2: document.untouched("no stream is opened"), leaves: FaultRow.plain),
    ]

    /// Point `commit`: executed and durable.
    static let lostResponses: [FaultRow] = [
        FaultRow(
            #"{"lose-reply": {"by": "close"}}"#, .pay, h1: .nothing([52], [.fin]).committed, h2: .nothing([92], [.streamReset]).committed,
            warm: (.resent(.fin, status: 201, .whole).committed, .nothing([92], [.streamReset]).committed), leaves: "0 fin"),
        FaultRow(
            #"{"lose-reply": {"by": "reset"}}"#, .pay, h1: .nothing([56], [.rst]).committed, h2: .nothing([92], [.streamReset]).committed,
            warm: (.resent(.rst, status: 201, .whole).committed, .nothing([92], [.streamReset]).committed), leaves: "0 rst"),
        FaultRow(#"{"lose-reply": {"by": "hang"}}"#, .pay, h1: Seen.silence.committed, h2: Seen.silence.committed, leaves: "1000 fin"),
        FaultRow(
            #"{"lose-reply": {"by": "half-head"}}"#, .pay, h1: halfHead, h2: Seen.done(201, .whole).untouched("no half heads"),
            leaves: "0 cut, fin"),
        FaultRow(
            #"{"lose-reply": {"by": "half-body"}}"#, .pay, h1: halfPayment(18, .fin), h2: halfPayment(92, .streamReset).orDropped,
            leaves: "0 head 201, body half, fin"),
    ]

    private static let halfHead: Seen = {
        var seen = Seen.cut([0], at: 0, [.fin]).committed
        seen.statuses = [201]
        seen.why = "curl takes a head that is cut by FIN after the status line for a whole response"
        return seen
    }()

    private static func halfPayment(_ exit: Int, _ end: Receipt.End) -> Seen {
        var seen = Seen.cut([exit], at: 0, [end]).committed
        seen.statuses = [201]
        seen.body = .whole
        seen.sent = .whole
        return seen
    }

    /// Point `head`.
    static let heads: [FaultRow] = [
        FaultRow(
            #"{"garbage": {"random": 64}}"#, h1: .lost([1], [.fin]), h2: document.untouched("no bytes that are no frame"),
            leaves: "0 raw 64, fin"),
        FaultRow(#"{"garbage": {"bytes": "SSH-2.0-OpenSSH_9.2"}}"#, h1: .lost([1], [.fin]), h2: document.untouched("no streams")),
        FaultRow(#"{"huge-head": {"bytes": 8000, "lines": 1}}"#, h1: .done(), h2: .done(), leaves: FaultRow.plain),
        FaultRow(#"{"huge-head": {"bytes": 14000, "lines": 2}}"#, h1: .done(), h2: .done()),
        FaultRow(
            #"{"huge-head": {"bytes": 200000, "lines": 1}}"#, h1: hugeHead(27), h2: document.untouched("a head of HTTP/2 is one frame here")
        ),
        FaultRow(
            #"{"huge-head": {"bytes": 320000, "lines": 40}}"#, h1: hugeHead(56),
            h2: document.untouched("a head of HTTP/2 is one frame here")),
        FaultRow(#"{"content-type": {"value": "text/html"}}"#, h1: .done(), h2: .done(), leaves: FaultRow.plain),
        FaultRow(
            #"{"edit": {"headers": {"Cache-Control": "no-store"}, "without": ["ETag"]}}"#, h1: .done(), h2: .done(), leaves: FaultRow.plain),
        FaultRow(
            #"{"edit": {"replace": {"no such text": "another"}}}"#, h1: document.untouched("the text is not in the body"),
            h2: document.untouched("the text is not in the body"), leaves: FaultRow.plain),
        FaultRow(#"{"set-cookie": {"value": "n3k7", "attributes": "Path=/; HttpOnly"}}"#, h1: .done(), h2: .done(), leaves: FaultRow.plain),
        FaultRow(#"{"date-skew": {"by": "-1h"}}"#, h1: .done(), h2: .done(), leaves: FaultRow.plain),
        FaultRow(
            #""goaway""#, h1: document.untouched("no HTTP/2"), h2: .lost([16], [.goaway]), leaves: FaultRow.plain,
            onHTTP2: "0 goaway 0, fin"),
        FaultRow(
            #"{"goaway": {"last": "this"}}"#, h1: document.untouched("no streams"), h2: .lost([18], [.goaway]), leaves: FaultRow.plain,
            onHTTP2: "0 goaway this, fin"),
        FaultRow(
            #"{"goaway": {"last": "this", "open": true}}"#, h1: document.untouched("no streams"), h2: .lost([28], [.clientGone]).held,
            leaves: FaultRow.plain, onHTTP2: "0 goaway this; 1000 reset 2"),
        FaultRow(#""reset-stream""#, h1: document.untouched("no streams"), h2: .lost([92], [.streamReset])),
        FaultRow(
            #"{"reset-stream": {"code": "refused-stream"}}"#, h1: document.untouched("no streams"),
            h2: .lost([56], [.streamReset]).applied(6...6).because("curl sends it again up to 5 times"),
            warm: (
                document.untouched("no streams"), Seen.resent(.streamReset).committed.because("curl sends it again on a new connection")
            ),
            again: (document.untouched("no streams"), .lost([56], [.streamReset]).applied(6...6)), leaves: FaultRow.plain,
            onHTTP2: "0 reset 7"),
        FaultRow(#"{"huge-head": {"bytes": 15000, "lines": 1}}"#, leaves: FaultRow.plain, untouched: [.h2, .h2c]),
    ]

    private static func hugeHead(_ exit: Int) -> Seen {
        var seen = Seen.lost([exit], [.kept, .clientGone])
        seen.statuses = [0, 200]
        seen.hasHead = true
        seen.sent = .any
        return seen
    }

    /// Point `body`: its end.
    static let bodies: [FaultRow] = [
        FaultRow(
            #"{"truncate": {"at": 100, "framing": "short"}}"#, h1: .cut([18], at: 100, [.fin]),
            h2: .cut([92], at: 100, [.streamReset]).orDropped, leaves: "0 head 200, body 100, fin"),
        FaultRow(#"{"truncate": {"at": 0.5}}"#, h1: .cut([18], at: half, [.fin]), h2: .cut([92], at: half, [.streamReset]).orDropped),
        FaultRow(
            #"{"truncate": {"at": 0}}"#, h1: .cut([18], at: 0, [.fin]), h2: .cut([92], at: 0, [.streamReset]).orDropped,
            leaves: "0 head 200, fin"),
        FaultRow(
            #"{"truncate": {"at": 100, "framing": "honest"}}"#, h1: .done(200, .exactly(100)), h2: .done(200, .exactly(100)),
            leaves: "0 head 200, body 100, whole"),
        FaultRow(
            #"{"truncate": {"at": 5000}}"#, h1: document.untouched("the body is shorter"), h2: document.untouched("the body is shorter"),
            leaves: FaultRow.plain),
        FaultRow(#"{"truncate": {"at": 0, "framing": "honest"}}"#, h1: .done(200, .nothing), h2: .done(200, .nothing)),
        FaultRow(#"{"reset-body": {"at": 0}}"#, h1: .cut([56], at: 0, [.rst]), h2: .cut([92], at: 0, [.streamReset]).orDropped),
        FaultRow(#"{"stall-body": {"at": 0}}"#, h1: .cut([28], at: 0, [.clientGone]).held, h2: .cut([28], at: 0, [.clientGone]).held),
        FaultRow(#"{"slow": {"chunks": 5000, "over": "300ms"}}"#, h1: Seen.done().lasting(0.25), h2: Seen.done().lasting(0.25)),
        FaultRow(
            #"{"longer-length": {"by": 100}}"#, h1: .cut([18], at: 1000, [.fin]), h2: .cut([92], at: 1000, [.streamReset]).orDropped,
            leaves: "0 head 200, body 1000, fin"),
        FaultRow(
            #"{"reset-body": {"at": 10}}"#, h1: .cut([56], at: 10, [.rst]), h2: .cut([92], at: 10, [.streamReset]).orDropped,
            leaves: "0 head 200, body 10, rst"),
        FaultRow(#"{"reset-body": {"at": 999}}"#, h1: .cut([56], at: 999, [.rst]), h2: .cut([92], at: 999, [.streamReset]).orDropped),
        FaultRow(
            #"{"stall-body": {"at": 10}}"#, h1: .cut([28], at: 10, [.clientGone]).held, h2: .cut([28], at: 10, [.clientGone]).held,
            leaves: "0 head 200, body 10; 1000 body 990, whole"),
        FaultRow(#"{"slow": {"bytes_per_second": 2500}}"#, h1: Seen.done().lasting(0.3), h2: Seen.done().lasting(0.3)),
        FaultRow(#"{"slow": {"chunks": 10, "over": "300ms"}}"#, h1: Seen.done().lasting(0.25), h2: Seen.done().lasting(0.25)),
        FaultRow(
            #"{"bad-chunk": {"how": "cut"}}"#, h1: .cut([18], at: half, [.fin]), h2: document.untouched("no chunks"),
            leaves: "0 head 200, body 500, fin"),
        FaultRow(
            #"{"bad-chunk": {"how": "size"}}"#, h1: Seen.cut([56], at: 0, [.fin]).sending(.exactly(1000)),
            h2: document.untouched("no chunks"), leaves: "0 head 200, body 1000, fin"),
        FaultRow(
            #"{"slow": {"chunks": 5, "over": "300ms"}}"#,
            leaves: "0 head 200, body 200; 60 body 200; 120 body 200; 180 body 200; 240 body 200, whole"),
        FaultRow(
            #"{"slow": {"bytes_per_second": 15000}}"#,
            leaves: "0 head 200, body 300; 20 body 300; 40 body 300; 60 body 100, whole"),
    ]

    /// Point `body`: its content.
    static let damage: [FaultRow] = [
        FaultRow(#"{"corrupt": {"json": "trailing-comma"}}"#, h1: .done(200, .whole), h2: .done(200, .whole), leaves: FaultRow.plain),
        FaultRow(#"{"corrupt": {"utf8": true}}"#, h1: .done(200, .whole), h2: .done(200, .whole), leaves: FaultRow.plain),
        FaultRow(#"{"corrupt": {"bom": true}}"#, h1: .done(200, .exactly(1003)), h2: .done(200, .exactly(1003)), leaves: FaultRow.plain),
        FaultRow(#"{"corrupt": {"gzip": true}}"#, h1: .done(), h2: .done(), leaves: FaultRow.plain),
        FaultRow(#"{"corrupt": {"gzip": true}}"#, options: ["--compressed"], h1: gzip, h2: gzip),
        FaultRow(#"{"corrupt": {"duplicate-keys": true}}"#, h1: .done(200, .whole), h2: .done(200, .whole), leaves: FaultRow.plain),
        FaultRow(#"{"corrupt": {"wrong-type": true}}"#, h1: .done(200, .whole), h2: .done(200, .whole), leaves: FaultRow.plain),
        FaultRow(#"{"corrupt": {"null": true}}"#, h1: .done(200, .whole), h2: .done(200, .whole), leaves: FaultRow.plain),
        FaultRow(#"{"corrupt": {"deep": 5000}}"#, h1: .done(200, .whole), h2: .done(200, .whole), leaves: FaultRow.plain),
        FaultRow(#"{"corrupt": {"huge": 100000}}"#, h1: .done(200, .exactly(100_000)), h2: .done(200, .exactly(100_000))),
        FaultRow(#"{"corrupt": {"huge": 10000}}"#, leaves: FaultRow.plain),
    ]

    private static let gzip: Seen = {
        var seen = Seen.done().sending(.exactly(1000), got: .nothing)
        seen.exits = [61]
        seen.ends = [.kept]
        return seen
    }()

    /// Delays at every point, and the wait before any other fault.
    static let delays: [FaultRow] = [
        FaultRow(
            connection: #"{"delay": {"at_point": "connect", "fixed": "300ms"}}"#, connectionOnly(Seen.ok().lasting(0.3)),
            leaves: "300 head 200, body 1000, whole"),
        FaultRow(
            connection: #"{"delay": {"at_point": "tls", "fixed": "300ms"}}"#, connectionOnly(Seen.ok().lasting(0.3)), but: clear,
            leaves: "300 head 200, body 1000, whole"),
        FaultRow(#"{"delay": {"at_point": "request", "fixed": "300ms"}}"#, h1: late, h2: late, leaves: "300 head 200, body all, whole"),
        FaultRow(#"{"delay": {"at_point": "commit", "fixed": "300ms"}}"#, h1: late, h2: late, leaves: "300 head 200, body all, whole"),
        FaultRow(#"{"delay": {"at_point": "head", "fixed": "300ms"}}"#, h1: late, h2: late, leaves: "300 head 200, body all, whole"),
        FaultRow(#"{"delay": {"at_point": "body", "fixed": "300ms"}}"#, h1: late, h2: late, leaves: "0 head 200; 300 body all, whole"),
        FaultRow(
            #"{"close": {}, "after": "300ms"}"#, h1: .nothing([52], [.fin]).lasting(0.3),
            h2: .nothing([92], [.streamReset]).lasting(0.3),
            warm: (Seen.resent(.fin).lasting(0.3), .nothing([92], [.streamReset]).lasting(0.3))),
        FaultRow(
            connection: #"{"delay": {"at_point": "connect", "until": "released"}}"#, leaves: "1000 head 200, body 1000, whole"),
        FaultRow(
            connection: #"{"delay": {"at_point": "tls", "until": "released"}}"#, isOfTLS: true, leaves: "1000 head 200, body 1000, whole"),
        FaultRow(#"{"delay": {"at_point": "request", "fixed": "700ms"}}"#, .pay, leaves: "700 head 201, body all, whole"),
        FaultRow(#"{"delay": {"at_point": "commit", "fixed": "700ms"}}"#, .pay, leaves: "700 head 201, body all, whole"),
        FaultRow(#"{"delay": {"at_point": "head", "fixed": "700ms"}}"#, .pay, leaves: "700 head 201, body all, whole"),
        FaultRow(#"{"delay": {"at_point": "request", "until": "released"}}"#, leaves: "1000 head 200, body all, whole"),
        FaultRow(#"{"delay": {"at_point": "commit", "until": "released"}}"#, leaves: "1000 head 200, body all, whole"),
        FaultRow(#"{"delay": {"at_point": "head", "until": "released"}}"#, leaves: "1000 head 200, body all, whole"),
        FaultRow(#"{"delay": {"at_point": "body", "until": "released"}}"#, leaves: "0 head 200; 1000 body all, whole"),
    ]

    private static let late = Seen.done().lasting(0.3)
}
