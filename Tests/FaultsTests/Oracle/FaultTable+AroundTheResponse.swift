import BankModel

extension FaultTable {
    /// Bytes before a response and behind it.
    static let aroundTheResponse: [FaultRow] = [
        FaultRow(#""early-hints""#, h1: interim(.done()), h2: interim(.done()), leaves: "0 interim 103, head 200, body all, whole"),
        FaultRow(#"{"early-hints": {"status": 100}}"#, h1: interim(.done()), h2: interim(.done())),
        FaultRow(#"{"early-hints": {"status": 102, "count": 20}}"#, h1: interim(.done()), h2: interim(.done())),
        FaultRow(#"{"early-hints": {"status": 100}}"#, .pay, h1: interim(.done(201, .whole)), h2: interim(.done(201, .whole))),
        // On HTTP/2 curl 7.88.1 loses a response that comes before it sends the body: ``EarlyReplyOracleTests`` look at the frames instead.
        FaultRow(#""early-reply""#, .pay, h1: early(.nothing, [.fin]), h2: nil),
        FaultRow(
            #"{"early-reply": {"status": 503, "body": "later", "then": "drain"}}"#, .pay, h1: early(.exactly(5), [.kept], status: 503),
            h2: nil, leaves: "0 head 503, body 5, whole"),
        FaultRow(#""early-reply""#, h1: noBody, h2: noBody, leaves: FaultRow.plain),
        FaultRow(#""surplus""#, h1: surplus(.done()), h2: noStreams, leaves: "0 head 200, body all, whole, raw again"),
        FaultRow(
            #""surplus""#, .pay, h1: surplus(.done(201, .whole)), h2: .done(201, .whole).untouched("a stream has an end"),
            leaves: "0 head 201, body all, whole, raw again"),
        FaultRow(#"{"surplus": {"status": 408}}"#, h1: surplus(.done(), 36), h2: noStreams, leaves: "0 head 200, body all, whole, raw 36"),
        FaultRow(#"{"surplus": {"status": 200, "body": {"a": 1}}}"#, h1: surplus(.done(), 75), h2: noStreams),
        FaultRow(
            #"{"surplus": {"bytes": "garbage"}}"#, h1: surplus(.done(), 7), h2: noStreams, leaves: "0 head 200, body all, whole, raw 7"),
        FaultRow(
            #"{"early-hints": {"status": 100, "count": 3}}"#, .pay,
            leaves: "0 interim 100, interim 100, interim 100, head 201, body all, whole"),
        FaultRow(#"{"early-hints": {"status": 102}}"#, leaves: "0 interim 102, head 200, body all, whole"),
    ]

    /// Nothing is executed.
    private static func early(_ body: Amount, _ ends: Set<Receipt.End>, status: Int = 413) -> Seen {
        var seen = Seen.ok(status, body)
        seen.ends = ends
        return seen
    }

    private static let noBody = Seen.ok().untouched("the request has no body")
    private static let noStreams = Seen.ok().untouched("a stream has an end")

    private static func interim(_ seen: Seen) -> Seen { seen.beside(.whole, areInterim: true) }

    /// curl closes the connection on which it finds more than it expects.
    private static func surplus(_ seen: Seen, _ bytes: Int? = nil) -> Seen { seen.beside(bytes.map(Amount.exactly) ?? .whole) }
}
