import NIOCore
import Synchronization

/// The bytes of requests that have begun and not ended, on all connections and streams of a server: one bound for all of them.
///
/// Each request alone is bounded by ``WireLimits``, but not their number. Where they are too many bytes together, the largest is told.
/// A request that comes whole in one read is never counted.
final class HalfRequests: Sendable {
    /// In bytes.
    let limit: Int
    private let state = Mutex(State())

    private struct State {
        var total = 0
        var holders: [ObjectIdentifier: Holder] = [:]
    }

    private struct Holder {
        var bytes: Int
        let refuse: @Sendable () -> Void
    }

    init(limit: Int) { self.limit = limit }

    /// How many bytes there are by now.
    var total: Int { state.withLock { $0.total } }

    /// Counts what is held of a request, in place of what was counted of it before.
    ///
    /// - Parameters:
    ///   - holder: who reads the request; it must ``release(_:)`` it.
    ///   - refuse: called on the holder's loop if its request is the largest of too many.
    func hold<Reader: AnyObject>(
        _ bytes: Int, by holder: Reader, on loop: any EventLoop, refuse: @escaping @Sendable (Reader) -> Void
    ) {
        let bound = NIOLoopBound(holder, eventLoop: loop)
        let largest = state.withLock { state -> Holder? in
            let id = ObjectIdentifier(holder)
            state.total += bytes - (state.holders[id]?.bytes ?? 0)
            state.holders[id] = Holder(bytes: bytes) { loop.execute { refuse(bound.value) } }
            guard state.total > limit, let largest = state.holders.max(by: { $0.value.bytes < $1.value.bytes }) else { return nil }
            state.total -= largest.value.bytes
            return state.holders.removeValue(forKey: largest.key)
        }
        largest?.refuse()
    }

    /// The request has ended, or is given up.
    func release(_ holder: AnyObject) {
        state.withLock { state in
            guard let held = state.holders.removeValue(forKey: ObjectIdentifier(holder)) else { return }
            state.total -= held.bytes
        }
    }
}
