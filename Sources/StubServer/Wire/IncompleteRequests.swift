import NIOCore
import Platform

/// Limits the bytes of incomplete requests on all connections and streams of a server together.
///
/// ``WireLimits`` bounds each request, but not their number. Above the limit the largest request is rejected. A request that comes
/// whole in one read is never counted.
final class IncompleteRequests: Sendable {
    /// The maximum in bytes.
    let limit: Int
    private let state = Locked(State())

    private struct State {
        var total = 0
        var holders: [ObjectIdentifier: Holder] = [:]
    }

    private struct Holder {
        var bytes: Int
        let reject: @Sendable () -> Void
    }

    init(limit: Int) { self.limit = limit }

    /// The bytes counted now.
    var total: Int { state.withLock { $0.total } }

    /// Counts the bytes of a request, in place of its earlier count.
    ///
    /// - Parameters:
    ///   - holder: the reader of the request, which must ``release(_:)`` it.
    ///   - reject: called on the holder's loop if the limit is exceeded and its request is the largest.
    fileprivate func hold<Reader: AnyObject>(
        _ bytes: Int, by holder: Reader, on loop: any EventLoop, reject: @escaping @Sendable (Reader, WireRejection) -> Void
    ) {
        let bound = NIOLoopBound(holder, eventLoop: loop)
        let largest = state.withLock { state -> Holder? in
            let id = ObjectIdentifier(holder)
            state.total += bytes - (state.holders[id]?.bytes ?? 0)
            state.holders[id] = Holder(bytes: bytes) { [limit] in loop.execute { reject(bound.value, .incompleteRequests(limit)) } }
            guard state.total > limit, let largest = state.holders.max(by: { $0.value.bytes < $1.value.bytes }) else { return nil }
            state.total -= largest.value.bytes
            return state.holders.removeValue(forKey: largest.key)
        }
        largest?.reject()
    }

    /// Ends the count of a request that has ended or was given up.
    fileprivate func release(_ holder: AnyObject) {
        state.withLock { state in
            guard let held = state.holders.removeValue(forKey: ObjectIdentifier(holder)) else { return }
            state.total -= held.bytes
        }
    }
}

/// The part of one reader, a connection or stream, in ``IncompleteRequests``: as long as it has none, it needs no lock.
struct IncompleteCount {
    private let all: IncompleteRequests
    private var isCounted = false

    init(in all: IncompleteRequests) { self.all = all }

    /// Counts the bytes of the reader's request; 0 if it is not incomplete.
    ///
    /// - Parameter reject: called on the reader's loop if its request is to be rejected.
    mutating func set<Reader: AnyObject>(
        _ bytes: Int, by reader: Reader, on loop: any EventLoop, reject: @escaping @Sendable (Reader, WireRejection) -> Void
    ) {
        guard bytes > 0 else { return end(by: reader) }
        isCounted = true
        all.hold(bytes, by: reader, on: loop, reject: reject)
    }

    /// Ends the count.
    mutating func end(by reader: AnyObject) {
        if isCounted { all.release(reader) }
        isCounted = false
    }
}
