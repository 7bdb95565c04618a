import BankModel
import Dispatch
import Platform
import ProviderCheck

/// One request on a new connection, read byte by byte to the connection's end.
struct ProbeConnection: Sendable {
    let address: ProviderAddress
    /// How long the response may take, from the request to the connection's end.
    let limit: Duration

    /// The bytes that came, and the connection, which is still open.
    struct Exchange: Sendable {
        let observation: ProbeObservation
        /// Nil if there was none.
        let socket: StreamSocket?
        /// Why there was none.
        let failure: String?
    }

    /// Sends the request and reads.
    ///
    /// It blocks a dedicated thread, for the limit and the time to connect at most, or until the task is cancelled. The caller closes the
    /// socket: until then the server sees a client that waits.
    func exchange(_ request: [UInt8]) async -> Exchange {
        let isCancelled = Locked(false)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(returning: exchangeBlocking(request) { isCancelled.withLock { $0 } })
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    private func exchangeBlocking(_ request: [UInt8], isCancelled: () -> Bool) -> Exchange {
        let milliseconds = max(1, Int(limit / .milliseconds(1)))
        let socket: StreamSocket
        do throws(StreamSocket.ConnectFailure) {
            socket = try StreamSocket.connected(to: address.host, port: address.port, milliseconds: milliseconds)
        } catch {
            return Exchange(observation: ProbeObservation([], end: .refused), socket: nil, failure: error.description)
        }
        let began = ContinuousClock.now
        send(request, socket)
        var bytes: [UInt8] = []
        var first: Duration?
        var last: Duration?
        // Whatever is between may send more than the bank, and without end.
        var isTooLong = false
        let end = read(socket, while: { !isTooLong && !isCancelled() && ContinuousClock.now < began + limit }) { piece in
            let now = ContinuousClock.now - began
            first = first ?? now
            last = now
            bytes += piece
            isTooLong = bytes.count > ProbeObservation.mostBytes
        }
        return Exchange(
            observation: ProbeObservation(bytes, end: end, first: first, last: last, duration: ContinuousClock.now - began),
            socket: socket, failure: nil)
    }

    /// Sends all of it, or as much as the other side takes.
    private func send(_ request: [UInt8], _ socket: StreamSocket) {
        var sent = 0
        while sent < request.count {
            let count = request[sent...].withUnsafeBytes { socket.send($0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Reads to the end, or for as long as the condition holds; it is asked ten times a second.
    private func read(_ socket: StreamSocket, while goesOn: () -> Bool, _ take: (ArraySlice<UInt8>) -> Void) -> ProbeObservation.End {
        socket.setTimeouts(milliseconds: 100)
        var buffer = [UInt8](repeating: 0, count: 65536)
        while goesOn() {
            let count = buffer.withUnsafeMutableBytes { socket.receive($0) }
            if count > 0 {
                take(buffer[..<count])
            } else if count == 0 {
                return .fin
            } else if errno == ECONNRESET {
                return .rst
            } else if errno != EINTR, errno != EAGAIN {
                return .silence
            }
        }
        return .silence
    }
}
