import BankModel

extension FaultTable {
    /// Point `body`: its coding, and what stands behind it.
    static let codings: [FaultRow] = [
        FaultRow(#"{"gzip": {"how": "lies"}}"#, h1: .done(), h2: .done(), leaves: FaultRow.plain),
        FaultRow(#"{"gzip": {"how": "lies"}}"#, options: compressed, h1: notUnpacked, h2: notUnpacked),
        FaultRow(#"{"gzip": {"how": "lies", "says": "nothing"}}"#, options: compressed, h1: .done(200, .whole), h2: .done(200, .whole)),
        FaultRow(#"{"gzip": {"how": "cut"}}"#, options: compressed, h1: cut, h2: cut, leaves: FaultRow.plain),
        FaultRow(#"{"gzip": {"how": "unasked"}}"#, h1: .done(200, .whole), h2: .done(200, .whole), leaves: FaultRow.plain),
        FaultRow(#"{"gzip": {"how": "unasked"}}"#, options: compressed, h1: unpacked(1000), h2: unpacked(1000)),
        FaultRow(
            #"{"gzip": {"how": "bomb", "bytes": 1048576}}"#, options: compressed, h1: unpacked(1 << 20), h2: unpacked(1 << 20),
            leaves: FaultRow.plain),
        FaultRow(
            #"{"trailers": {"lines": {"Content-Type": "text/html", "X-Checksum": "1"}}}"#, h1: .done(),
            h2: Seen.ok().untouched("no chunks"), leaves: "0 head 200, body 1000, whole", onHTTP2: FaultRow.plain),
    ]

    private static let compressed = ["--compressed"]

    /// The whole stream is sent, and expands to that many bytes.
    private static func unpacked(_ bytes: Int) -> Seen { Seen.done().sending(.whole, got: .exactly(bytes)) }

    private static let cut = Seen.done().sending(.whole, got: .any).because("curl 7.88.1 does not notice the missing end")

    private static let notUnpacked: Seen = {
        var seen = Seen.done().sending(.exactly(OracleBank.documentBytes), got: .nothing)
        seen.exits = [61]
        return seen
    }()
}
