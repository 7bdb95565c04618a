import CounterfoilDriver
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LineOutputTests {
    @Test func `a line is written whole to a stream that does not block`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        defer { close(reader) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(writer, F_SETFL, O_NONBLOCK)
        let line = String(repeating: "x", count: 1 << 20)

        // More than a pipe holds: the end of it can be written only while somebody reads.
        Thread {
            LineOutput(descriptor: writer).write(line)
            close(writer)
        }.start()

        var text: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while text.last != UInt8(ascii: "\n") {
            let count = read(reader, &bytes, bytes.count)
            guard count > 0 else { break }
            text += bytes.prefix(count)
        }
        #expect(text.count == line.utf8.count + 1)
    }
}
