import BankModel
import DriverProtocol
import Platform

/// The stream of one customer, from which one account is shown: connects, reads what arrives, and connects again.
final class AccountWatch: Sendable {
    let account: String
    let customer: String
    private let parts: StreamParts
    private let caller: BankCaller
    private let state: Locked<State>

    private struct State {
        var shown: WatchedAccount
        var parser = EventStreamParser()
        var isOpen = false
        /// The connections that brought nothing, one after the other.
        var failures = 0
        /// When an event came last, or the stream was opened.
        var lastChange = Duration.zero
        /// Why the stream has ended for good.
        var end: ClientFailure?
    }

    init(_ account: String, of customer: String, _ parts: StreamParts, _ caller: BankCaller) {
        self.account = account
        self.customer = customer
        self.parts = parts
        self.caller = caller
        state = Locked(State(shown: WatchedAccount(account, parts.rules)))
    }

    var hasEnded: Bool { state.withLock { $0.end != nil } }

    // MARK: the connection

    /// Connects, again and again, until the stream ends for good or the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let failure = await connect()
            let wait = state.withLock { state -> Duration? in
                state.failures = state.isOpen ? 0 : state.failures + 1
                state.isOpen = false
                guard state.end == nil else { return nil }
                let wait = parts.rules.wait(failure, state.failures, state.parser.retry)
                if wait == nil { state.end = failure ?? AccountWatch.nothing }
                return wait
            }
            guard let wait, (try? await caller.clock.sleep(for: wait)) != nil else { return }
        }
    }

    private static let nothing = ClientFailure(.unavailable, "the bank's stream repeatedly ends at once", mayHaveLeft: true)

    /// One connection, from its beginning to its end.
    ///
    /// - Returns: why it ended; nil if the bank has ended it.
    private func connect() async -> ClientFailure? {
        var call = parts.bank.stream
        let lastID = state.withLock { state -> String in
            state.parser = EventStreamParser(lastID: state.parser.lastID, retry: state.parser.retry)
            return state.parser.lastID
        }
        if parts.rules.resumes, !lastID.isEmpty { call.headers["Last-Event-ID"] = lastID }
        var caller = caller
        caller.transport = ReceivingTransport(base: parts.transport, longest: parts.longest) { self.receive($0) }
        do throws(ClientFailure) {
            let answer = try await caller.exchange(call, of: customer)
            if answer.verdict.error != nil { return caller.failure(answer) }
            return answer.response.isEventStream
                ? nil : ClientFailure(.decode, "found no stream of events, expected text/event-stream", mayHaveLeft: true)
        } catch { return error }
    }

    /// Takes a piece of the stream; false ends the connection.
    private func receive(_ bytes: [UInt8]) -> Bool {
        state.withLock { state -> Bool in
            let events: [ServerSentEvent]
            do throws(EventStreamParser.EventTooLong) { events = try state.parser.read(bytes) } catch {
                state.end = ClientFailure(.tooLarge, "found an event of more than \(error.limit) bytes", mayHaveLeft: true)
                return false
            }
            if !state.isOpen || !events.isEmpty { state.lastChange = caller.clock.uptime() }
            state.isOpen = true
            for event in events {
                guard let change = parts.bank.change(event).flatMap(parts.rules.change) else { continue }
                state.shown.apply(change, number: parts.bank.number(of: event.id))
            }
            return true
        }
    }

    // MARK: what is shown

    /// What the client shows once the stream is open and quiet; after the longest wait, what it shows then.
    func settled() async throws(ClientFailure) -> ShownAccount {
        let began = caller.clock.uptime()
        while true {
            let now = caller.clock.uptime()
            let (isOpen, needsRead, lastChange, end) = state.withLock { ($0.isOpen, $0.shown.needsRead, $0.lastChange, $0.end) }
            if let end { throw end }
            if isOpen, needsRead {
                try await read()
                continue
            }
            if isOpen && now - max(lastChange, began) >= parts.quiet || now - began >= parts.patience {
                guard var shown = state.withLock({ $0.shown.shown }) else {
                    throw ClientFailure(.timeout, "the bank's stream does not open", mayHaveLeft: true)
                }
                shown.isStale = !isOpen
                return shown
            }
            guard (try? await caller.clock.sleep(for: .milliseconds(20))) != nil else {
                throw ClientFailure(.cancelled, "cancelled while the account was watched", mayHaveLeft: true)
            }
        }
    }

    /// Reads account and rows. The stream is open already, so that nothing is missed in between.
    private func read() async throws(ClientFailure) {
        state.withLock { $0.shown.beginRead() }
        do throws(ClientFailure) {
            let balance = try await parts.bank.balance(caller, account: account)
            let rows = try await parts.bank.transactions(caller, account: account, Period()).rows
            state.withLock { $0.shown.endRead(balance, rows) }
        } catch {
            state.withLock { $0.shown.abandonRead() }
            throw error
        }
    }
}

/// Hands the body of a stream over as it arrives.
private struct ReceivingTransport: HTTPTransport {
    let base: any StreamingTransport
    let longest: Duration
    let receive: @Sendable ([UInt8]) -> Bool

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse {
        try await base.send(request, within: longest, receive: receive)
    }
}

/// The watch that is open, at most one.
final class OpenWatch: Sendable {
    private let open = Locked<(watch: AccountWatch, task: Task<Void, Never>)?>(nil)

    deinit { close() }

    /// The watch of that account and customer; another one ends.
    func watch(_ account: String, of customer: String, _ make: () -> AccountWatch) -> AccountWatch {
        open.withLock { open -> AccountWatch in
            if let open, open.watch.account == account, open.watch.customer == customer, !open.watch.hasEnded { return open.watch }
            open?.task.cancel()
            let watch = make()
            open = (watch, Task { await watch.run() })
            return watch
        }
    }

    /// Ends the watch, and its connection with it.
    func close() {
        open.withLock { open in
            open?.task.cancel()
            open = nil
        }
    }
}

extension BankClient {
    /// Watches an account: its balance and its rows as the bank's stream brings them, once it is quiet. The first call opens the stream, and
    /// reads the account once; it stays open until somebody signs in or out.
    ///
    /// - Throws: ``ClientFailure``: why the stream has ended for good; the next call opens another one.
    package func watch(_ account: String) async throws(ClientFailure) -> ShownAccount {
        guard let stream = parts.stream else { throw notOffered(.watch) }
        let token = try await parts.caller.token()
        let watch = openWatch.watch(account, of: token.customer) {
            AccountWatch(account, of: token.customer, stream, parts.caller)
        }
        return try await watch.settled()
    }
}
