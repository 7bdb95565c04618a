import BankCore
import BankModel
import Contracts

/// Asks one side everything that can be read, as far as its responses contain the identifiers.
struct ReadRound {
    /// A request and what came of it.
    struct Exchange {
        var binding: Gathered.Binding
        var answer: ProviderAnswer
    }

    /// How much is asked.
    struct Limits {
        /// Requests of one operation.
        var samples: Int
        /// Pages of one list.
        var pages: Int
    }

    let side: any AskedBank
    /// Goes with what is not open; nil: only open operations are asked.
    let token: String?
    /// By the index of their operations.
    private(set) var exchanges: [Int: [Exchange]] = [:]
    /// Why an operation cannot be asked at all.
    private(set) var unfillable: [Int: String] = [:]
    private let reads: [ReadableOperation]
    private let limits: Limits
    private let known: [String: String]
    private let now: Instant
    private var gathered: Gathered
    private var asked: [Int: Set<[String: String]>] = [:]

    init(_ reads: [ReadableOperation], of side: any AskedBank, token: String?, known: [String: String], limits: Limits, at now: Instant) {
        self.reads = reads
        self.side = side
        self.token = token
        self.known = known
        self.limits = limits
        self.now = now
        gathered = Gathered(baseURL: side.baseURL, most: 200)
    }

    /// Learns from a response that it did not ask for itself.
    mutating func learn(_ response: ObservedResponse, of operation: Operation) {
        if let json = response.json { gathered.take(json, ResponseLocations(operation), [:]) }
    }

    /// Asks until nothing new can be asked; called again after something was learned it goes on.
    mutating func run() async {
        var hasAsked = true
        while hasAsked {
            hasAsked = false
            for read in reads where read.operation.access == .open || token != nil {
                for binding in gathered.bindings(of: read, known: known) where asked[read.index, default: []].count < limits.samples {
                    guard asked[read.index, default: []].insert(binding.parameters).inserted else { continue }
                    await ask(read, binding)
                    hasAsked = true
                }
            }
        }
    }

    /// The request for an operation; with that token, if it is not nil.
    func request(
        _ read: ReadableOperation, _ binding: Gathered.Binding, token: String?, cursor: (name: String, value: String)? = nil
    ) throws(UnfillableCall) -> BankRequest {
        var call = try CallBuilder(read.operation, parameters: binding.parameters)
        for (source, instant) in read.range(at: now) { try call.put(.string(instant.rfc3339(.milliseconds)), at: source) }
        if let cursor { try call.put(.string(cursor.value), at: .query(cursor.name)) }
        if let token { call.authorise(token) }
        return try call.request()
    }

    private mutating func ask(_ read: ReadableOperation, _ binding: Gathered.Binding) async {
        var cursor: (name: String, value: String)?
        for _ in 0..<limits.pages {
            let sent: BankRequest
            do throws(UnfillableCall) {
                sent = try request(read, binding, token: read.operation.access == .open ? nil : token, cursor: cursor)
            } catch {
                unfillable[read.index] = "\(error)"
                return
            }
            let answer = await side.ask(sent)
            exchanges[read.index, default: []].append(Exchange(binding: binding, answer: answer))
            guard case .response(let response) = answer, (200..<300).contains(response.status), let json = response.json else { return }
            gathered.take(json, read.locations, binding.context)
            guard let paging = read.paging, let next = read.locations.nextPage.flatMap({ json.at(steps: $0)?.plainText }), !next.isEmpty,
                next != cursor?.value
            else { return }
            cursor = (paging.cursor, next)
        }
    }
}

extension ProviderAnswer {
    var response: ObservedResponse? { if case .response(let response) = self { response } else { nil } }
}
