import BankModel
import Platform

/// How long a delay is: always the same, drawn from a distribution, growing, or until somebody releases it.
enum Latency: Sendable, Hashable {
    case fixed(Duration)
    case uniform(from: Duration, to: Duration)
    /// Cut at zero and at `max`.
    case normal(mean: Duration, sigma: Duration, max: Duration)
    /// By its median and the deviation of its logarithm, cut at `max`: the usual shape of real latencies.
    case lognormal(median: Duration, sigma: Double, max: Duration)
    /// From one to the other over a time that begins with the rule.
    case ramp(from: Duration, to: Duration, over: Duration)
    case released

    /// The longest wait.
    static let longest = Duration.seconds(86_400)

    /// The wait of one exchange.
    func wait(_ context: FaultContext) -> Wait {
        var random = context.random
        func seconds(_ duration: Duration) -> Double { Double(duration.nanoseconds) / 1e9 }
        func between(_ value: Double, _ most: Duration) -> Wait {
            .duration(.nanoseconds(Int64(min(max(value, 0), seconds(min(most, Latency.longest))) * 1e9)))
        }
        switch self {
        case .released: return .released
        case .fixed(let duration): return .duration(min(duration, Latency.longest))
        case .uniform(let from, let to): return between(seconds(from) + random.fraction() * (seconds(to) - seconds(from)), to)
        case .normal(let mean, let sigma, let most): return between(seconds(mean) + random.normal() * seconds(sigma), most)
        case .lognormal(let median, let sigma, let most): return between(seconds(median) * exp(random.normal() * sigma), most)
        case .ramp(let from, let to, let over):
            let share = over == .zero ? 1 : min(1, seconds(context.elapsed) / seconds(over))
            return between(seconds(from) + share * (seconds(to) - seconds(from)), max(from, to))
        }
    }
}

extension SeededGenerator {
    /// From 0 up to 1.
    fileprivate mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// A normal variate with mean 0 and deviation 1 (Box and Muller 1958).
    fileprivate mutating func normal() -> Double {
        let radius = (-2 * log(1 - fraction())).squareRoot()
        return radius * cos(2 * Double.pi * fraction())
    }
}
