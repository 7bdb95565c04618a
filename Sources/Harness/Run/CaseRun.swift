import BankModel
import Contracts
import DriverProtocol
import Faults
import Foundation

/// One instance under way: does its steps and gathers the evidence.
actor CaseRun {
    let instance: Instance
    /// The case's id in the driver protocol.
    let id: String
    let session: any TestSession
    /// For a client to trust, where the session speaks TLS.
    let caFile: String?
    /// For a client to pin, where the case is about that.
    let pins: [String]
    let limits: Limits
    let clock: any Clock<Duration>
    /// Whether a response after which its connection ends announces it.
    let announcesEnds: Bool
    /// The only folder the client may write to.
    let folder: URL
    let drivers: DriverPool
    /// Whether the process is only this case's.
    let isAlone: Bool

    /// All that the run shows, from which the verdict follows.
    var evidence: Evidence

    // The client's processes.
    let stderr = StderrTail()
    /// How much the driver had written to stderr when the case began.
    var stderrBefore = 0
    /// By the number of the process: 1 is the app, 2 a second process of it.
    var processes: [Int: GreetedDriver] = [:]
    /// False once the driver has done what no driver may: it is not used again.
    var isUsable = true
    /// The steps in which the process is killed on purpose.
    var killed: Set<Int> = []
    /// The rules of the kills for which no request came, by step.
    var unmetKillRules: [Int: String] = [:]
    /// All messages of the client beside its results, by step: the evidence has the beginnings.
    var freeTexts: [Int: String] = [:]

    // The client's sign-in, its receiver of webhooks and its clock.
    /// Comes with the case, at a bank without a call to sign in.
    private var firstToken: String?
    /// Whether that token is used up, so that a further sign-in needs another.
    var hasSignedIn = false
    var signIn = CaseSignIn()
    /// The client's receiver of webhooks: its address, and the secret that the bank signs with.
    var receiver: (url: String?, secret: String?) = (nil, nil)
    /// How far the device's clock is ahead of the bank's.
    var deviceAhead = Duration.zero

    // The client's files.
    /// Whether writes to them fail.
    var blocksWrites = false
    /// Those that cannot be read now.
    var unreadable: UnreadableFiles?
    /// Makes the files work again after a failure that lasts for a time.
    var diskFailureTimer: Task<Void, Never>?

    init(
        _ instance: Instance, id: String, session: any TestSession, caFile: String? = nil, pins: [String] = [], drivers: DriverPool,
        isAlone: Bool, folder: URL, limits: Limits, clock: any Clock<Duration>, announcesEnds: Bool = true
    ) {
        self.instance = instance
        self.id = id
        self.session = session
        self.caFile = caFile
        self.pins = instance.features.contains(.pins) ? pins : []
        self.drivers = drivers
        self.isAlone = isAlone
        self.folder = folder
        self.limits = limits
        self.clock = clock
        self.announcesEnds = announcesEnds || instance.given.wireProtocol != .h2
        evidence = Evidence(
            seed: session.seed, baseURL: session.baseURL,
            expected: session.expectedViews(customer: instance.customer?.login ?? "", timeZone: instance.given.timeZone))
        guard instance.bank.hasTokens else { return }
        for other in instance.bank.customers where other.login != instance.customer?.login {
            evidence.othersViews[other.login] = session.expectedViews(customer: other.login, timeZone: instance.given.timeZone)
        }
    }

    /// Runs the case from its beginning to its end.
    func perform() async -> Evidence {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            if !instance.bank.hasLoginCall, instance.bank.hasTokens, let customer = instance.customer {
                firstToken = try session.issueToken(login: customer.login).text
            }
        } catch {
            evidence.harnessTrouble = "the case could not be prepared: \(error)"
            return evidence
        }
        do {
            if let plan = instance.given.plan { try start(outage: plan.name, step: 0) }
        } catch {
            evidence.harnessTrouble = "the outage \(instance.given.plan?.name ?? "") was rejected by the bank: \(error)"
            return evidence
        }
        if await begin() {
            for step in instance.steps where goesOn {
                await perform(step)
                noteMachineClock()
                // What the client sends by itself after a result is evidence of the try-out.
                if instance.isTryOut { await session.journalChanged(since: session.journal().entries.last?.seq ?? 0, within: limits.quiet) }
            }
            await endDiskFailures()
            await end()
        }
        await session.waitForExchanges(within: limits.receipts)
        gather()
        return evidence
    }

    /// Notes how far the machine's clock was set until now.
    func noteMachineClock() { evidence.clockWasSet = session.machineClockWasSet() }

    /// Whether a further step makes sense.
    private var goesOn: Bool {
        evidence.harnessTrouble == nil && evidence.clientTrouble == nil && evidence.beyondMachine == nil && !signIn.hasFailed
            && !evidence.steps.values.contains { $0.outcome == .unsupported }
    }

    private func begin() async -> Bool {
        let started = isAlone ? await drivers.startOwn(ownStart) : await drivers.checkOut()
        switch started {
        case .success(let driver):
            processes[1] = driver
            stderrBefore = isAlone ? 0 : driver.process.stderr.total
        case .failure(let fault):
            evidence.harnessTrouble = "\(fault)"
            isUsable = false
            return false
        }
        guard let fault = await start(1, resumed: false) else { return true }
        evidence.harnessTrouble = "the driver was not ready for the case: \(fault)"
        isUsable = false
        await release()
        return false
    }

    /// The back-off that clients receive where their own does not matter: enough for a bank that answers at once.
    private static let backoffMilliseconds = 20

    /// Sends the case to a process and waits until it is ready.
    func start(_ process: Int, resumed: Bool) async -> DriverFault? {
        guard let driver = processes[process] else { return .cancelled }
        var message = CaseStart(
            id: id, baseURL: baseURL, stateDirectory: folder.path, bank: instance.bank.name, login: login(resumed))
        message.customers = instance.otherCustomers.map {
            CaseStart.Login(user: $0.login, password: instance.bank.takesPasswords ? $0.password : nil)
        }
        message.roles = instance.bank.rolesJSON
        message.caFile = instance.given.wireProtocol == .h1 ? nil : caFile
        message.pins = pins
        message.timeZone = instance.given.timeZone
        message.locale = instance.given.locale
        message.timeouts = instance.given.timeouts
        message.timeouts.backoffMilliseconds = instance.measuresPauses ? nil : CaseRun.backoffMilliseconds
        message.resumed = resumed
        message.now = session.now + deviceAhead
        message.process = process
        driver.process.inbox.ask(.ready(id))
        driver.process.send(.start(message))
        do throws(DriverFault) {
            _ = try await driver.process.inbox.wait(for: .ready(id), within: limits.start)
            return nil
        } catch { return error }
    }

    /// The bank's address that the client receives.
    private var baseURL: String {
        guard instance.given.address == .unresolvable else { return session.baseURL }
        return (instance.given.wireProtocol == .h1 ? "http" : "https") + "://no-such-bank.invalid"
    }

    private func login(_ resumed: Bool) -> CaseStart.Login {
        let customer = instance.bank.hasTokens ? instance.customer : nil
        let password = instance.bank.takesPasswords ? customer?.password : nil
        // A token handed over is for the first sign-in; after a restart the client uses what it has stored.
        return CaseStart.Login(user: customer?.login, password: password, token: resumed ? nil : firstToken)
    }

    /// Notes what the driver did wrong. It has been ready once, so if it hangs or ends, the client is at fault.
    func trouble(_ fault: DriverFault, _ when: String) {
        // A driver that answers one message wrongly can get the next, and other cases may be using it.
        if case .mistake = fault {
            evidence.harnessTrouble = evidence.harnessTrouble ?? "\(fault) (\(when))"
            return
        }
        isUsable = false
        switch fault {
        case .hung(let limit):
            evidence.clientTrouble = evidence.clientTrouble ?? "the client hung \(when): no response within \(limit.shortText)"
        case .gone(let how): evidence.clientTrouble = evidence.clientTrouble ?? "the client crashed \(when): the driver \(how)"
        case .ended where evidence.clientTrouble != nil: break
        case .ended, .cannotStart, .protocolBroken, .mistake, .cancelled:
            evidence.harnessTrouble = evidence.harnessTrouble ?? "\(fault) (\(when))"
        }
    }

    /// The arguments with which an operation is asked for, what the case leaves open filled from the bank's defaults for
    /// the customer who is signed in. A step that names the account itself gets no goal: the default one is another account's.
    /// A customer who is named without a password signs in with the right one.
    func arguments(of operation: DriverOperation, _ given: [StepAction.Argument]) throws -> JSON {
        var object = session.defaults(of: operation, customer: signIn.customer ?? instance.customer?.login)
        if given.contains(where: { $0.name == "account" }) { object["goal"] = nil }
        if operation == .login {
            let named = given.first { $0.name == "user" }?.value
            if !instance.bank.hasLoginCall, instance.bank.hasTokens, hasSignedIn || named != nil,
                let login = named ?? instance.customer?.login
            {
                object["token"] = .string(try session.issueToken(login: login).text)
                object["user"] = .string(login)
            }
            if instance.bank.takesPasswords, let other = instance.bank.customers.first(where: { $0.login == named }) {
                object["password"] = .string(other.password)
            }
            hasSignedIn = true
        }
        if operation == .authorizeFinish { object["url"] = signIn.redirect.map(JSON.string) }
        if operation == .events { object["secret"] = receiver.secret.map(JSON.string) }
        if operation == .consentRevoke { object["consent"] = session.authorisedConsent.map(JSON.string) }
        for argument in given { object[argument.name] = .string(argument.value) }
        return .object(object)
    }

    /// Starts a plan; its rules count as armed by that step.
    func start(outage name: String, step: Int) throws {
        let (rules, seed) = try session.start(outage: name)
        evidence.outages.append(Evidence.Outage(name: name, seed: seed))
        evidence.rules += rules.map { Evidence.ArmedRule(step: step, id: $0.id, rule: $0.rule, applied: 0) }
    }

    /// Ends the plan that runs; its rules' counts are lost after that.
    func endOutage() {
        countApplications()
        session.endOutage()
    }

    /// Removes the rules that steps have set; their counts are lost after that.
    func endFaults() {
        countApplications()
        for armed in evidence.rules { session.remove(rule: armed.id) }
    }

    /// Whether a rule has changed the content of a response by now, so that what the client shows may be what the rule made.
    var hasChangedContent: Bool {
        session.journal().entries.contains { exchange in
            exchange.faults.contains { $0.applied && FaultKinds.effects(of: $0.kind).contains(.changesContent) }
        }
    }

    /// Notes how often each rule has been applied so far.
    func countApplications() {
        let applied = session.appliedCounts()
        for index in evidence.rules.indices {
            guard let count = applied[evidence.rules[index].id] else { continue }
            evidence.rules[index].applied = count
        }
    }
}
