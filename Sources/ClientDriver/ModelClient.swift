package import BankClient
import BankModel
package import CounterfoilDriver
package import DriverProtocol
import Foundation

/// The model client as operated by a driver. A mutant is this one with other parts.
package struct ModelClient: ClientUnderTest {
    package var name: String
    /// It was written for the banks of ``KnownBanks``, and asks any other by its roles.
    package let banks: [String]? = nil
    package let operations = DriverOperation.allCases
    package let features: [DriverFeature] = [
        .persistence, .cache, .together, .parallel, .clock, .cancel, .refresh, .h2, .ca, .pins, .processes,
    ]
    private let compose: @Sendable (ClientParts, CaseStart) throws -> BankClient

    /// - Parameter compose: builds the client of a case from the correct parts.
    package init(
        name: String = "counterfoil-model 1",
        compose: @escaping @Sendable (ClientParts, CaseStart) throws -> BankClient = { parts, _ in BankClient(parts) }
    ) {
        self.name = name
        self.compose = compose
    }

    package func open(_ start: CaseStart) throws -> any OpenCase {
        let clock = CaseClock(start.now)
        return ModelCase(
            client: try compose(try ModelClient.parts(start, clock: clock), start), logins: [start.login] + start.customers, clock: clock)
    }

    /// The correct parts for a case; token, outbox and cached data are in its state directory.
    ///
    /// - Parameters:
    ///   - clock: the client's time; the case's own starts at the time sent with the case.
    ///   - warn: receives messages about failures that were handled.
    package static func parts(
        _ start: CaseStart, clock: any ClientClock, warn: @escaping Warn = StandardStreams.warn
    ) throws -> ClientParts {
        guard let zone = TimeZone(identifier: start.timeZone) else {
            throw ProtocolError("found time_zone \"\(start.timeZone)\", expected a name such as Europe/London")
        }
        let reading = Reading(timeZone: zone)
        let adapter = try KnownBanks.adapter(start.bank, reading, clock: clock) ?? ModelClient.ownBank(start, reading)
        let (state, keys) = (start.stateDirectory, KeyFile(path: start.stateDirectory + "/key"))
        var parts = ClientParts(
            adapter: adapter, baseURL: start.baseURL,
            transport: CurlTransport(limits: TransportLimits(start), caFile: start.caFile, pins: start.pins, clock: clock),
            store: FileTokenStore(path: state + "/token", keys: keys, warn: warn),
            outbox: SQLiteOutbox.opened(state + "/outbox.sqlite"), clock: clock)
        parts.typedAmounts = TypedAmounts(locale: start.locale ?? "en")
        if let backoff = start.timeouts.backoffMilliseconds {
            parts.paymentRetry.base = .milliseconds(backoff)
            parts.caller.retry.base = .milliseconds(backoff)
            parts.polling.base = .milliseconds(backoff)
        }
        if let bank = adapter as? any RoleBank {
            if !bank.calls.has(.pay) { parts.payments = nil }
            if !bank.calls.has(.paymentStatus) { parts.tracking = nil }
        }
        if adapter is CounterfoilBank { parts.receiver = ReceiverParts(file: state + "/webhooks.jsonl") }
        parts.images = FileImageCache(folder: state + "/images", warn: warn)
        parts.cache = FileDataCache(folder: state + "/cache", keys: keys, warn: warn)
        return parts
    }
}

extension ModelClient {
    /// The adapter of a bank that this client was not written for.
    private static func ownBank(_ start: CaseStart, _ reading: Reading) throws(ProtocolError) -> any BankAdapter {
        guard let calls = OwnCalls(start.roles) else {
            throw ProtocolError(
                "found bank \"\(start.bank)\" without roles, expected \(oneOf(KnownBanks.names)), or the roles of its calls")
        }
        if calls.has(.login) { return OwnLoginBank(start.bank, calls, reading) }
        return OwnBank(start.bank, calls, usesTokens: start.login.token != nil || start.login.user != nil, reading)
    }
}

extension TransportLimits {
    /// The timeouts that a case sets for one attempt.
    package init(_ start: CaseStart) {
        self.init(connect: .milliseconds(start.timeouts.connectMilliseconds), total: .milliseconds(start.timeouts.totalMilliseconds))
    }
}

struct ModelCase: OpenCase {
    let client: BankClient
    /// The case's own customer first.
    let logins: [CaseStart.Login]
    let clock: CaseClock

