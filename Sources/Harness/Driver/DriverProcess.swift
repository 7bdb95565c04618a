import DriverProtocol
import Foundation
import Platform
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A running driver: lines in, lines out, stderr stored up to a bound. Its whole process group is killed with it.
final class DriverProcess: Driver {
    let inbox: DriverInbox
    let stderr: StderrTail
    private let outbox: AsyncStream<String>.Continuation
    private let killer = Locked<(@Sendable () -> Void)?>(nil)
    /// Whether the harness has ended it: its end is then no crash.
    private let isKilled = Locked(false)
    /// The group of its processes; nil while none runs.
    private let group = Locked<pid_t?>(nil)

    /// Starts a driver.
    ///
    /// - Parameters:
    ///   - home: its working directory, `HOME` and `TMPDIR`; nil leaves these as they are.
    ///   - locale: a locale such as `de_DE` for `LANG` and `LC_ALL`; nil leaves these as they are.
    init(
        _ command: DriverCommand, home: URL?, locale: String? = nil, stderr: StderrTail = StderrTail(), clock: any Clock<Duration>
    ) {
        // A driver that has ended must be an error for the writer, not a signal that ends the harness.
        signal(SIGPIPE, SIG_IGN)
        inbox = DriverInbox(clock: clock)
        self.stderr = stderr
        let (lines, outbox) = AsyncStream<String>.makeStream()
        self.outbox = outbox
        var variables = LocaleEnvironment.variables(locale)
        if let home { variables.merge(["HOME": home.path, "TMPDIR": home.path]) { $1 } }
        Task { [variables] in await self.live(command, home: home, variables, lines) }
    }

    func send(_ message: HarnessMessage) { outbox.yield(message.line + "\n") }

    /// Kills the process group at once.
    func kill() {
        isKilled.withLock { $0 = true }
        outbox.finish()
        killer.withLock { $0 }?()
    }

    func blockWrites(_ blocks: Bool) -> Bool {
        guard let group = group.withLock({ $0 }) else { return false }
        return (blocks ? FileSizeLimit.zero : .none).set(onGroup: group)
    }

    /// Sends `bye` and closes stdin.
    func stop(within limit: Duration) async {
        send(.bye)
        outbox.finish()
        do throws(DriverFault) { _ = try await inbox.wait(for: .exit, within: limit) } catch { await killAndWait() }
    }

    func killAndWait() async {
        kill()
        do throws(DriverFault) { _ = try await inbox.wait(for: .exit, within: .seconds(5)) } catch { return }
    }

    private func live(_ command: DriverCommand, home: URL?, _ variables: [String: String], _ lines: AsyncStream<String>) async {
        var options = PlatformOptions()
        options.processGroupID = 0
        let environment = Environment.ofDriver(variables.mapValues { .some($0) })
        do {
            let result = try await Subprocess.run(
                command.executable, arguments: Arguments(Array(command.words.dropFirst())), environment: environment,
                workingDirectory: home.map { FilePath($0.path) }, platformOptions: options, input: .inputWriter, output: .sequence,
                error: .sequence
            ) { execution in
                killer.withLock { $0 = { try? execution.send(signal: .kill, toProcessGroup: true) } }
                group.withLock { $0 = execution.processIdentifier.value }
                // It may have been ended while it started.
                if isKilled.withLock({ $0 }) { kill() }
                defer {
                    killer.withLock { $0 = nil }
                    group.withLock { $0 = nil }
                }
                await withTaskGroup { group in
                    group.addTask { await DriverProcess.write(lines, to: execution.standardInputWriter) }
                    group.addTask { await self.readStderr(execution.standardError) }
                    group.addTask { await self.readStdout(execution.standardOutput) }
                }
            }
            inbox.exited(isKilled.withLock { $0 } ? .ended : .gone(result.terminationStatus.text))
        } catch {
            inbox.exited(.cannotStart("\(command.program): \(error)"))
        }
        outbox.finish()
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
                for line in try splitter.take(Array(buffer: buffer)) where !inbox.take(line: line) { return kill() }
            }
        } catch let error as ProtocolError {
            inbox.end(.protocolBroken("\(error)"))
            return kill()
        } catch {
            inbox.end(.gone("could not be read: \(error)"))
        }
        if !splitter.unfinished.isEmpty { inbox.end(.protocolBroken("stdout ends within the line `\(splitter.unfinished.prefix(200))`")) }
        stdoutEnded()
    }

    /// A process that has closed stdout cannot answer, even if it still runs: only its exit status is waited for, and not for long.
    private func stdoutEnded() {
        inbox.outputEnded()
        outbox.finish()
        Task {
            do throws(DriverFault) { _ = try await self.inbox.wait(for: .exit, within: .seconds(2)) } catch {
                self.inbox.end(self.isKilled.withLock { $0 } ? .ended : .closedOutput)
            }
        }
    }

    private func readStderr(_ output: SubprocessOutputSequence) async {
        do {
            for try await buffer in output { stderr.append(Array(buffer: buffer)) }
        } catch {
            stderr.append(Array("(the rest of stderr could not be read: \(error))\n".utf8))
        }
    }
}

extension DriverCommand {
    /// A relative program path starts at the harness's folder, not at the driver's own.
    var executable: Executable {
        let program = words.first ?? ""
        guard program.contains("/") else { return .name(program) }
        return .path(FilePath(program.hasPrefix("/") ? program : FileManager.default.currentDirectoryPath + "/" + program))
    }
}

extension Environment {
    /// The credentials of the commands of Counterfoil, in the environment of a CI job. A client under test needs none of them, and may print
    /// its environment, of which reports show a part.
    private static let credentials = [
        "COUNTERFOIL_ADMIN_TOKEN", "COUNTERFOIL_DOWNLOAD_TOKEN", "COUNTERFOIL_PROVIDER_PASSWORD", "COUNTERFOIL_PROVIDER_TOKEN",
    ]

    /// The harness's own environment without credentials.
    ///
    /// - Parameter changes: variables to set; those that are nil are removed.
    static func ofDriver(_ changes: [String: String?]) -> Environment {
        var all: [Environment.Key: String?] = [:]
        for name in credentials { all.updateValue(nil, forKey: Environment.Key(stringLiteral: name)) }
        for (name, value) in changes { all.updateValue(value, forKey: Environment.Key(stringLiteral: name)) }
        return Environment.inherit.updating(all)
    }
}

extension TerminationStatus {
    /// `exited with status 3`
    var text: String {
        switch self {
        case .exited(let code): "exited with status \(code)"
        case .signaled(let signal): "was terminated by signal \(signal)"
        }
    }
}

extension [UInt8] {
    init(buffer: SubprocessOutputSequence.Buffer) { self = buffer.withUnsafeBytes { Array($0) } }
}
