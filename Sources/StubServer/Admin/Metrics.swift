import Faults
import HTTPTypes
import Hummingbird
import NIOCore

/// A server's counts in Prometheus' text format 0.0.4, for those who watch a bank that runs for long.
///
/// `https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format`
struct Metrics {
    private var lines: [String] = []

    init(_ server: StubServer, version: String) {
        let sessions = server.registry.all.map { (labels: ["session": $0.id, "bank": $0.bankName] as Labels, counts: $0.counts) }
        add("counterfoil_build_info", .gauge, "Always 1; the label tells the version.", [(["version": version], 1)])
        add("counterfoil_connections", .gauge, "Connections that are open to the banks.", [([:], server.connectionCount)])
        add("counterfoil_sessions", .gauge, "Sessions that are open.", [([:], sessions.count)])
        add(
            "counterfoil_exchanges_total", .counter, "Exchanges that a session's journal has taken in.",
            sessions.map { ($0.labels, $0.counts.exchanges) })
        add(
            "counterfoil_exchanges_dropped", .gauge, "Exchanges that its journal dropped to stay within bounds, since it was last emptied.",
            sessions.map { ($0.labels, $0.counts.dropped) })
        add(
            "counterfoil_exchanges_held", .gauge, "Exchanges and connections that a fault holds.",
            sessions.map { ($0.labels, $0.counts.held) })
        add("counterfoil_rules", .gauge, "Rules that are set.", sessions.map { ($0.labels, $0.counts.rules) })
    }

    /// The whole text.
    var text: String { lines.joined(separator: "\n") + "\n" }

    private typealias Labels = KeyValuePairs<String, String>

    private enum Kind: String { case counter, gauge }

    private mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: Labels, value: Int)]) {
        lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"]
        lines += samples.map { labels, value in
            let pairs = labels.map { "\($0.key)=\"\(Metrics.escaped($0.value))\"" }
            return name + (pairs.isEmpty ? "" : "{" + pairs.joined(separator: ",") + "}") + " \(value)"
        }
    }

    /// A label's value: backslash, quote and line end are escaped.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    var response: Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension BankSession {
    /// What is counted of a session.
    struct Counts {
        /// Exchanges ever.
        let exchanges: Int
        let dropped: Int
        let held: Int
        let rules: Int
    }

    var counts: Counts {
        inner.withLock {
            Counts(
                exchanges: $0.journal.nextSeq - 1, dropped: $0.journal.dropped, held: $0.held.count, rules: $0.rules.rules.count)
        }
    }
}
