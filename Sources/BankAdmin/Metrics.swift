import BankCore
import BankEngine
import BankModel
import Faults
import Platform
import StubServer

/// A server's counts for Prometheus, for monitoring a bank that runs for long.
///
/// The number of lines is bounded by the banks, their operations and the kinds of fault; only on demand each session has lines of
/// its own.
struct Metrics {
    private var families = MetricsText()

    /// - Parameters:
    ///   - startedAt: when the server began to answer.
    ///   - hasSessions: whether each session has separate lines.
    init(_ server: StubServer, version: String, startedAt: Instant, hasSessions: Bool) {
        let sessions = server.registry.unsorted
        families.add("counterfoil_build_info", .gauge, "Always 1; the label contains the version.", [(["version": version], 1)])
        families.add("counterfoil_connections", .gauge, "Open connections to the banks.", one: server.connectionCount)
        let banks = Dictionary(grouping: sessions, by: \.bankName).sorted { $0.key < $1.key }
        families.add("counterfoil_sessions", .gauge, "Open sessions.", banks.map { (["bank": $0.key], $0.value.count) })
        addSums(server.registry.sums.sorted { $0.key < $1.key })
        let states = banks.map { bank, sessions in
            (labels: ["bank": bank] as MetricsText.Labels, counts: sessions.reduce(into: BankSession.Counts()) { $0.add($1.counts) })
        }
        addStates("counterfoil", states)
        if hasSessions {
            let each = sessions.sorted { $0.id < $1.id }.map { session in
                (labels: ["session": session.id, "bank": session.bankName] as MetricsText.Labels, counts: session.counts)
            }
            families.add(
                "counterfoil_session_exchanges", .gauge, "Exchanges recorded in the session's journal.",
                each.map { ($0.labels, $0.counts.exchanges) })
            addStates("counterfoil_session", each)
        }
        addProcess(startedAt: startedAt)
    }

    var text: String { families.text }

    /// Adds the counts of what has happened, removed sessions included.
    private mutating func addSums(_ banks: [(key: String, value: ExchangeTally)]) {
        families.add(
            "counterfoil_exchanges_total", .counter,
            "Exchanges that have ended; operation is empty if none was matched, status is none if no response was sent.",
            banks.flatMap { bank, sums in
                let rows = sums.exchanges.map { (kind: $0.key, count: $0.value) }
                    .sorted { ($0.kind.operation ?? "", $0.kind.status ?? 0) < ($1.kind.operation ?? "", $1.kind.status ?? 0) }
                return rows.map { row -> (labels: MetricsText.Labels, value: Int) in
                    let status = row.kind.status.map { "\($0)" } ?? "none"
                    return (["bank": bank, "operation": row.kind.operation ?? "", "status": status], row.count)
                }
            })
        families.add(
            histogram: "counterfoil_exchange_duration_seconds", "Time from the arrival of a request to the end of its exchange.",
            bounds: ExchangeTally.bounds.map { Double($0) / 1e6 },
            banks.map { (label: ("bank", $0.key), counts: $0.value.durations, sum: Double($0.value.microseconds) / 1e6) })
        let faults = banks.reduce(into: [String: Int]()) { $0.merge($1.value.faults) { $0 + $1 } }
        families.add(
            "counterfoil_faults_fired_total", .counter, "Faults that were applied to a request or a connection.",
            faults.sorted { $0.key < $1.key }.map { (["kind": $0.key], $0.value) })
        let payments = banks.reduce(into: [Movement.State: Int]()) { $0.merge($1.value.payments) { $0 + $1 } }
        families.add(
            "counterfoil_payments_total", .counter, "Payments that were booked, by initial state.",
            Movement.State.allCases.filter { !$0.isReversed }.map { (["state": $0.rawValue], payments[$0] ?? 0) })
        families.add(
            "counterfoil_replays_total", .counter, "Responses replayed for an idempotency key.",
            one: banks.reduce(0) { $0 + $1.value.replays })
    }

    /// Adds the counts of what there is now.
    private mutating func addStates(_ prefix: String, _ states: [(labels: MetricsText.Labels, counts: BankSession.Counts)]) {
        func each(_ count: KeyPath<BankSession.Counts, Int>) -> [(labels: MetricsText.Labels, value: Int)] {
            states.map { ($0.labels, $0.counts[keyPath: count]) }
        }
        families.add(
            "\(prefix)_exchanges_dropped", .gauge,
            "Exchanges that the journal dropped to stay within its limit, since it was last cleared.",
            each(\.dropped))
        families.add("\(prefix)_exchanges_held", .gauge, "Requests and connections that a fault holds.", each(\.held))
        families.add("\(prefix)_rules", .gauge, "Rules that are set.", each(\.rules))
        families.add("\(prefix)_payments_stored", .gauge, "Stored movements of money.", each(\.payments))
        families.add(
            "\(prefix)_refused_full", .gauge, "Requests rejected since the last reset because of --session-limit.",
            each(\.rejectedFull))
    }

    /// Adds the process's own numbers, by the names that Prometheus' client libraries give them.
    private mutating func addProcess(startedAt: Instant) {
        families.add("process_cpu_seconds_total", .counter, "CPU time on all cores.", one: Double(MachineTime.processor()) / 1e9)
        families.add("process_start_time_seconds", .gauge, "Start time of the server, in seconds since 1970.", one: startedAt.seconds)
        if let bytes = ThisProcess.residentBytes {
            families.add("process_resident_memory_bytes", .gauge, "Resident memory.", one: bytes)
        }
        if let count = ThisProcess.openDescriptors {
            families.add("process_open_fds", .gauge, "Open files and sockets.", one: count)
        }
        if let limit = ThisProcess.openFileLimit {
            families.add("process_max_fds", .gauge, "Maximum number of open files and sockets.", one: limit)
        }
    }

    var response: AdminResponse { .text("text/plain; version=0.0.4; charset=utf-8", text) }
}
