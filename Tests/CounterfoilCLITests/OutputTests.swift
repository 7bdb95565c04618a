import Foundation
import Platform
import Testing

@testable import CounterfoilCLI

/// The output of commands, and its destination.
@Suite struct OutputTests {
    @Test(arguments: [0, O_NONBLOCK])
    func `a pipe that is full for now gets all bytes in the end, whether or not it blocks`(_ flags: Int32) async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let reading = ends[0]
        let writing = ends[1]
        defer { close(reading) }
        try #require(fcntl(writing, F_SETFL, flags) == 0)
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }

        // Both block: they get separate threads.
        async let failure = onThread {
            defer { close(writing) }
            return Disk.put(bytes, writing)
        }
        let read = await onThread { Array(FileHandle(fileDescriptor: reading).readDataToEndOfFile()) }

        #expect(await failure == nil)
        #expect(read == bytes)
    }

    @Test func `a stream that nobody can write to is reported by the system's number`() throws {
        let reading = open("/dev/null", O_RDONLY)
        defer { close(reading) }

        #expect(Disk.put([1], reading) == EBADF)
        #expect(Disk.put([], reading) == nil)
    }

    @Test func `what others have written steers no terminal`() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let reading = ends[0]
        let writing = ends[1]
        defer { close(reading) }
        var table = TextTable("A", "B")
        table.add("one\n::error::x\u{1B}[2J", "two\n::error::y\u{9B}0m")

        Output(descriptor: writing).line("a\u{1B}]0;title\u{7}\u{202E}b\r\n\tc\u{7F}")
        Output(descriptor: writing).write(table.text)
        close(writing)

        let text = String(decoding: FileHandle(fileDescriptor: reading).readDataToEndOfFile(), as: UTF8.self)
        #expect(text.hasPrefix("a\\u001b]0;title\\u0007\\u202eb\\u000d\n\tc\\u007f\n"))
        #expect(text.hasSuffix("B\none ::error::x\\u001b[2J  two\n" + String(repeating: " ", count: 25) + "\\u003a:error::y\\u009b0m\n"))
    }

    private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }
}
