import BankModel
package import DriverProtocol

/// Implements the driver protocol for a client: reads the harness's lines, operates the client, writes its lines.
///
/// Steps and cases run at the same time, each step as a separate task. All of them are finished before the loop ends.
package struct DriverLoop {
    private let client: any ClientUnderTest
    private let write: @Sendable (DriverMessage) -> Void
    private let complain: @Sendable (String) -> Void
    private var cases: [String: Case] = [:]
    private var endings: [Task<Void, Never>] = []

    private struct Case {
        var client: any OpenCase
        var steps: [Int: Task<Void, Never>] = [:]
    }

    /// - Parameters:
    ///   - write: sends one message as one whole line, from any task.
    ///   - complain: reports to a user (stderr).
    package init(
        _ client: any ClientUnderTest, write: @escaping @Sendable (DriverMessage) -> Void, complain: @escaping @Sendable (String) -> Void
    ) {
        self.client = client
        self.write = write
        self.complain = complain
    }

    /// Runs until the lines end or `bye` arrives, then finishes all steps.
    package mutating func run(_ lines: AsyncStream<String>) async {
        for await line in lines {
            if line.allSatisfy(\.isWhitespace) { continue }
            do throws(ProtocolError) {
                let message = try HarnessMessage(line: line)
                if message == .bye { break }
                await handle(message)
            } catch {
                complain("line skipped: \(error)")
            }
        }
        for running in cases.values { for step in running.steps.values { await step.value } }
        for ending in endings { await ending.value }
    }

    private mutating func handle(_ message: HarnessMessage) async {
        switch message {
        case .hello(_, let nonce): write(.hello(hello(nonce)))
        case .start(let start): await begin(start)
        case .step(let id, let n, let name, let arguments, let now):
            perform(id, n, Step(operation: DriverOperation(rawValue: name), arguments: StepArguments(arguments), now: now))
        case .cancel(let id, let n): cases[id]?.steps[n]?.cancel()
        case .end(let id): end(id)
        case .bye: break
        }
    }

    private func hello(_ nonce: String) -> DriverHello {
        DriverHello(
            nonce: nonce, client: client.name, banks: client.banks, operations: client.operations.map(\.rawValue),
            features: client.features.map(\.rawValue))
    }

    private mutating func begin(_ start: CaseStart) async {
        do {
            cases[start.id] = Case(client: try await client.open(start))
            write(.ready(case: start.id))
        } catch {
            complain("case \(start.id) not started: \(error)")
        }
    }

    private mutating func perform(_ id: String, _ n: Int, _ step: Step) {
        guard let running = cases[id] else { return complain("step \(n) of the unknown case \(id) skipped") }
        let (client, write, offered) = (running.client, write, self.client.operations)
        cases[id]?.steps[n] = Task {
            let known = step.operation.map(offered.contains) ?? false
            write(.result(case: id, n: n, known ? await client.perform(step) : .unsupported))
        }
    }

    private mutating func end(_ id: String) {
        guard let ending = cases.removeValue(forKey: id) else { return complain("end of the unknown case \(id) skipped") }
        let write = write
        endings.append(
            Task {
                for step in ending.steps.values { await step.value }
                write(.ended(case: id))
            })
    }
}
