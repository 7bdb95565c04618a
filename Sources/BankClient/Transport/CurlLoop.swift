import BankModel
import CCurl
import Foundation
import Synchronization

/// One libcurl multi handle on one thread of its own.
///
/// Other threads only put commands into an inbox and wake the loop; every other call to libcurl is the loop's own.
final class CurlLoop: Sendable {
    enum Command: Sendable {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
    }

    private struct Shared {
        var inbox: [Command] = []
        var stopping = false
        /// The multi handle's address while the loop runs: `curl_multi_wakeup` is the one call allowed from any thread.
        var multi: UInt?
    }

    private let shared = Mutex(Shared())
    private let caFile: String?

    init(caFile: String?) { self.caFile = caFile }

    /// Starts the thread; it runs until ``stop()``.
    func start() {
        let thread = Thread { self.run() }
        thread.name = "counterfoil-curl"
        thread.start()
    }

    func submit(_ command: Command) {
        shared.withLock { shared in
            shared.inbox.append(command)
            CurlLoop.wake(shared)
        }
    }

    /// Ends the thread; what is under way ends as cancelled.
    func stop() {
        shared.withLock { shared in
            shared.stopping = true
            CurlLoop.wake(shared)
        }
    }

    private static func wake(_ shared: borrowing Shared) {
        guard let multi = shared.multi.flatMap(UnsafeMutableRawPointer.init(bitPattern:)) else { return }
        ccurl_multi_wakeup(multi)
    }

    private func run() {
        guard let multi = ccurl_multi_init() else { return runWithoutCurl() }
        let address = UInt(bitPattern: multi)
        shared.withLock { $0.multi = address }
        var active: [UInt: CurlEasy] = [:]
        while let commands = nextCommands() {
            for command in commands { carryOut(command, multi, &active) }
            var running: Int32 = 0
            ccurl_multi_perform(multi, &running)
            collect(multi, &active)
            ccurl_multi_poll(multi, nil, 0, 10_000, nil)
        }
        for easy in active.values {
            ccurl_multi_remove_handle(multi, easy.handle)
            easy.transfer.end(.failure(easy.cancelled))
        }
        shared.withLock { $0.multi = nil }
        ccurl_multi_cleanup(multi)
    }

    /// Empties the inbox; nil when the loop is to end.
    private func nextCommands() -> [Command]? {
        shared.withLock { shared in
            guard !shared.stopping else { return nil }
            defer { shared.inbox = [] }
            return shared.inbox
        }
    }

    private func carryOut(_ command: Command, _ multi: UnsafeMutableRawPointer, _ active: inout [UInt: CurlEasy]) {
        switch command {
        case .start(let transfer):
            guard !transfer.isCancelled else {
                return transfer.end(.failure(TransportFailure(.cancelled, "called off before it began", mayHaveLeft: false)))
            }
            guard let easy = CurlEasy(transfer, caFile: caFile), ccurl_multi_add_handle(multi, easy.handle) == CURLM_OK else {
                return transfer.end(.failure(TransportFailure(.offline, "libcurl refused the request", mayHaveLeft: false)))
            }
            active[UInt(bitPattern: easy.handle)] = easy
        case .cancel(let transfer):
            guard let (address, easy) = active.first(where: { $0.value.transfer === transfer }) else { return }
            ccurl_multi_remove_handle(multi, easy.handle)
            active[address] = nil
            transfer.end(.failure(easy.cancelled))
        }
    }

    private func collect(_ multi: UnsafeMutableRawPointer, _ active: inout [UInt: CurlEasy]) {
        var left: Int32 = 0
        while let message = ccurl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let easy = active.removeValue(forKey: UInt(bitPattern: handle))
            else { continue }
            let outcome = easy.outcome(message.pointee.data.result)
            ccurl_multi_remove_handle(multi, handle)
            easy.transfer.end(outcome)
        }
    }

    private func runWithoutCurl() {
        while let commands = nextCommands() {
            for case .start(let transfer) in commands {
                transfer.end(.failure(TransportFailure(.offline, "libcurl could not be started", mayHaveLeft: false)))
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }
}
