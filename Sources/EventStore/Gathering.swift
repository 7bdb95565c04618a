/// The number of commands for which a commit waits, so that commands at the same time share pages and an fsync.
///
/// A commit writes some pages and one fsync however few commands it has. Under load the writer therefore lets more gather, but only while
/// they come: the goal rises as long as it is reached in time. When it is not it falls to half of what came, and then stays for a while: a
/// few clients who all wait for one commit are not made to wait for each other. A single client is never kept waiting, but once after
/// others have left.
struct Gathering {
    /// The commands to wait for, at least 1.
    private(set) var goal = 1
    /// The commits before the goal may rise again.
    private var steady = 0

    /// The longest wait for the goal.
    static let longestWaitMicroseconds = 1000
    /// The commits for which a goal stays that was too high before.
    private static let steadyCommits = 64
    private static let highestGoal = 128

    /// Learns from a commit.
    ///
    /// - Parameters:
    ///   - count: the commands that it has.
    ///   - isInTime: true if the goal was reached before the longest wait was over.
    mutating func committed(_ count: Int, isInTime: Bool) {
        guard isInTime else {
            goal = max(1, count / 2)
            steady = Gathering.steadyCommits
            return
        }
        guard steady == 0 else { return steady -= 1 }
        // One command alone is no load.
        if count > 1 { goal = min(goal + goal / 4 + 1, Gathering.highestGoal) }
    }
}
