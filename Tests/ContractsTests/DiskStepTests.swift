import BankModel
import Contracts
import DriverProtocol
import Faults
import Testing

/// Steps after which file access fails, and steps of a second process: how they load and are judged.
@Suite struct DiskStepTests {
    @Test(arguments: [
        ("{refuses: read}", StepAction.DiskFailure(.read), "disk refuses read"),
        ("{refuses: write, for: 300ms}", StepAction.DiskFailure(.write, for: .milliseconds(300)), "disk refuses write for 300ms"),
        ("{refuses: nothing}", StepAction.DiskFailure(.nothing), "disk refuses nothing"),
    ])
    func `a disk step is read and has a separate process`(yaml: String, expected: StepAction.DiskFailure, text: String) throws {
        let instance = try #require(Make.reading("{control: 1}", steps: "[login, disk: \(yaml), accounts]"))
        guard case .disk(let rejection) = instance.allSteps[1].action else {
            Issue.record("found \(instance.allSteps[1].action), expected a disk step")
            return
        }

        #expect(rejection == expected)
        #expect("\(instance.allSteps[1].action)" == text)
        #expect(instance.needsOwnProcess)
        #expect(!instance.allSteps[1].action.endsProcess)
    }

    @Test func `a second process needs its feature`() throws {
        let instance = try #require(Make.reading("{control: 1}", steps: "[login, {accounts: , process: 2}, {restart: , process: 2}]"))

        #expect(instance.allSteps.map(\.process) == [1, 2, 2])
        #expect(instance.features == [.processes])
        #expect(instance.needsOwnProcess)
        #expect(Make.reading("{control: 1}")?.allSteps.map(\.process) == [1, 1, 1])
        #expect(Make.reading("{control: 1}")?.features == [])
    }

    @Test func `a disk step is allowed in a together and damage is not`() throws {
        let steps = "[login, together: [accounts, disk: {refuses: write}, release]]"

        #expect(try #require(Make.reading("{control: 1}", steps: steps)).allSteps.count == 4)
        let found = complaints("[login, together: [accounts, disk: damage]]")
        #expect(found.contains { $0.contains("found `disk: damage` in a `together`") }, "\(found)")
    }

    @Test(arguments: [
        ("[login, disk: {refuses: all}]", "found `all`, expected read, write or nothing"),
        ("[login, disk: {for: 1s}]", "`refuses` is missing"),
        ("[login, disk: {refuses: nothing, for: 1s}]", "found `for` beside `refuses: nothing`, expected `for` beside read or write"),
        ("[login, {accounts: , process: 3}]", "expected a whole number from 1 to 2"),
        (
            "[login, {wait: 1s, process: 2}]",
            "found `process` beside `wait 1s`, expected `process` beside an operation, `kill` or `restart`"
        ),
    ])
    func `an impossible step is reported`(steps: String, expected: String) {
        let found = complaints(steps)

        #expect(found.contains { $0.contains(expected) }, "\(found)")
    }

    @Test func `a client without files has no file access to block`() throws {
        let instance = try #require(
            Make.reading("{control: 1}", "{step: 3, outcome: ok}", steps: "[login, disk: {refuses: read}, accounts]"))
        var evidence = Make.allWell()
        evidence.steps[2]?.outcome = .skipped

        let judgement = judge(instance, evidence)

        #expect(judgement.verdict == .notExercised)
        #expect(judgement.reasons.first?.expected == "in the case the client's files cannot be read")
        evidence.steps[2]?.outcome = .done
        #expect(judge(instance, evidence).verdict == .pass)
    }

    @Test func `a machine that cannot do a step is unsupported whatever was seen`() throws {
        let instance = try #require(Make.reading("{control: 1}", "{step: 3, error: timeout}"))
        var evidence = Make.allWell()
        evidence.beyondMachine = "this system cannot"

        let judgement = judge(instance, evidence)

        #expect(judgement.verdict == .unsupported)
        #expect(judgement.reasons.first?.seen == "this system cannot")
    }

    @Test func `a client is killed before anything of a request is read`() throws {
        #expect(StepAction.Kill(.pay, at: .connect).rule?.json.text == #"{"fault":{"blackhole":{}},"times":1}"#)
    }

    @Test func `a process of a case is reported only if it is another`() throws {
        var start = CaseStart(id: "c", baseURL: "http://b", stateDirectory: "/s", bank: "b", login: CaseStart.Login())

        #expect(!HarnessMessage.start(start).line.contains("process"))
        start.process = 2
        #expect(try HarnessMessage(line: HarnessMessage.start(start).line) == .start(start))
    }

    private func complaints(_ steps: String) -> [String] {
        Make.complaints(needs: "[login, accounts]", steps: steps)
    }
}
