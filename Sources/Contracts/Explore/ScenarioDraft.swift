import BankModel
import DriverProtocol
import Faults

/// A scenario that is being made: what has happened in it so far decides what makes sense next.
struct ScenarioDraft {
    private(set) var given = JSONObject()
    private(set) var steps: [JSON] = []
    /// Whether enough steps could be drawn.
    private(set) var isLongEnough = false
    private let generator: ScenarioGenerator
    private var random: SeededGenerator
    private var wireProtocol = WireProtocol.h1
    /// The payment orders that may be resumed: given by the customer who is signed in, with what the client stores about them.
    private var open: [JSONObject] = []
    private var orders = 0
    private var rules = 0
    private var mostRules = 0
    private var refusesFiles = false
    private var movesDevice = false

    /// The number of kinds in a row that add nothing before the draft ends as it is.
    private static let mostIdle = 100

    /// Longer time-outs find nothing more, and each request that hangs takes one of them.
    private static let timeouts: JSON = ["connect_ms": 400, "total_ms": 500]

    init(_ generator: ScenarioGenerator, _ random: SeededGenerator) {
        self.generator = generator
        self.random = random
    }

    /// Draws the preconditions, the weights and the steps.
    mutating func write() {
        let protocols: [WireProtocol] =
            !has(.ca) ? [.h1] : has(.h2) ? [.h1, .h1, .h1, .h1s, .h2] : [.h1, .h1, .h1, .h1s]
        wireProtocol = random.element(of: protocols) ?? .h1
        given["timeouts"] = ScenarioDraft.timeouts
        if wireProtocol != .h1 { given["protocol"] = .string(wireProtocol.rawValue) }
        mostRules = random.below(5)
        let length = 3 + random.below(23)
        let kinds = Kind.allCases.filter(isPossible)
        var weighted: [Kind] = []
        for kind in kinds {
            let isChosen = random.oneIn(3)
            let weight = 1 + random.below(6)
            if isChosen { weighted += Array(repeating: kind, count: weight) }
        }
        if signsIn, !random.oneIn(10) { steps.append("login") }
        // Without rules there is nothing to recover from.
        if mostRules > 0, isPossible(.rule) { weighted += [.rule, .rule, .rule] }
        let all = weighted.isEmpty ? kinds : weighted
        // A kind may have nothing to add now, such as a rule beyond their number, and it may be the only one that was chosen.
        var idle = 0
        while count < length, idle < ScenarioDraft.mostIdle, let kind = random.element(of: all) {
            let before = steps.count
            add(kind)
            idle = steps.count == before ? idle + 1 : 0
        }
        isLongEnough = count >= 3
        if random.oneIn(2) { recover() }
    }

    private var count: Int { steps.reduce(0) { $0 + ($1["together"]?.array?.count ?? 1) } }
    private var signsIn: Bool { generator.operations.contains(.login) && generator.bank.hasTokens }
    private func has(_ feature: DriverFeature) -> Bool { generator.features.contains(feature) }

    /// A kind of step, or of some steps that belong together.
    private enum Kind: CaseIterable {
        case read, pay, again, resume, state, tapTwice, readBeside, cancel, login, wrongPassword, other, logout, page
        case rule, endRules, offline, cold, warm, tokens, restart, kill, write, unreadable, damage, advance, device
    }

    private func isPossible(_ kind: Kind) -> Bool {
        let pays = !generator.payments.isEmpty
        return switch kind {
        case .read: !generator.reads.isEmpty
        case .pay, .again: pays
        case .resume: pays && generator.operations.contains(.resume)
        case .state: pays && generator.operations.contains(.paymentStatus)
        case .tapTwice: pays && has(.together)
        case .readBeside: generator.reads.count > 1 && has(.together)
        case .cancel: pays && has(.together) && has(.cancel)
        case .login, .tokens: signsIn
        case .wrongPassword: signsIn && generator.bank.hasLoginCall
        case .other: signsIn && generator.bank.customers.count > 1
        case .logout: signsIn && generator.operations.contains(.logout)
        case .page: generator.operations.contains(.authorizeBegin) && generator.operations.contains(.authorizeFinish)
        case .rule, .endRules: !generator.faults.isEmpty
        case .offline, .cold, .advance: true
        case .warm: generator.bank.read.map(generator.operations.contains) ?? false
        case .restart, .write, .unreadable, .damage: has(.persistence)
        case .kill: has(.persistence) && generator.operations.contains(.pay)
        case .device: has(.clock)
        }
    }

    private mutating func add(_ kind: Kind) {
        switch kind {
        case .read: if let operation = random.element(of: generator.reads) { steps.append(.string(operation.rawValue)) }
        case .pay: order(open: true)
        case .again: if let order = random.element(of: open) { steps.append(.object(order)) }
        case .resume: if let order = random.element(of: open) { steps.append(about(order, "resume")) }
        case .state: if let order = random.element(of: open) { steps.append(about(order, "payment_status")) }
        case .tapTwice: tapTwice()
        case .readBeside: steps.append(["together": .array(generator.reads.prefix(2).map { .string($0.rawValue) })])
        case .cancel: cancel()
        case .login: steps.append("login")
        case .wrongPassword: steps.append(["login": ["password": "not-the-password"]])
        case .other: signInAnother()
        case .logout: signOut()
        case .page: page()
        case .rule: rule()
        case .endRules: steps.append(["fault": "stop"])
        case .offline: if rules < mostRules { append(rule: ["fault": "refuse"]) }
        case .cold: steps.append(["connections": "cold"])
        case .warm: steps.append(["connections": "warm"])
        case .tokens: steps.append(["tokens": .string(random.oneIn(2) ? "expire" : "revoke")])
        case .restart: steps.append("restart")
        case .kill: kill()
        case .write: files("write")
        case .unreadable: files("read")
        case .damage: damage()
        case .advance: advance()
        case .device: moveDevice()
        }
    }

