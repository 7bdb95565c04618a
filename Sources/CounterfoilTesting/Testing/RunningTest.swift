#if canImport(Testing)
import Testing
#endif

/// The test of Swift Testing that runs now, by which messages name it.
struct RunningTest: Sendable, Hashable {
    /// The test's name, as its report shows it.
    let name: String
    /// The position of the test in its file: two tests may have one name.
    let position: String

    /// Nil in XCTest, and in a task that does not belong to a test.
    static var current: RunningTest? {
        #if canImport(Testing)
        Test.current.map(RunningTest.init)
        #else
        nil
        #endif
    }
}

#if canImport(Testing)
extension RunningTest {
    init(_ test: Test) {
        self.init(
            name: test.displayName ?? test.name,
            position: "\(test.sourceLocation.fileID):\(test.sourceLocation.line):\(test.sourceLocation.column)")
    }
}
#endif
