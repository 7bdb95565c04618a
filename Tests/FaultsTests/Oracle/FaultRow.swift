import BankModel
import Testing

/// A fault with its settings, what curl sees of it in every cell, and the bytes that leave at each moment.
///
/// A new kind needs one row with both. A row without curl is about times only, and one without bytes about curl only.
struct FaultRow: Sendable, CustomStringConvertible, CustomTestStringConvertible {
    /// The milliseconds after which all that is held is released.
    static let release = 1000
    /// The bank's own response.
    static let plain: Timeline = "0 head 200, body all, whole"

    /// The fault in a rule's JSON.
    let fault: String
    let request: OracleRequest
    /// Further options of curl.
    let options: [String]
    /// Whether the fault acts before any request.
    let isOfConnection: Bool
    private let cells: [OracleCell: Seen]
    private let leaves: Timeline?
    private let leavesOnHTTP2: Timeline?
    /// The protocols on which the fault cannot act.
    private let untouched: Set<OracleWire>
    /// Whether a rule with the fault can be set only if there is a handshake.
    let isOfTLS: Bool

    /// A fault of exchanges.
    ///
    /// - Parameters:
    ///   - h1: what curl sees on HTTP/1.1, in clear text and over TLS.
    ///   - h2: what it sees on HTTP/2, over TLS and in clear text; nil if that depends on chance.
    ///   - warm: the expectations for a warm connection, if they differ.
    ///   - again: the expectations if the rule matches curl's own retries.
    ///   - but: single cells.
    ///   - leaves: the bytes that leave.
    ///   - onHTTP2: those on HTTP/2; nil for the same, with the stream's reset for the connection's end.
    init(
        _ fault: String, _ request: OracleRequest = .document, options: [String] = [], h1: Seen, h2: Seen?,
        warm: (h1: Seen, h2: Seen)? = nil, again: (h1: Seen, h2: Seen)? = nil, but: [OracleCell: Seen] = [:], leaves: Timeline? = nil,
        onHTTP2: Timeline? = nil
    ) {
        var cells: [OracleCell: Seen] = [:]
        for wire in OracleWire.allCases {
            cells[OracleCell(wire, .cold)] = wire.isHTTP2 ? h2 : h1
            cells[OracleCell(wire, .warm)] = warm.map { wire.isHTTP2 ? $0.h2 : $0.h1 } ?? (wire.isHTTP2 ? h2 : h1)
            if let again { cells[OracleCell(wire, .again)] = wire.isHTTP2 ? again.h2 : again.h1 }
        }
        // curl 7.88.1 cannot use such a connection twice (curl/curl#10634); ``HTTP2OracleTests`` do.
        for state in [OracleState.warm, .again] { cells[OracleCell(.h2c, state)] = nil }
        cells.merge(but) { $1 }
        self.init(
            fault, request, options: options, cells: cells, times: leaves, onHTTP2: onHTTP2,
            untouched: Set(OracleWire.allCases.filter { cells[OracleCell($0, .cold)]?.isApplied == false }))
    }

    /// A fault of exchanges, without curl.
    init(_ fault: String, _ request: OracleRequest = .document, leaves: Timeline, untouched: Set<OracleWire> = []) {
        self.init(fault, request, times: leaves, untouched: untouched)
    }

    /// A fault of connections: every one is cold, and whole connections are affected, in any protocol.
    init(
        connection fault: String, options: [String] = [], _ all: Seen, but: [OracleWire: Seen] = [:], leaves: Timeline? = nil
    ) {
        let cells = Dictionary(uniqueKeysWithValues: OracleWire.allCases.map { (OracleCell($0, .cold), but[$0] ?? all) })
        self.init(
            fault, options: options, cells: cells, times: leaves, isOfConnection: true,
            isOfTLS: cells[OracleCell(.h1, .cold)]?.isRejected == true)
    }

    /// A fault of connections, without curl.
    init(connection fault: String, isOfTLS: Bool = false, leaves: Timeline) {
        self.init(fault, times: leaves, isOfConnection: true, isOfTLS: isOfTLS)
    }

    private init(
        _ fault: String, _ request: OracleRequest = .document, options: [String] = [], cells: [OracleCell: Seen] = [:],
        times: Timeline?, onHTTP2: Timeline? = nil, untouched: Set<OracleWire> = [], isOfConnection: Bool = false,
        isOfTLS: Bool = false
    ) {
        self.fault = fault
        self.request = request
        self.options = options
        self.cells = cells
        leaves = times
        leavesOnHTTP2 = onHTTP2
        self.untouched = untouched
        self.isOfConnection = isOfConnection
        self.isOfTLS = isOfTLS
    }

    /// What curl sees; nil if there is no such cell.
    subscript(cell: OracleCell) -> Seen? { cells[cell] }

    var description: String { fault }
    var testDescription: String { fault }

    var hasCurl: Bool { !cells.isEmpty }
    var hasTimes: Bool { leaves != nil }

    /// The kind of fault, and its settings.
    var setting: (kind: String, settings: JSON) {
        guard case .object(let object)? = try? JSON(parsing: Array(fault.utf8)), let first = object.members.first else {
            return (fault.trimmingPrefix("\"").prefix { $0 != "\"" }.description, [:])
        }
        return (first.key, first.value)
    }

    // MARK: times

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

    /// A rule that applies the fault once.
    func rule(_ lateness: Lateness = .atOnce) -> String {
        #"{"fault": {"\#(setting.kind)": \#(setting.settings.text)\#(lateness.setting)}, "times": 1}"#
    }

    func isApplied(on wire: OracleWire) -> Bool { !untouched.contains(wire) }

    /// The bytes that leave; nil if the row is about curl only.
    func expected(on wire: OracleWire, _ lateness: Lateness = .atOnce) -> Timeline? {
        guard let leaves else { return nil }
        guard isApplied(on: wire) else { return request == .pay ? "0 head 201, body all, whole" : FaultRow.plain }
        let basis = wire.isHTTP2 ? leavesOnHTTP2 ?? leaves : leaves
        let late: Timeline =
            switch lateness {
            case .atOnce: basis
            case .later: basis.later(by: 300, upTo: FaultRow.release)
            case .released: basis.together(at: FaultRow.release)
            }
        return wire.isHTTP2 && leavesOnHTTP2 == nil && !isOfConnection ? late.onAStream : late
    }
}
