import TestServer
import Testing

/// The result of one run of curl for its last request.
struct CurlResult: Sendable {
    var exit: Int
    var status = 0
    var body: [UInt8]
    /// The size of the head, as counted by curl.
    var headBytes = 0
    var seconds = 0.0
    /// The number of connections it opened for it.
    var connects = 0
    /// Its message on stderr.
    var message: String
}

/// The most widespread tool: its reaction to a broken response is the one promised in faults.md.
enum OracleCurl {
    /// Runs it with one request, or several on one connection if it remains open.
    ///
    /// - Parameter limit: curl's time limit for each request, in seconds.
    static func run(_ requests: [[String]], limit: Double) async throws -> CurlResult {
        let format = #"%{stderr}@%{http_code} %{size_header} %{time_total} %{num_connects}\n"#
        var arguments: [String] = []
        for (index, request) in requests.enumerated() {
            if index > 0 { arguments.append("--next") }
            let output = index == requests.count - 1 ? "-" : "/dev/null"
            arguments += ["-sS", "--max-time", String(limit), "-o", output, "-w", format] + request
        }
        let curl = try await FinishedProgram("/usr/bin/curl", arguments)
        guard let code = curl.exit else { throw Killed() }
        let message = curl.errors
        var seen = CurlResult(exit: Int(code), body: curl.output, message: message)
        guard let line = message.split(separator: "\n").last(where: { $0.hasPrefix("@") }) else { return seen }
        let numbers = line.dropFirst().split(separator: " ")
        guard numbers.count == 4 else { return seen }
        seen.status = Int(numbers[0]) ?? 0
        seen.headBytes = Int(numbers[1]) ?? 0
        seen.seconds = Double(numbers[2]) ?? 0
        seen.connects = Int(numbers[3]) ?? 0
        return seen
    }

    struct Killed: Error {}
}
