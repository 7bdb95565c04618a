import BankClient
import BankModel
import Foundation
import Platform

/// HTTP/1.1 over a bare socket, one connection a request: what comes until the bank closes it is the answer.
struct PlainSocket {
    private let head: String
    private let body: [UInt8]
    private let host: String
    private let port: UInt16
    private let milliseconds: Int

    /// - Parameter milliseconds: how long to wait for each piece of the answer.
    /// - Returns: nil for what is not plain HTTP to an IPv4 address.
    init?(_ request: HTTPRequest, milliseconds: Int) {
        guard let url = URLComponents(string: request.url), url.scheme == "http", let host = url.host, let port = url.port else {
            return nil
        }
        var path = url.percentEncodedPath
        if let query = url.percentEncodedQuery { path += "?" + query }
        var lines = ["\(request.method) \(path) HTTP/1.1", "Host: \(host):\(port)", "Connection: close"]
        lines += request.headers.lines.map { "\($0.name): \($0.value)" }
        if let body = request.body { lines.append("Content-Length: \(body.count)") }
        head = lines.joined(separator: "\r\n") + "\r\n\r\n"
        body = request.body ?? []
        self.host = host == "localhost" ? "127.0.0.1" : host
        self.port = UInt16(clamping: port)
        self.milliseconds = milliseconds
    }

    /// - Throws: ``TransportFailure`` `offline` if it cannot connect, `decode` for an answer without a head.
    func answer() throws(TransportFailure) -> HTTPResponse {
        guard let socket = StreamSocket.open() else { throw TransportFailure(.offline, "no socket", mayHaveLeft: false) }
        defer { socket.close() }
        socket.setTimeouts(milliseconds: milliseconds)
        guard socket.connect(to: Int(port), of: host) else { throw TransportFailure(.offline, "cannot connect", mayHaveLeft: false) }
        let sent = Array(head.utf8) + body
        guard sent.withUnsafeBytes({ socket.send($0) }) == sent.count else {
            throw TransportFailure(.offline, "cannot send", mayHaveLeft: true, torn: true)
        }
        var received: [UInt8] = []
        var piece: [UInt8] = Array(repeating: 0, count: 65_536)
        while true {
            let count = recv(socket.descriptor, &piece, piece.count, 0)
            guard count > 0 else { break }
            received += piece[..<count]
        }
        return try PlainSocket.response(received)
    }

    private static func response(_ bytes: [UInt8]) throws(TransportFailure) -> HTTPResponse {
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: Array("\r\n\r\n".utf8)) }) else {
            throw TransportFailure(.decode, "no head", mayHaveLeft: true, torn: true)
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw TransportFailure(.decode, "no status", mayHaveLeft: true)
        }
        var headers = HTTPHeaders()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers.append(String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        return HTTPResponse(status: status, headers: headers, body: Array(bytes[(end + 4)...]))
    }
}
