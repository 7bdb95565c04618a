// Four threads and a list. The sanitizer complains of the one that a Mutex of Synchronization guards, wrongly, and of the one
// that nothing guards, rightly: `.ci/tsan/run` reports it each time, and what the client is built with instead (SeenMutex).
import Foundation
import Synchronization

final class Lists: Sendable {
    let guarded = Mutex<[Int]>([])
    nonisolated(unsafe) var bare = 0
}

let (lists, isBare) = (Lists(), CommandLine.arguments.contains("bare"))
let threads = (0..<4).map { _ in
    Thread {
        for number in 0..<20_000 {
            if isBare {
                lists.bare += 1
            } else {
                lists.guarded.withLock { list in
                    list.append(number)
                    if list.count > 9 { list.removeAll() }
                }
            }
        }
    }
}
for thread in threads { thread.start() }
while threads.contains(where: { !$0.isFinished }) { Thread.sleep(forTimeInterval: 0.01) }
