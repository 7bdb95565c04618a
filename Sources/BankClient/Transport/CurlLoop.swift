import BankModel
import CCurl
import Foundation
import Platform

/// One libcurl multi handle on a dedicated thread.
///
/// Other threads only enqueue commands in an inbox and wake the loop; every other call to libcurl is the loop's own.
final class CurlLoop: Sendable {
    enum Command: Sendable {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
        /// Reports the loop's load.
        case count(@Sendable (CurlLoad) -> Void)
    }

    private struct Shared {
        var inbox: [Command] = []
        var stopping = false
        /// True while the loop waits in `curl_multi_poll` or is about to: only then must it be woken.
        var isPolling = false
        /// The multi handle's address while the loop runs: `curl_multi_wakeup` is the one call allowed from any thread.
        var multi: UInt?
    }

    private let shared = Locked(Shared())
    private let common: CurlCommon

    init(_ common: CurlCommon) { self.common = common }

    /// Starts the thread; it runs until ``stop()``.
    func start() {
        let thread = Thread { self.run() }
        thread.name = "curl-loop"
        thread.start()
    }

    func submit(_ command: Command) {
        shared.withLock { shared in
            shared.inbox.append(command)
            CurlLoop.wake(&shared)
        }
    }

    /// Ends the thread; transfers in progress end as cancelled.
    func stop() {
        shared.withLock { shared in
            shared.stopping = true
            CurlLoop.wake(&shared)
        }
    }

    private static func wake(_ shared: inout Shared) {
        guard shared.isPolling, let multi = shared.multi.flatMap(UnsafeMutableRawPointer.init(bitPattern:)) else { return }
        shared.isPolling = false
        ccurl_multi_wakeup(multi)
    }

    private func run() {
        guard let multi = ccurl_multi_init() else { return runWithoutCurl() }
        let address = UInt(bitPattern: multi)
        shared.withLock { $0.multi = address }
        let transfers = CurlTransfers(multi: multi, common: common)
        var commands: [Command] = []
        while drainInbox(into: &commands) {
            for command in commands { carryOut(command, transfers) }
            // Commands that arrived meanwhile are processed in the same round: each round costs libcurl a look at every
            // transfer.
            guard drainInbox(into: &commands) else { break }
            for command in commands { carryOut(command, transfers) }
            transfers.perform()
            if mayWait() { ccurl_multi_poll(multi, nil, 0, 10_000, nil) }
        }
        transfers.endAll()
        let unread = shared.withLock { shared in
            shared.multi = nil
            defer { shared.inbox = [] }
            return shared.inbox
        }
        for command in unread { CurlLoop.fail(command, "the transport has ended") }
        ccurl_multi_cleanup(multi)
    }

    private func carryOut(_ command: Command, _ transfers: CurlTransfers) {
        switch command {
        case .start(let transfer): transfers.start(transfer)
        case .cancel(let transfer): transfers.cancel(transfer)
        case .count(let report): report(transfers.load)
        }
    }

    /// Drains the inbox into `commands`, and gives it their memory for reuse; false when the loop is to end.
    private func drainInbox(into commands: inout [Command]) -> Bool {
        commands.removeAll(keepingCapacity: true)
        return shared.withLock { shared in
            shared.isPolling = false
            guard !shared.stopping else { return false }
            swap(&commands, &shared.inbox)
            return true
        }
    }

    /// True if the inbox has remained empty since it was drained; a later command wakes the loop.
    private func mayWait() -> Bool {
        shared.withLock { shared in
            shared.isPolling = shared.inbox.isEmpty && !shared.stopping
            return shared.isPolling
        }
    }

    private func runWithoutCurl() {
        var commands: [Command] = []
        while drainInbox(into: &commands) {
            for command in commands { CurlLoop.fail(command, "libcurl could not be started") }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    /// Ends a command that is not carried out.
    private static func fail(_ command: Command, _ reason: String) {
        switch command {
        case .start(let transfer): transfer.end(.failure(TransportFailure(.offline, reason, mayHaveLeft: false)))
        case .cancel: break
        case .count(let report): report(CurlLoad())
        }
    }
}

/// The sockets that libcurl has opened for one multi handle. Confined to the loop's thread.
///
/// libcurl 7.88.1 does not look at a kept connection under TLS before it uses it again: bytes that the server has sent behind a
/// complete response become the response to the next request (measured; RFC 9112 §6.3 forbids it).
final class CurlSockets {
    private var open: [StreamSocket] = []

    /// Adds a socket that libcurl has opened, and forgets those that are closed.
    func add(_ descriptor: curl_socket_t) {
        let socket = StreamSocket(descriptor: descriptor)
        open.removeAll { $0 == socket || $0.port == nil }
        open.append(socket)
    }

    /// Whether bytes wait on the connection with that port on this side.
    func hasUnreadBytes(localPort: Int32) -> Bool { open.contains { $0.port == Int(localPort) && $0.hasUnreadBytes } }
}
