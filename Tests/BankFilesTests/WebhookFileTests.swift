import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// The receivers of `webhooks` in a bank, as they are read.
@Suite struct WebhookFileTests {
    /// The complaints about a bank with these receivers.
    private func complaints(_ to: String) -> [String] {
        let files = TestFiles.withWebhooks.replacing("till/bank.yaml", "retries: [5s, 5m, 1h]", with: "to: \(to)")
        do throws(ComplaintsError) {
            _ = try files.library.load("till")
            return []
        } catch { return error.complaints.map(\.message) }
    }

    @Test(arguments: ["http://127.0.0.1:9000/hook?team=1", "https://[::1]/", "http://hooks.example"])
    func `an http or https address is a receiver, whatever its host`(url: String) {
        #expect(complaints("[{url: \"\(url)\"}]") == [])
    }

    @Test(arguments: ["hook", "ftp://127.0.0.1/hook", "http://", "http://127.0.0.1:0/"])
    func `any other address is an error`(url: String) {
        #expect(
            complaints("[{url: \"\(url)\"}]") == [
                "found the address `\(url)`, expected one such as http://127.0.0.1:9000/hook, without user and fragment"
            ])
    }

    @Test func `a password in an address is not repeated`() {
        #expect(complaints("[{url: \"http://ann:secret@127.0.0.1/\"}]").map { $0.contains("secret") } == [false])
    }

    @Test func `more receivers than a session can have are an error`() {
        let receivers = (1...17).map { "{url: \"http://127.0.0.1:\($0)/\"}" }.joined(separator: ", ")

        #expect(complaints("[\(receivers)]") == ["found 17 receivers, expected at most 16"])
    }
}
