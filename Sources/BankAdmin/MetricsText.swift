/// Prometheus' text format 0.0.4: families of samples.
///
/// `https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format`
struct MetricsText {
    private var lines: [String] = []

    typealias Labels = KeyValuePairs<String, String>

    /// The type of a family; names of counters end in `_total`.
    enum Kind: String { case counter, gauge, histogram }

    var text: String { lines.joined(separator: "\n") + "\n" }

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: Labels, value: Int)]) {
        begin(name, kind, help)
        for (labels, value) in samples { add(name, labels, "\(value)") }
    }

    /// Adds a family of one sample without labels.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, one value: some Numeric) {
        begin(name, kind, help)
        add(name, [:], "\(value)")
    }

    /// Adds a family of histograms.
    ///
    /// - Parameters:
    ///   - bounds: the upper bounds of the buckets, in seconds.
    ///   - samples: for each histogram the numbers of observations between the bounds, one more than these, and their sum.
    mutating func add(
        histogram name: String, _ help: String, bounds: [Double], _ samples: [(label: (String, String), counts: [Int], sum: Double)]
    ) {
        begin(name, .histogram, help)
        for (label, counts, sum) in samples {
            var total = 0
            for (index, count) in counts.enumerated() {
                total += count
                add(name + "_bucket", [label.0: label.1, "le": index < bounds.count ? "\(bounds[index])" : "+Inf"], "\(total)")
            }
            add(name + "_sum", [label.0: label.1], "\(sum)")
            add(name + "_count", [label.0: label.1], "\(total)")
        }
    }

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"]
    }

    private mutating func add(_ name: String, _ labels: Labels, _ value: String) {
        let pairs = labels.map { "\($0.key)=\"\(MetricsText.escaped($0.value))\"" }
        lines.append(name + (pairs.isEmpty ? "" : "{" + pairs.joined(separator: ",") + "}") + " " + value)
    }

    /// Escapes backslash, quote and line feed in a label's value.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
