/// A line for a user who has waited a second; on anything but a terminal, none.
final class GenerateProgress {
    private let line = ProgressLine(.errors)
    private let total: Int
    private let start = ContinuousClock.now

    /// - Parameter total: how many rows there will be.
    init(total: Int) { self.total = total }

    /// Shows how many rows there are so far.
    func show(_ rows: Int) {
        guard start.duration(to: .now) > .seconds(1) else { return }
        line.show(rows, of: total, " transactions")
    }

    func clear() { line.clear() }
}
