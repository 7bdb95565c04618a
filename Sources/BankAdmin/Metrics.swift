import BankCore
import BankEngine
import Faults
import HTTPTypes
import Hummingbird
import NIOCore
import StubServer

/// A server's counts in Prometheus' text format 0.0.4, for monitoring a bank that runs for long.
///
/// `https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format`
///
/// The size of the text is bounded: with more sessions than ``most``, only the standing ones have lines of their own; each bank's
/// others share one line without the label `session`.
struct Metrics {
    private var lines: [String] = []

    /// The maximum number of sessions with lines of their own.
    static let most = 100

    init(_ server: StubServer, version: String) {
        let sessions = server.registry.unsorted
        let groups = Metrics.groups(of: sessions, standing: server.registry.standing)
        let counts = groups.map { group in
            (labels: group.labels, counts: group.sessions.reduce(into: BankSession.Counts()) { $0.add($1.counts) })
        }
        add("counterfoil_build_info", .gauge, "Always 1; the label tells the version.", [(["version": version], 1)])
        add("counterfoil_connections", .gauge, "Connections that are open to the banks.", [([:], server.connectionCount)])
        add("counterfoil_sessions", .gauge, "Sessions that are open.", [([:], sessions.count)])
        add(
            "counterfoil_exchanges_total", .counter, "Exchanges that a session's journal has taken in.",
            counts.map { ($0.labels, $0.counts.exchanges) })
        add(
            "counterfoil_exchanges_dropped", .gauge, "Exchanges that its journal dropped to stay within bounds, since it was last emptied.",
            counts.map { ($0.labels, $0.counts.dropped) })
        add(
            "counterfoil_exchanges_held", .gauge, "Exchanges and connections that a fault holds.",
            counts.map { ($0.labels, $0.counts.held) })
        add("counterfoil_rules", .gauge, "Rules that are set.", counts.map { ($0.labels, $0.counts.rules) })
        add("counterfoil_payments", .gauge, "Movements of money that it holds.", counts.map { ($0.labels, $0.counts.payments) })
        add(
            "counterfoil_refused_full", .gauge, "Requests refused since it was last reset, as it holds as much as --session-limit allows.",
            counts.map { ($0.labels, $0.counts.refusedFull) })
    }

    /// The whole text.
    var text: String { lines.joined(separator: "\n") + "\n" }

    private typealias Labels = KeyValuePairs<String, String>

    private enum Kind: String { case counter, gauge }

    /// The sessions grouped by the line that counts them.
    private static func groups(of sessions: [BankSession], standing: [BankSession]) -> [(labels: Labels, sessions: [BankSession])] {
        func alone(_ session: BankSession) -> (Labels, [BankSession]) { (["session": session.id, "bank": session.bankName], [session]) }
        if sessions.count <= most { return sessions.sorted { $0.id < $1.id }.map(alone) }
        let names = Set(standing.map(\.id))
        let others = Dictionary(grouping: sessions.filter { !names.contains($0.id) }, by: \.bankName)
        return standing.map(alone) + others.sorted { $0.key < $1.key }.map { (["bank": $0.key], $0.value) }
    }

    private mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: Labels, value: Int)]) {
        lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"]
        lines += samples.map { labels, value in
            let pairs = labels.map { "\($0.key)=\"\(Metrics.escaped($0.value))\"" }
            return name + (pairs.isEmpty ? "" : "{" + pairs.joined(separator: ",") + "}") + " \(value)"
        }
    }

    /// Escapes backslash, quote and line feed in a label's value.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    var response: Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
