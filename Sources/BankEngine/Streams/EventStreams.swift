import BankCore
import BankModel
import Faults

/// The streams of a session: what they have sent, for clients that come back, and those that are open.
///
/// The history is in memory alone. Its name is part of each event's id, so that an id of another history is recognised.
struct EventStreams: Sendable {
    /// The maximum number of open streams.
    static let most = 16
    /// The maximum number of events that are kept for clients that come back.
    private static let longest = 1000
    /// The maximum number of events in one piece.
    private static let piece = 100

    private var name = ""
    /// The number of all events of this history; the id of the last one.
    private var count = 0
    private var kept: [StreamedRow] = []
    private var mark = RowWatermark()
    private var open: [Int: OpenStream] = [:]
    private var lastNumber = 0
    /// Whether no stream goes on: the server ends.
    private(set) var isEnding = false

    fileprivate struct OpenStream: Sendable {
        let wanted: RequestedStream
        let alteration: StreamAlteration?
        /// The number of the last event that was looked at for it.
        var seen: Int
        /// What it sends before any event; nil once that was sent.
        var beginning: String?
        /// The events that are to be overtaken by the next of their table.
        var held: [String: String] = [:]
        /// The number of events that it has sent or left out.
        var sent = 0
        /// Called once when there may be something to send.
        var wake: (@Sendable () -> Void)?
    }

    enum Next: Sendable {
        case bytes([UInt8])
        case end
        /// Nothing happens for that long, unless it is woken.
        case wait(Duration?)
    }

    var isFull: Bool { open.count >= EventStreams.most }

    var hasWaiting: Bool { open.values.contains { $0.wake != nil } }

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - lastID: the id of the last event that the client has, from `Last-Event-ID`.
    ///   - mono: the machine's monotonic clock, which names a new history.
    /// - Returns: its number.
    mutating func begin(
        _ wanted: RequestedStream, after lastID: String?, _ alteration: StreamAlteration?, _ state: SessionState, mono: Int64
    ) -> Int {
        if name.isEmpty {
            name = String(UInt64(bitPattern: mono), radix: 36)
            _ = state.events(in: EventStreams.tables(of: state.bank), since: &mark)
        }
        look(state)
        var lines = wanted.policy.retry.map { "retry: \($0.nanoseconds / 1_000_000)\n" } ?? ""
        var seen = count
        if let lastID, let known = number(of: lastID), known <= count, known >= count - kept.count {
            seen = known
        } else if lastID != nil {
            // The client does not know what it has missed: it reads everything again.
            lines += "event: reset\ndata: {}\n"
        }
        lastNumber += 1
        open[lastNumber] = OpenStream(
            wanted: wanted, alteration: alteration, seen: seen, beginning: lines + "id: \(name)-\(seen)\n\n")
        return lastNumber
    }

    /// The number in an event's id; nil for one of another history.
    private func number(of id: String) -> Int? {
        guard id.hasPrefix(name + "-") else { return nil }
        return Int(id.dropFirst(name.count + 1))
    }

    /// The tables that the bank's streams show.
    private static func tables(of bank: Bank) -> [String] {
        Set(bank.operations.flatMap { $0.stream?.tables ?? [] }).sorted()
    }

    /// Adds what has changed to the history.
    private mutating func look(_ state: SessionState) {
        let new = state.events(in: EventStreams.tables(of: state.bank), since: &mark)
        count += new.count
        kept += new
        if kept.count > EventStreams.longest { kept.removeFirst(kept.count - EventStreams.longest) }
    }

    /// What the stream of that number sends next.
    ///
    /// - Parameter wake: is called once if it has to wait, when there may be something to send.
    mutating func next(
        _ number: Int, _ state: SessionState, at now: Instant, wake: @escaping @Sendable () -> Void
    ) -> Next {
        guard var stream = open[number] else { return .end }
        look(state)
        // Behind by more than is kept: it cannot go on without a gap.
        guard !isEnding, state.authorizes(stream.wanted, at: now), stream.seen >= count - kept.count else {
            open[number] = nil
            return .end
        }
        var text = stream.beginning ?? ""
        // Of events that others may see alone, one piece after the other is passed over: a wait would be one for the next change.
        repeat {
            let next = stream.seen..<min(count, stream.seen + EventStreams.piece)
            let shown = next.filter { state.shows(kept[kept.count - (count - $0)], in: stream.wanted) }
            if stream.alteration == .end {
                // A stream that ends instead of its first event has sent its id before: the client knows what it has.
                if stream.beginning != nil { break }
                if !shown.isEmpty {
                    open[number] = nil
                    return .end
                }
            }
            for id in shown {
                let event = kept[kept.count - (count - id)]
                text += stream.altered(block(event, id: id + 1), of: event.table)
            }
            stream.seen = next.upperBound
        } while text.isEmpty && stream.seen < count
        stream.beginning = nil
        stream.wake = text.isEmpty ? wake : nil
        open[number] = stream
        guard text.isEmpty else { return .bytes(Array(text.utf8)) }
        let isRunning = state.clock.mode == .running
        let due = [state.nextDue, state.end(of: stream.wanted)].compactMap { $0 }.min()
        return .wait(isRunning ? due.map { max(.zero, $0 - now) } : nil)
    }

    private func block(_ event: StreamedRow, id: Int) -> String {
        "id: \(name)-\(id)\nevent: \(event.table)\(event.isRemoval ? "-removed" : "")\ndata: \(event.json.text)\n\n"
    }

    mutating func close(_ number: Int) { open[number] = nil }

    /// Notes what has changed while a stream is open, each change for itself, and takes the calls that wake those that wait.
    mutating func changed(_ state: SessionState) -> [@Sendable () -> Void] {
        if !open.isEmpty { look(state) }
        return takeWakes()
    }

    /// Takes the calls that wake the streams that wait.
    private mutating func takeWakes() -> [@Sendable () -> Void] {
        let wakes = open.values.compactMap(\.wake)
        for number in open.keys { open[number]?.wake = nil }
        return wakes
    }

    /// Ends all streams, and the history with them: another state replaces the one that it is about.
    mutating func restart() -> [@Sendable () -> Void] {
        let wakes = takeWakes()
        let (isEnding, lastNumber) = (isEnding, lastNumber)
        self = EventStreams()
        (self.isEnding, self.lastNumber) = (isEnding, lastNumber)
        return wakes
    }

    /// Ends all streams for good.
    mutating func end() -> [@Sendable () -> Void] {
        isEnding = true
        return takeWakes()
    }
}

extension EventStreams.OpenStream {
    /// What is sent for an event.
    fileprivate mutating func altered(_ block: String, of table: String) -> String {
        sent += 1
        switch alteration {
        case nil, .end: return block
        case .drop: return sent.isMultiple(of: 2) ? block : ""
        case .duplicate: return block + block
        case .reorder:
            guard let overtaken = held.removeValue(forKey: table) else {
                held[table] = block
                return ""
            }
            return block + overtaken
        }
    }
}
