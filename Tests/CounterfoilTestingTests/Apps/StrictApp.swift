import CounterfoilTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An app that knows its bank's address and nothing else, and demands every member that its models name.
///
/// A member that is missing, a word that is not in an enumeration or a date in another form fails the whole response, as a synthesized
/// `Decodable` does.
struct StrictApp {
    let baseURL: URL
    private let http: URLSession

    init(baseURL: URL) {
        self.baseURL = baseURL
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 60
        http = URLSession(configuration: configuration)
    }

    /// Sends one request as the app does, and returns the body of its response, redirects followed.
    ///
    /// - Parameter target: path and query, with the slash between the base URL and the path.
    func send(_ method: String = "GET", _ target: String, headers: [String: String] = [:], body: Data? = nil) async throws -> Data {
        var request = URLRequest(url: try #require(URL(string: baseURL.absoluteString + target)))
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.addValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await http.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else {
            throw Rejected(description: "\(method) \(target): \(status) \(String(decoding: data, as: UTF8.self))")
        }
        return data
    }

    /// The bank's response is no success.
    struct Rejected: Error, CustomStringConvertible {
        let description: String
    }
}

extension DateFormatter {
    /// A formatter of that pattern, in the days of the device.
    static func strict(_ pattern: String) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = pattern
        formatter.isLenient = false
        return formatter
    }
}
