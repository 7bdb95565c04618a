import BankClient
import Foundation

/// A redirect as a client that follows it sees it.
struct Redirect {
    var status: Int
    var url: String
    /// Whether it leads to the same host under the same scheme.
    var isSameOrigin: Bool
    var isSameHost: Bool
    /// From https to http.
    var isDowngrade: Bool

    /// - Returns: nil for any other answer.
    init?(_ response: HTTPResponse, to request: HTTPRequest) {
        guard (300..<400).contains(response.status), let location = response.headers["Location"], let to = URLComponents(string: location),
            let from = URLComponents(string: request.url)
        else { return nil }
        status = response.status
        url = location
        isSameHost = to.host == from.host
        isSameOrigin = isSameHost && to.scheme == from.scheme
        isDowngrade = from.scheme == "https" && to.scheme == "http"
    }

    /// Whether method and body are to be sent again (RFC 9110 §15.4.8 and §15.4.9).
    var keepsMethod: Bool { status == 307 || status == 308 }
}
