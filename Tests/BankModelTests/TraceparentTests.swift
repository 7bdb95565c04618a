import BankModel
import Testing

/// The position of a request in a distributed trace (W3C Trace Context §3.2).
@Suite struct TraceparentTests {
    private static let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func entry(_ values: String...) -> JournalEntry {
        JournalEntry(seq: 1, requestHeaders: values.map { JournalEntry.Header("Traceparent", $0) })
    }

    @Test func `a valid header is in the entry and its JSON`() {
        let entry = entry(Self.valid)

        #expect(entry.traceparent == Self.valid)
        #expect(entry.json["traceparent"]?.string == Self.valid)
    }

    @Test func `a later version may have more behind the flags`() {
        let later = "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"

        #expect(entry(later).traceparent == later)
    }

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
    ])
    func `an invalid header is left out`(_ value: String) {
        #expect(entry(value).traceparent == nil)
        #expect(entry(value).json["traceparent"] == nil)
    }

    @Test func `two headers are no traceparent`() {
        #expect(entry(Self.valid, Self.valid).traceparent == nil)
        #expect(entry().traceparent == nil)
    }
}
