package import BankModel

/// The decoded arguments of one step.
package struct StepArguments: Sendable {
    private let json: JSON

    package init(_ json: JSON) { self.json = json }

    package subscript(_ name: String) -> String? { json[name]?.string }
}
