import BankModel
import DriverProtocol
import Foundation
import Platform
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A client that is run once for each step: it reads its input from the environment, and answers with stdout and exit status.
///
/// Supplies the messages of a looping driver (hello, ready, ended). Each process lives in the case's
/// state folder.
final class OneShotDriver: Driver {
    let inbox: DriverInbox
    let stderr: StderrTail
    private let command: DriverCommand
    private let abilities: DriverCommand.Abilities
    private let state = Locked(State())

    private struct State {
        var cases: [String: CaseStart] = [:]
        var running: [Int: Task<Void, Never>] = [:]
        var killers: [Int: @Sendable () -> Void] = [:]
        var next = 0
        /// Whether writes to the files of later processes fail; nil: they never do.
        var blocksWrites: Bool?
        var isDead = false
    }

    init(_ command: DriverCommand, _ abilities: DriverCommand.Abilities, stderr: StderrTail, clock: any Clock<Duration>) {
        self.command = command
        self.abilities = abilities
        self.stderr = stderr
        inbox = DriverInbox(clock: clock)
    }

    func send(_ message: HarnessMessage) {
        switch message {
        case .hello(let version, let nonce):
            let name = command.words.first?.split(separator: "/").last.map(String.init) ?? ""
            inbox.take(
                .hello(
                    DriverHello(
                        version: version, nonce: nonce, client: name, banks: nil, operations: abilities.operations.map(\.rawValue),
                        features: abilities.features.map(\.rawValue))))
        case .start(let start):
            state.withLock { $0.cases[start.id] = start }
            inbox.take(.ready(case: start.id))
        case .step(let id, let n, let operation, let arguments, let now): begin(id, n, operation, arguments, now)
        case .end(let id):
            state.withLock { $0.cases[id] = nil }
            inbox.take(.ended(case: id))
        // A running client cannot receive a message: a client that is run once does not have the feature `cancel`.
        case .cancel, .bye: break
        }
    }

    /// Counts from the next step on: the process of a running step is not affected.
    func blockWrites(_ blocks: Bool) -> Bool {
        state.withLock { $0.blocksWrites = blocks }
        return true
    }

    func stop(within limit: Duration) async { await killAndWait() }

    func killAndWait() async {
        inbox.end(.ended)
        let (killers, running) = state.withLock { state in
            state.isDead = true
            return (state.killers.values.map(\.self), state.running.values.map(\.self))
        }
        killers.forEach { $0() }
        for task in running { await task.value }
    }

    private func begin(_ id: String, _ n: Int, _ operation: String, _ arguments: JSON, _ now: Instant?) {
        state.withLock { state in
            guard !state.isDead, let start = state.cases[id] else { return }
            let number = state.next
            state.next += 1
            state.running[number] = Task {
                let variables = OneShotEnvironment.variables(start, operation: operation, arguments: arguments, now: now)
                await self.run(number, start, variables) { inbox, status, output in
                    do throws(ProtocolError) {
                        // It was killed for that, whatever its status is.
                        guard output.count <= LineSplitter.longestLine else {
                            throw ProtocolError("found over \(LineSplitter.longestLine) bytes on stdout, expected one view")
                        }
                        inbox.take(.result(case: id, n: n, try OneShotAnswer.result(status: status, output: output)))
                    } catch { inbox.reject(.result(id, n), "\(error) (step \(n), \(operation))") }
                }
                self.state.withLock { $0.running[number] = nil }
            }
        }
    }

    /// Runs one process to its end; its whole group is killed with it.
    private func run(
        _ number: Int, _ start: CaseStart, _ variables: [String: String?],
        then deliver: (DriverInbox, OneShotAnswer.Status, [UInt8]) -> Void
    ) async {
        var options = PlatformOptions()
        options.processGroupID = 0
        let environment = Environment.ofDriver(variables)
        let output = Locked<[UInt8]>([])
        let command = state.withLock { $0.blocksWrites }.map(self.command.blockingWrites) ?? self.command
        do {
            let result = try await Subprocess.run(
                command.executable, arguments: Arguments(Array(command.words.dropFirst())), environment: environment,
                workingDirectory: FilePath(start.stateDirectory), platformOptions: options, input: .none, output: .sequence,
                error: .sequence
            ) { execution in
                let kill: @Sendable () -> Void = { try? execution.send(signal: .kill, toProcessGroup: true) }
                let isDead = state.withLock { state in
                    state.killers[number] = kill
                    return state.isDead
                }
                defer { state.withLock { $0.killers[number] = nil } }
                if isDead { kill() }
                await withTaskGroup { group in
                    group.addTask {
                        await OneShotDriver.read(execution.standardOutput) { more in
                            let count = output.withLock { bytes in
                                bytes += more
                                return bytes.count
                            }
                            if count > LineSplitter.longestLine { kill() }
                        }
                    }
                    group.addTask { await OneShotDriver.read(execution.standardError) { self.stderr.append($0) } }
                }
            }
            let isDead = state.withLock { $0.isDead }
            if !isDead { deliver(inbox, OneShotAnswer.Status(result.terminationStatus), output.withLock { $0 }) }
        } catch {
            inbox.end(.cannotStart("\(command.program): \(error)"))
        }
    }

    private static func read(_ output: SubprocessOutputSequence, _ take: @Sendable ([UInt8]) -> Void) async {
        do { for try await buffer in output { take([UInt8](buffer: buffer)) } } catch { return }
    }
}

extension OneShotAnswer.Status {
    init(_ status: TerminationStatus) {
        switch status {
        case .exited(let code): self = .exited(Int(code))
        case .signaled: self = .other(status.text)
        }
    }
}
