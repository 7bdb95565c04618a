import DriverProtocol
import Foundation
import Subprocess
import Synchronization

#if canImport(System)
    import System
#else
    import SystemPackage
#endif
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A running driver: lines in, lines out, stderr kept to a bound. Its whole process group is killed with it.
package final class DriverProcess: Sendable {
    let inbox: DriverInbox
    let stderr: StderrTail
    private let outbox: AsyncStream<String>.Continuation
    private let killer = Mutex<(@Sendable () -> Void)?>(nil)

    /// Starts a driver.
    ///
    /// - Parameters:
    ///   - home: its working directory, `HOME` and `TMPDIR`; nil leaves these as they are.
    init(_ command: DriverCommand, home: URL?, stderr: StderrTail = StderrTail(), clock: any Clock<Duration>) {
        // A driver that is gone must be an error to whoever writes to it, not a signal that ends the harness.
        signal(SIGPIPE, SIG_IGN)
        inbox = DriverInbox(clock: clock)
        self.stderr = stderr
        let (lines, outbox) = AsyncStream<String>.makeStream()
        self.outbox = outbox
        Task { await self.live(command, home: home, lines) }
    }

    /// Sends a message. To a process that is gone it is lost; whoever waits for the answer is told.
    func send(_ message: HarnessMessage) { outbox.yield(message.line + "\n") }

    /// Kills the process group at once.
    func kill() {
        outbox.finish()
        killer.withLock { $0 }?()
    }

    /// Says good-bye, closes stdin, and kills what is not gone in time.
    func stop(within limit: Duration) async {
        send(.bye)
        outbox.finish()
        do throws(DriverFault) { _ = try await inbox.wait(for: .exit, within: limit) } catch { await killAndWait() }
    }

    /// Kills and waits, to a bound, until the process is gone.
    func killAndWait() async {
        kill()
        do throws(DriverFault) { _ = try await inbox.wait(for: .exit, within: .seconds(5)) } catch { return }
    }

    private func live(_ command: DriverCommand, home: URL?, _ lines: AsyncStream<String>) async {
        var options = PlatformOptions()
        options.processGroupID = 0
        var environment = Environment.inherit
        if let home { environment = environment.updating(["HOME": home.path, "TMPDIR": home.path]) }
        let program = command.words.first ?? ""
        do {
            let result = try await Subprocess.run(
                program.contains("/") ? .path(FilePath(DriverProcess.absolute(program))) : .name(program),
                arguments: Arguments(Array(command.words.dropFirst())), environment: environment,
                workingDirectory: home.map { FilePath($0.path) }, platformOptions: options, input: .inputWriter, output: .sequence,
                error: .sequence
            ) { execution in
                killer.withLock { $0 = { try? execution.send(signal: .kill, toProcessGroup: true) } }
                defer { killer.withLock { $0 = nil } }
                await withTaskGroup { group in
                    group.addTask { await DriverProcess.write(lines, to: execution.standardInputWriter) }
                    group.addTask { await self.readStderr(execution.standardError) }
                    group.addTask { await self.readStdout(execution.standardOutput) }
                }
            }
            inbox.exited(.gone(DriverProcess.text(result.terminationStatus)))
        } catch {
            inbox.exited(.cannotStart("\(program): \(error)"))
        }
        outbox.finish()
    }

    /// Relative programs are meant from where the harness runs, not from the driver's own folder.
    private static func absolute(_ program: String) -> String {
        program.hasPrefix("/") ? program : FileManager.default.currentDirectoryPath + "/" + program
    }

    private static func write(_ lines: AsyncStream<String>, to writer: StandardInputWriter) async {
        for await line in lines {
            do { _ = try await writer.write(line) } catch { break }
        }
        try? await writer.finish()
    }

    private func readStdout(_ output: SubprocessOutputSequence) async {
        var splitter = LineSplitter()
        do {
            for try await buffer in output {
                guard let lines = splitter.take(Array(buffer: buffer)) else {
                    inbox.end(.protocolBroken("a line of over \(LineSplitter.longestLine) bytes"))
                    return kill()
                }
                for line in lines where !inbox.take(line: line) { return kill() }
            }
        } catch {
            inbox.end(.gone("could not be read from: \(error)"))
        }
        if !splitter.unfinished.isEmpty { inbox.end(.protocolBroken("stdout ends within the line `\(splitter.unfinished.prefix(200))`")) }
        // Whoever has closed stdout cannot answer any more, even if the process lives on.
        outbox.finish()
    }

    private func readStderr(_ output: SubprocessOutputSequence) async {
        do {
            for try await buffer in output { stderr.append(Array(buffer: buffer)) }
        } catch {
            stderr.append(Array("(stderr could not be read on: \(error))\n".utf8))
        }
    }

    private static func text(_ status: TerminationStatus) -> String {
        switch status {
        case .exited(let code): "exited with status \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        }
    }
}

extension [UInt8] {
    fileprivate init(buffer: SubprocessOutputSequence.Buffer) {
        self = buffer.withUnsafeBytes { Array($0) }
    }
}
