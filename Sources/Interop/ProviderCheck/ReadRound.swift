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

/// An operation that can be asked without changing anything, and what is needed to ask it.
struct ReadableOperation {
    let operation: Operation
    /// Its index among the bank's operations.
    let index: Int
    let locations: ResponseLocations
    /// Of each parameter of the path that names a row: the field that it is compared with.
    let origins: [String: RowField]
    /// The files of which one is asked for by name.
    let files: (parameter: String, names: [String])?

    /// Nil for an operation that writes, signs in or out, and for a stream, which has no end.
    init?(_ operation: Operation, index: Int, of bank: Bank) {
        guard operation.method == "GET", operation.isRead, operation.stream == nil else { return nil }
        self.operation = operation
        self.index = index
        locations = ResponseLocations(operation)
        var origins: [String: RowField] = [:]
        for parent in operation.parents {
            if case .path(let name) = parent.key, let table = bank.tables[parent.table], origins[name] == nil {
                origins[name] = RowField(table: table.name, field: table.key)
            }
        }
        for (name, location) in locations.chosenBy where origins[name] == nil { origins[name] = bank.shownField(location) }
        self.origins = origins
        if case .folder(let files, .path(let name)) = operation.response {
            self.files = (name, files.keys.sorted())
        } else {
            files = nil
        }
    }

    /// The range parameters to send: those that are required, or that need a fresh sign-in.
    ///
    /// - Returns: the query's fields and their instants.
    func range(at now: Instant) -> [(source: ValueSource, instant: Instant)] {
        var fields: [(source: ValueSource, instant: Instant)] = []
        if let range = locations.requiredRange {
            if let from = range.from { fields.append((from, now + .seconds(-30 * 86_400))) }
            if let to = range.to { fields.append((to, now)) }
        }
        // A day younger than what is rejected, by whatever clock.
        if let fresh = operation.fresh { fields.append((.query(fresh.query), now + (Duration.seconds(86_400) - fresh.older))) }
        return fields
    }

    /// The first list in the response that comes in pages.
    var paging: Paging? { locations.rows.lazy.compactMap { $0.paging }.first }
}

extension Bank {
    /// All that can be asked of it without changing anything, in the order of the file.
    var reads: [ReadableOperation] { operations.enumerated().compactMap { ReadableOperation($1, index: $0, of: self) } }

    /// A field that responses show: in place of a hidden one that names another table's row, that row's key; nil if it is hidden.
    fileprivate func shownField(_ location: RowField) -> RowField? {
        guard location.field.hasPrefix("_") else { return location }
        guard case .row(let field, let parents) = tables[location.table]?.belongs, field == location.field, let table = tables[parents]
        else {
            return nil
        }
        return RowField(table: table.name, field: table.key)
    }
}

/// Compares the two sides' answers to one read.
struct ReadJudging {
    private let stub: [ObservedResponse]
    private var comparable: [ObservedResponse] = []
    private var inconclusive: [String] = []
    private var guessed: [String] = []

    /// - Parameter wasAuthorised: the caller's token went with the provider's requests.
    init(stub: [ObservedResponse], provider: [ReadRound.Exchange], wasAuthorised: Bool) {
        self.stub = stub
        let expected = Set(stub.map(\.status))
        for exchange in provider {
            switch exchange.answer {
            case .nothing(let why): inconclusive.append("no response: \(why)")
            case .response(let response) where expected.contains(response.status): comparable.append(response)
            case .response(let response):
                if let why = ReadJudging.reasonNotToJudge(response, wasAuthorised: wasAuthorised) {
                    inconclusive.append(why)
                } else if response.status == 404, exchange.binding.isGuess {
                    guessed.append("the provider has no row with the stub's id; pass one of the provider's ids with --set")
                } else {
                    comparable.append(response)
                }
            }
        }
    }

    /// Why a response is not evidence about the provider's definition: it fails, or does not accept the caller; nil if it is.
    static func reasonNotToJudge(_ response: ObservedResponse, wasAuthorised: Bool) -> String? {
        switch response.status {
        case 401 where wasAuthorised, 403 where wasAuthorised:
            let scheme = response.header("WWW-Authenticate").map { $0.prefix { $0.isLetter || $0.isNumber } } ?? ""
            return "the credentials were rejected with status \(response.status)"
                + (scheme.isEmpty ? "" : ", which requires \(scheme.prefix(20))")
        case 407, 429, 500...599: return "the provider responded with status \(response.status)"
        default: return nil
        }
    }

    /// The verdict, the drifts, and what a user should know.
    var outcome: (verdict: Verdict, drifts: [Drift], notes: [String]) {
        let comparison = ResponseComparison(stub: stub, provider: comparable)
        var notes = distinct(inconclusive + (comparable.isEmpty ? guessed : []))
        if !comparison.uncompared.isEmpty {
            notes.append(
                "not compared, because one side has none: \(comparison.uncompared.map { $0.isEmpty ? "the body" : $0 }.joined(separator: ", "))"
            )
        }
        if !comparison.drifts.isEmpty { return (.fail, comparison.drifts, notes) }
        if !inconclusive.isEmpty { return (.inconclusive, [], notes) }
        return comparable.isEmpty ? (.notExercised, [], notes) : (.pass, [], notes)
    }
}
