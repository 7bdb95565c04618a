import BankModel
import CounterfoilDriver
import DriverProtocol
import Foundation
import Platform
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DriverLoopTests {
    @Test func `the greeting is answered with the nonce and the client's abilities`() async {
        let run = await Run(#"{"t":"hello","v":1,"nonce":"n7"}"#)

        #expect(
            run.output == [
                .hello(DriverHello(nonce: "n7", client: "fake 1", banks: ["b"], operations: ["accounts", "pay"], features: ["parallel"]))
            ])
    }

    @Test(
        arguments: [
            "garbage", "{", "[]", #"{"t":"what"}"#, #"{"t":"step","case":"c"}"#, #"{"t":"step","case":"unknown","n":1,"op":"accounts"}"#,
            #"{"t":"end","case":"unknown"}"#,
        ])
    func `an invalid line is reported and skipped, the next one is handled`(_ line: String) async {
        let run = await Run(line, "", start("c"))

        #expect(run.output == [.ready(case: "c")])
        #expect(run.complaints.count == 1)
    }

    @Test func `an operation that the client lacks, and an unknown one, is unsupported`() async {
        let run = await Run(start("c"), step("c", 1, "atms"), step("c", 2, "x7q"))

        #expect(Set(run.output) == [.ready(case: "c"), .result(case: "c", n: 1, .unsupported), .result(case: "c", n: 2, .unsupported)])
    }

    @Test func `steps of several cases run at once: each waits for the other`() async {
        let client = FakeClient()
        let run = await Run(
            client: client, start("a"), start("b"), step("a", 1, "accounts"), step("b", 1, "accounts"), step("b", 2, "accounts")
        ) {
            await client.hasBegun(3)
            client.release()
        }

        #expect(run.output.count == 5)
    }

    @Test func `the end of a case comes after its steps' results, and the lines' end does not cut them off`() async {
        let client = FakeClient()
        let run = await Run(
            client: client, start("a"), step("a", 1, "accounts"), #"{"t":"end","case":"a"}"#, start("b"), step("b", 1, "accounts")
        ) {
            await client.hasBegun(2)
            client.release()
        }

        let (result, ended) = (
            run.output.firstIndex(of: .result(case: "a", n: 1, .ok(view: [:]))), run.output.firstIndex(of: .ended(case: "a"))
        )
        #expect(run.output.contains(.result(case: "b", n: 1, .ok(view: [:]))))
        #expect(result.flatMap { result in ended.map { result < $0 } } == true)
    }

    @Test func `a step that is cancelled ends with the client's result`() async {
        let run = await Run(start("a"), step("a", 1, "pay"), #"{"t":"cancel","case":"a","n":1}"#, #"{"t":"cancel","case":"a","n":9}"#)

        #expect(run.output.last == .result(case: "a", n: 1, .error("cancelled", detail: nil)))
    }

    @Test func `a case that cannot be begun gets no ready, and stderr has the reason`() async {
        let run = await Run(start("refuse"))

        #expect(run.output.isEmpty)
        #expect(run.complaints.count == 1)
    }
}

private func start(_ id: String) -> String {
    HarnessMessage.start(CaseStart(id: id, baseURL: "http://b", stateDirectory: "/nowhere", bank: "b", login: CaseStart.Login())).line
}
private func step(_ id: String, _ n: Int, _ name: String) -> String {
    HarnessMessage.step(case: id, n: n, operation: name, arguments: [:], now: nil).line
}

/// One run of the loop over given lines.
private struct Run {
    var output: [DriverMessage]
    var complaints: [String]

    init(client: FakeClient = FakeClient(released: true), _ lines: String..., meanwhile: () async -> Void = {}) async {
        let record = Record()
        let loop = DriverLoop(client, write: { record.add($0) }, complain: { record.complain($0) })
        let stream = AsyncStream { continuation in
            for line in lines { continuation.yield(line) }
            continuation.finish()
        }
        let running = Task {
            var loop = loop
            await loop.run(stream)
        }
        await meanwhile()
        await running.value
        (output, complaints) = record.all
    }
}

private final class Record: Sendable {
    private let messages = Locked<(output: [DriverMessage], complaints: [String])>(([], []))
    var all: (output: [DriverMessage], complaints: [String]) { messages.withLock { $0 } }
    func add(_ message: DriverMessage) { messages.withLock { $0.output.append(message) } }
    func complain(_ text: String) { messages.withLock { $0.complaints.append(text) } }
}

/// A client whose reads wait until released, and whose payments wait until cancelled.
private final class FakeClient: ClientUnderTest {
    let name = "fake 1"
    let banks: [String]? = ["b"]
    let operations: [DriverOperation] = [.accounts, .pay]
    let features: [DriverFeature] = [.parallel]
    private let begun = AsyncStream<Void>.makeStream()
    private let gate = AsyncStream<Void>.makeStream()
    private let released: Bool

    init(released: Bool = false) { self.released = released }

    func open(_ start: CaseStart) throws -> any OpenCase {
        if start.id == "refuse" { throw ProtocolError("no such bank") }
        return FakeCase(client: self)
    }

    func hasBegun(_ count: Int) async {
        var seen = 0
        for await _ in begun.stream {
            seen += 1
            if seen == count { return }
        }
    }

    func release() { gate.continuation.finish() }

    fileprivate func wait() async {
        begun.continuation.yield()
        if !released { for await _ in gate.stream {} }
    }
}

private struct FakeCase: OpenCase {
    let client: FakeClient

    func perform(_ step: Step) async -> StepResult {
        guard step.operation == .pay else {
            await client.wait()
            return .ok(view: [:])
        }
        let never = AsyncStream<Void>.makeStream()
        for await _ in never.stream {}
        return .error("cancelled", detail: nil)
    }
}