    /// A step that asks for a new payment order; none if nobody can pay at the bank.
    @discardableResult private mutating func order(open isOpen: Bool, asks: Bool = true) -> JSONObject? {
        guard let operation = random.element(of: generator.payments) else { return nil }
        orders += 1
        var arguments = JSONObject([("intent", .string("P\(orders)"))])
        // Amounts differ, so that orders under `together` can be distinguished.
        if operation == .pay { arguments["amount"] = .string("\(orders).\(10 + random.below(90))") }
        let step = JSONObject([(operation.rawValue, .object(arguments))])
        if isOpen { open.append(step) }
        if asks { steps.append(.object(step)) }
        return step
    }

    private func about(_ step: JSONObject, _ operation: String) -> JSON {
        let intent = step.members.first?.value["intent"] ?? .null
        return .object(JSONObject([(operation, .object(["intent": intent]))]))
    }

    private mutating func tapTwice() {
        guard let step = order(open: true, asks: false) else { return }
        steps.append(["together": .array([.object(step), .object(step)])])
    }

    /// A payment whose request the bank holds, cancelled by the user, and released.
    private mutating func cancel() {
        guard rules < mostRules, var step = order(open: true, asks: false) else { return }
        append(rule: ["fault": ["lose-reply": ["by": "hang"]], "on": ["role": "pay"], "times": 1])
        step["label"] = .string("c\(orders)")
        steps.append(["together": .array([.object(step), .object(JSONObject([("cancel", .string("c\(orders)"))]))])])
    }

    private mutating func kill() {
        guard let step = order(open: true, asks: false), step["pay"] != nil else { return }
        let moment = random.element(of: StepAction.Kill.Moment.allCases) ?? .request
        // Only a new connection is held there.
        if moment == .connect { steps.append(["connections": "cold"]) }
        steps.append(["kill": ["during": .object(step), "at": .string(moment.rawValue)]])
    }

    private mutating func signInAnother() {
        guard let login = random.element(of: generator.payers) else { return }
        open = []
        steps.append(["login": ["user": .string(login)]])
    }

    private mutating func signOut() {
        open = []
        steps.append("logout")
    }

    private mutating func page() {
        open = []
        let decision = random.element(of: ["approve", "approve", "approve", "deny"]) ?? "approve"
        steps += ["authorize_begin", ["browser": .string(decision)], "authorize_finish"]
    }

    private mutating func rule() {
        guard rules < mostRules, let kind = random.element(of: generator.faults), let fault = random.element(of: kind.settings),
            let plain = ScenarioGenerator.rule(["fault": fault]), plain.carriers.contains(wireProtocol)
        else { return }
        var rule = JSONObject([("fault", fault)])
        if !plain.point.isOfConnection, let role = random.element(of: generator.roles), !random.oneIn(5) {
            var on = JSONObject([("role", .string(role.rawValue))])
            if random.oneIn(3) { on["attempt"] = 1 }
            rule["on"] = .object(on)
        }
        if plain.kind != "refuse" { rule["times"] = .int(1 + random.below(3)) }
        append(rule: .object(rule))
        // It is for new connections.
        if plain.point.isOfConnection { steps.append(["connections": "cold"]) }
    }

    private mutating func append(rule: JSON) {
        guard ScenarioGenerator.rule(rule) != nil else { return }
        rules += 1
        steps.append(rule)
    }

    private mutating func files(_ what: String) {
        steps.append(["disk": ["refuses": .string(refusesFiles ? "nothing" : what)]])
        refusesFiles.toggle()
    }

    /// What the client kept about its payment orders may be gone after it.
    private mutating func damage() {
        open = []
        steps.append(["disk": "damage"])
    }

    /// After an hour a bank may have forgotten an idempotency key, so that no order is taken up again.
    private mutating func advance() {
        let time = random.element(of: ["5s", "2m", "10m", "2h", "25h"]) ?? "5s"
        if time.hasSuffix("h") { open = [] }
        steps.append(["advance": .string(time)])
    }

    private mutating func moveDevice() {
        movesDevice = true
        steps.append(["device_clock": .string(random.element(of: ["-1h", "-2m", "2m", "1h"]) ?? "1h")])
    }

    /// The end of all faults, and an order that must then succeed in one of three tries.
    private mutating func recover() {
        steps.append(["fault": "stop"])
        if refusesFiles { steps.append(["disk": ["refuses": "nothing"]]) }
        if movesDevice { steps.append(["device_clock": "0s"]) }
        if generator.operations.contains(.resume) { steps += open.suffix(3).map { about($0, "resume") } }
        if signsIn { steps += ["login", "login", "login"] }
        guard let step = order(open: false, asks: false) else { return }
        steps += Array(repeating: .object(step), count: 3)
    }
}
