import BankModel
import Testing

@testable import BankCore

/// Random ids from a session's generator.
@Suite struct UUIDTests {
    @Test func `an id is a version 4 UUID of the generator's next 128 bits, after its prefix`() throws {
        var state = try Till().state
        var generator = state.generator
        let high = hexadecimal(generator.next() as UInt64)
        let low = hexadecimal(generator.next() as UInt64)

        let text = state.uuid(after: "evt_")
        let id = text.dropFirst(4)
        let digits = id.filter { $0 != "-" }

        #expect(text.hasPrefix("evt_"))
        #expect(isUUID(id))
        #expect(digits.dropFirst(12).first == "4")
        #expect("89ab".contains(digits.dropFirst(16).prefix(1)))
        #expect(digits.prefix(12) == high.prefix(12))
        #expect(digits.dropFirst(13).prefix(3) == high.suffix(3))
        #expect(digits.suffix(15) == low.suffix(15))
        #expect(state.generator == generator)
    }
}
