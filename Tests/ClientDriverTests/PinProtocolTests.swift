import BankModel
import DriverProtocol
import Testing

/// The keys that a client must pin.
@Suite struct PinProtocolTests {
    private func start(_ pins: [String]) -> CaseStart {
        var start = CaseStart(id: "c", baseURL: "https://b", stateDirectory: "/nowhere", bank: "b", login: CaseStart.Login())
        start.pins = pins
        return start
    }

    @Test func `pins are read as they are written, and left out where there are none`() throws {
        let (none, two) = (HarnessMessage.start(start([])), HarnessMessage.start(start(["a=", "b="])))

        #expect(!none.line.contains("pins"))
        #expect(two.line.contains(#""pins":["a=","b="]"#))
        #expect(try HarnessMessage(line: none.line) == none)
        #expect(try HarnessMessage(line: two.line) == two)
    }

    @Test func `a client that is run once for each step finds them in its environment`() {
        let (none, two) = (start([]), start(["a=", "b="]))

        #expect(OneShotEnvironment.variables(two, operation: "status", arguments: [:], now: nil)["COUNTERFOIL_PINS"] == "a= b=")
        #expect(OneShotEnvironment.variables(none, operation: "status", arguments: [:], now: nil)["COUNTERFOIL_PINS"] == .some(nil))
    }
}
