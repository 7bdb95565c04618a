/// A state machine that a test drives by its events.
final class Driven<Machine> {
    private(set) var machine: Machine

    init(_ machine: Machine) { self.machine = machine }

    /// Lets an event have the machine.
    @discardableResult
    func callAsFunction<Result>(_ event: (inout Machine) -> Result) -> Result { event(&machine) }
}