    func perform(_ step: Step) async -> StepResult {
        clock.set(step.now)
        guard let operation = step.operation, client.operations.contains(operation) else { return .unsupported }
        do throws(ClientFailure) {
            return .ok(view: try await view(operation, step.arguments))
        } catch {
            return .error(error.error.rawValue, detail: error.detail)
        }
    }

    private func view(_ operation: DriverOperation, _ arguments: StepArguments) async throws(ClientFailure) -> JSON {
        switch operation {
        case .login:
            try await signIn(arguments)
            return ["signed_in": true]
        case .authorizeBegin: return ["url": .string(try await client.beginSignIn())]
        case .authorizeFinish:
            let url = try arguments.required("url", "the end of a sign-in needs a url")
            return ["signed_in": .bool(try await client.finishSignIn(url))]
        case .logout:
            try await client.signOut()
            return ["signed_in": false]
        case .status:
            let (signedIn, prompts) = try await client.status()
            return ViewJSON.status(signedIn: signedIn, prompts: prompts)
        case .accounts: return ViewJSON.accounts(try await client.accounts())
        case .balance: return ViewJSON.balance(try await client.balance(of: arguments["account"]))
        case .transactions: return ViewJSON.transactions(try await client.transactions(of: arguments["account"], arguments.period))
        case .atms: return ViewJSON.atms(try await client.atms())
        case .goals: return ViewJSON.goals(try await client.goals(of: arguments["account"]))
        case .image: return ViewJSON.image(try await client.image(try arguments.required("path", "an image needs a path")))
        case .pay: return ViewJSON.payment(try await client.pay(try arguments.intent(), try arguments.order(client.typedAmounts)))
        case .resume: return ViewJSON.payment(try await client.resume(try arguments.intent()))
        case .roundUp:
            let roundUp = try await client.roundUp(try arguments.intent(), account: arguments["account"], goal: arguments["goal"])
            return ViewJSON.roundUp(roundUp)
        case .quote:
            let (amount, target) = try arguments.quoted()
            return ViewJSON.quote(try await client.quote(try arguments.intent(), for: amount, in: target))
        case .watch: return ViewJSON.watched(try await client.watch(try arguments.required("account", "a watch needs an account")))
        case .events:
            return ViewJSON.events(try client.events(secret: arguments["secret"], isHeld: arguments["handling"] == "held"))
        case .challengeAnswer:
            let (state, receipt) = try await client.answerChallenge(arguments["intent"], code: arguments["code"])
            return ViewJSON.challenge(state, receipt)
        case .consents: return ViewJSON.consents(try await client.consents())
        case .consentRevoke:
            try await client.revokeConsent(try arguments.required("consent", "the end of a consent needs its id"))
            return ["state": .string(GivenConsent.State.revoked.rawValue)]
        case .paymentStatus:
            return ViewJSON.progress(try await client.paymentState(try arguments.intent(), untilEnded: arguments["until"] == "final"))
        }
    }

    private func signIn(_ arguments: StepArguments) async throws(ClientFailure) {
        let named = arguments["user"]
        let login = logins.first { named == nil || $0.user == named }
        if client.signsInByCall {
            guard let user = named ?? login?.user, let password = arguments["password"] ?? login?.password else {
                throw ClientFailure(.unauthorized, "the case has no user name and password", mayHaveLeft: false)
            }
            try await client.signIn(user: user, password: password)
        } else {
            guard let token = arguments["token"] ?? login?.token else {
                throw ClientFailure(.unauthorized, "the case has no token", mayHaveLeft: false)
            }
            try await client.signIn(token: token, of: named ?? login?.user)
        }
    }
}

/// A driver on standard input and output: `counterfoil client --drive` and the mutants run it.
package enum StandardStreams {
    /// Operates the client until standard input ends.
    package static func drive(_ client: any ClientUnderTest) async {
        let output = LineOutput(descriptor: STDOUT_FILENO)
        let errors = LineOutput(descriptor: STDERR_FILENO)
        var loop = DriverLoop(client, write: { output.write($0.line) }, complain: { errors.write("counterfoil client: \($0)".inOneLine) })
        await loop.run(LineInput.lines())
    }

    /// Reports to a user on standard error.
    @Sendable package static func warn(_ text: String) {
        LineOutput(descriptor: STDERR_FILENO).write("counterfoil client: \(text)".inOneLine)
    }
}
