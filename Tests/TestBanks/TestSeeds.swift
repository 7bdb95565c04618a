import Foundation

/// The seeds of a property test: fixed ones, those that once failed, and one that is new in each run.
///
/// A failure names its seed, as the test's argument. `COUNTERFOIL_TEST_SEED=N` in the environment runs the test with it again; a line in
/// `Tests/failed-seeds.txt` keeps it for every later run.
public enum TestSeeds {
    /// Seeds whose inputs are the same in each run, then the kept ones and the new one.
    public static func of(_ fixed: some Sequence<UInt64>) -> [UInt64] {
        (Array(fixed) + kept + [fresh]).reduce(into: []) { seeds, seed in if !seeds.contains(seed) { seeds.append(seed) } }
    }

    /// Whether the seed was chosen once and for all: a test may then expect more of its inputs than of random ones.
    public static func isFixed(_ seed: UInt64) -> Bool { seed < smallestFresh }

    private static let smallestFresh: UInt64 = 1_000_000

    /// The seed of this run: from the environment, or else random.
    private static let fresh =
        ProcessInfo.processInfo.environment["COUNTERFOIL_TEST_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: smallestFresh..<smallestFresh * 1000)

    /// The seeds of `Tests/failed-seeds.txt`: a number at the beginning of each line, then the reason.
    private static let kept: [UInt64] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "failed-seeds.txt")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { UInt64($0.prefix { $0.isNumber }) }
    }()
}
