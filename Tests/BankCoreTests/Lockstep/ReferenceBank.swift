/// A second, plain implementation of the test bank's payments: tokens, keys, ledger and rejections as the documents describe them, with no
/// code of the bank's. It looks at everything at each request, and remembers everything for ever.
struct ReferenceBank {
    /// A payment as a client sends it.
    struct Order: Hashable {
        var from = "a1"
        var to = "p1"
        var amount = "1.00"

        var body: String { #"{"from": "\#(from)", "to": "\#(to)", "amount": "\#(amount)"}"# }
    }

    /// What the client sees of a response.
    struct Response: Equatable {
        var status: Int
        var error: String?
        var isReplay = false
    }

    struct Movement: Equatable {
        let key: String
        let order: Order
        let pence: Int
    }

    struct Token: Equatable {
        let customer: String
        var end: Int
        var isRevoked = false
    }

    private struct Key: Hashable {
        let customer: String
        let text: String
    }

    private struct Use {
        let order: Order
        /// The second of its execution, and its response; nil while it is in flight.
        var executed: (at: Int, response: Response)?
    }

    private struct State {
        var movements: [Movement] = []
        var tokens: [Token] = []
        var uses: [Key: Use] = [:]
    }

    private static let openings = ["a1": 10_000, "a2": 550, "b1": 700]
    private static let owners = ["a1": "ann", "a2": "ann", "b1": "bob"]
    private static let tokenSeconds = 600
    private static let keySeconds = 86_400

    /// The seconds since the session began.
    var now = 0
    private var state = State()
    private var saved: State?

    var movements: [Movement] { state.movements }
    var balances: [String: Int] {
        state.movements.reduce(into: ReferenceBank.openings) { balances, movement in
            if let old = balances[movement.order.from] { balances[movement.order.from] = old - movement.pence }
            if let old = balances[movement.order.to] { balances[movement.order.to] = old + movement.pence }
        }
    }

    // MARK: tokens

    /// - Returns: the token's number.
    mutating func signIn(_ customer: String) -> Int {
        state.tokens.append(Token(customer: customer, end: now + ReferenceBank.tokenSeconds))
        return state.tokens.count - 1
    }

    mutating func expireTokens() { for number in state.tokens.indices { state.tokens[number].end = min(state.tokens[number].end, now) } }

    mutating func revokeTokens() { for number in state.tokens.indices { state.tokens[number].isRevoked = true } }

    // MARK: payments

    /// The response to a request up to its execution; nil if it may be executed, and its key is then in flight.
    mutating func admit(_ order: Order, key: String?, token: Int?) -> Response? {
        guard let token else { return Response(status: 401, error: "no-credentials") }
        guard state.tokens.indices.contains(token), !state.tokens[token].isRevoked else {
            return Response(status: 401, error: "token-rejected")
        }
        guard now < state.tokens[token].end else { return Response(status: 401, error: "token-expired") }
        guard let key else { return Response(status: 400, error: "key-missing") }
        let slot = Key(customer: state.tokens[token].customer, text: key)
        if let use = state.uses[slot], use.executed.map({ now < $0.at + ReferenceBank.keySeconds }) ?? true {
            if use.order != order { return Response(status: 422, error: "key-mismatch") }
            guard var response = use.executed?.response else { return Response(status: 409, error: "key-in-flight") }
            response.isReplay = true
            return response
        }
        state.uses[slot] = Use(order: order, executed: nil)
        return nil
    }

    /// Executes an admitted request.
    mutating func execute(_ order: Order, key: String, customer: String) -> Response {
        let response: Response
        if let pence = pence(order.amount), pence > 0 {
            response = move(order, pence, key: key, customer: customer)
        } else {
            response = Response(status: 400, error: "bad-request")
        }
        state.uses[Key(customer: customer, text: key)] = Use(order: order, executed: (now, response))
        return response
    }

    mutating func abandon(key: String, customer: String) { state.uses[Key(customer: customer, text: key)] = nil }

    private mutating func move(_ order: Order, _ pence: Int, key: String, customer: String) -> Response {
        guard ReferenceBank.owners[order.from] == customer, order.to == "p1" || ReferenceBank.owners[order.to] == customer else {
            return Response(status: 400, error: "bad-request")
        }
        if order.from == order.to { return Response(status: 400, error: "bad-request") }
        if balances[order.from, default: 0] < pence { return Response(status: 422, error: "insufficient-funds") }
        state.movements.append(Movement(key: key, order: order, pence: pence))
        return Response(status: 201, error: nil)
    }

    /// Pounds with at most two decimals.
    private func pence(_ amount: String) -> Int? {
        let parts = amount.split(separator: ".", omittingEmptySubsequences: false)
        guard let pounds = Int(parts[0]), parts.count < 3 else { return nil }
        guard parts.count == 2 else { return pounds * 100 }
        guard parts[1].count == 2, let rest = Int(parts[1]) else { return nil }
        return pounds * 100 + rest
    }

    // MARK: the session

    mutating func reset() { state = State() }

    mutating func save() { saved = state }

    /// - Returns: whether there is a snapshot.
    mutating func restore() -> Bool {
        guard let saved else { return false }
        state = saved
        dropClaims()
        return true
    }

    /// The server is killed, and starts again with its state file.
    mutating func kill() { dropClaims() }

    private mutating func dropClaims() { state.uses = state.uses.filter { $0.value.executed != nil } }
}
