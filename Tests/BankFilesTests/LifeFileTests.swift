import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// The events that happen by themselves, in a file of their own.
@Suite struct LifeFileTests {
    private static let salary = #"- {in: 3d, every: month, event: payment-in, account: a1, amount: "1200.00"}"#

    /// The living bank with a `life` in `bank.yaml`, and a `life.yaml`.
    private func bank(_ file: String, life: String = "[]") -> TestFiles {
        var files = TestFiles.living.replacing("till/bank.yaml", "operations:\n", with: "life: \(life)\noperations:\n")
        files.files["till/life.yaml"] = file
        return files
    }

    /// The complaints about a `life.yaml`.
    private func complaints(_ file: String) -> String {
        do {
            _ = try bank(file).library.load("till")
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func `the events of life.yaml follow those of the bank's definition`() throws {
        let files = bank("\(Self.salary)\n- {in: 5d, event: payment-returns}\n", life: "[{in: 9d, event: payment-settles}]")

        let life = try files.library.load("till").bank.life

        #expect(life.map(\.event.kind) == [.paymentSettles, .paymentIn, .paymentReturns])
        #expect(life.map(\.after) == [9, 3, 5].map { Duration.seconds($0 * 86_400) })
        #expect(life.map(\.every) == [nil, .month, nil])
    }

    @Test(
        arguments: [
            ("life: []", "life.yaml:1:1: found a mapping, expected a list"),
            ("- 5", "life.yaml:1:3: found `5`, expected a scheduled event, a mapping"),
            ("- {event: payment-settles}", "life.yaml:1:3: `in` is missing in a scheduled event"),
            ("\(salary)\n- {in: 3d, event: payment-sinks}", "life.yaml:2:19: found `payment-sinks`"),
            ("- {in: 3d, event: payment-in, account: zz, amount: \"1.00\"}", "life.yaml:1:3: found the account zz"),
            ("- {in: 3d, event: payment-in, account: a1, amount: \"1.001\"}", "life.yaml:1:3: found the amount 1.001"),
            ("- {in: 3d, every: 1h, event: payment-settles}", "life.yaml:1:19: found `1h`"),
        ])
    func `a wrong event is rejected at its position`(_ file: String, _ complaint: String) {
        #expect(complaints(file).contains(complaint), "\(complaints(file))")
    }

    @Test func `a bank has at most as many events as a schedule`() {
        let most = Array(repeating: Self.salary, count: Schedule.most).joined(separator: "\n")
        #expect(complaints(most) == "")
        #expect(
            complaints("\(most)\n\(Self.salary)").contains("life.yaml:101:3: found 101 events in `life`, expected at most 100"))
    }
}
