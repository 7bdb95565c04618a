// Four threads and a number that nothing guards: `.ci/tsan/run` checks each time that the sanitizer reports it.
import Foundation

final class Number: Sendable {
    nonisolated(unsafe) var value = 0
}

let number = Number()
let threads = (0..<4).map { _ in Thread { for _ in 0..<20_000 { number.value += 1 } } }
for thread in threads { thread.start() }
while threads.contains(where: { !$0.isFinished }) { Thread.sleep(forTimeInterval: 0.01) }
