import NIOCore
import NIOPosix

/// The event loops of one server. They begin on a thread of their own, so that a program can load its banks meanwhile.
package struct ServerLoops: Sendable {
    private let beginning: Task<MultiThreadedEventLoopGroup, Never>

    /// Begins the loops.
    ///
    /// - Parameter count: how many; nil for one a core.
    package init(_ count: Int? = nil) {
        beginning = Task {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: count ?? System.coreCount)
            ConnectionStart.prepare()
            return group
        }
    }

    /// The loops, once they have begun.
    var group: MultiThreadedEventLoopGroup {
        get async { await beginning.value }
    }

    /// Ends the loops of a server that never came to be. A server that has them ends them itself, in its shutdown.
    package func end() async { try? await group.shutdownGracefully() }
}
