@testable import EventStore
import Testing

/// How many commands a commit waits for.
@Suite struct GatheringTests {
    @Test func `a single client is never kept waiting`() {
        var gathering = Gathering()
        for _ in 1...1000 {
            #expect(gathering.goal == 1)
            gathering.committed(1, isInTime: true)
        }
    }

    @Test func `the goal rises while it is reached in time`() {
        var gathering = Gathering()
        var goals: [Int] = []
        for _ in 1...8 {
            gathering.committed(max(2, gathering.goal), isInTime: true)
            goals.append(gathering.goal)
        }

        #expect(goals == [2, 3, 4, 6, 8, 11, 14, 18])
    }

    @Test func `a goal that was too high falls to half of what came, and stays for a while`() {
        var gathering = Gathering()
        for _ in 1...5 { gathering.committed(max(2, gathering.goal), isInTime: true) }
        gathering.committed(10, isInTime: false)

        for _ in 1...64 {
            #expect(gathering.goal == 5)
            gathering.committed(5, isInTime: true)
        }
        gathering.committed(5, isInTime: true)
        #expect(gathering.goal == 7)
        gathering.committed(1, isInTime: false)
        #expect(gathering.goal == 1, "the others have left")
    }

    @Test func `the goal has a bound`() {
        var gathering = Gathering()
        for _ in 1...100 { gathering.committed(gathering.goal + 1, isInTime: true) }

        #expect(gathering.goal == 128)
    }
}
