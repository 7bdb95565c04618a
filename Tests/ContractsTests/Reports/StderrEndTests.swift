import Contracts
import Testing

/// The end of a driver's stderr in a report.
@Suite struct StderrEndTests {
    private let noise = (1...100).map { "register \($0)" }

    @Test func `a short text is shown whole`() {
        #expect(StderrEnd("one\n\ntwo\n").lines == ["one", "two"])
    }

    @Test func `of a long text its last twenty lines are shown`() {
        #expect(StderrEnd(noise.joined(separator: "\n")).lines == Array(noise.suffix(20)))
    }

    @Test(arguments: [
        "Foundation/NativeProtocol.swift:240: Fatal error: Transfer completed, but there's no response.",
        "thread 'main' panicked at src/main.rs:2",
        "Exception in thread \"main\" java.lang.NullPointerException", "Traceback (most recent call last):",
        "PHP Fatal error:  Uncaught RuntimeException: no money in /srv/bank.php:7", "/srv/bank.rb:7:in `pay': no money (BankError)",
    ])
    func `the reason of a crash is shown before them`(_ reason: String) {
        let text = (["starting", reason] + noise).joined(separator: "\n")

        let lines = StderrEnd(text).lines

        #expect(lines.count == 20)
        #expect(Array(lines.prefix(3)) == [reason, "… 82 lines …", "register 83"])
        #expect(lines.last == "register 100")
    }

    @Test func `a reason among the last lines is not shown twice`() {
        let lines = StderrEnd((noise + ["Fatal error: no"]).joined(separator: "\n")).lines

        #expect(lines == Array(noise.suffix(19)) + ["Fatal error: no"])
    }
}
