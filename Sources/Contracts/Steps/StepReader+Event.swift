import BankModel

extension StepReader {
    /// Reads an event that happens at the bank.
    func happen(_ node: Node) -> StepAction? {
        let fields = Fields(node, of: BankEvent.schema, complaints)
        let event = BankEvent(fields)
        fields.finish()
        return event.map(StepAction.happen)
    }
}
