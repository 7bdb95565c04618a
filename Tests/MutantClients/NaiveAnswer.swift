import BankClient
import CCurl
import Platform

/// The bytes that libcurl has received so far.
final class NaiveAnswer: Sendable {
    private let gathered = Locked((response: HTTPResponse(status: 0), sent: 0))
    private let sendsOnce: Bool
    private let mayGoOn: @Sendable () -> Bool

    /// - Parameters:
    ///   - sendsOnce: keeps libcurl from sending again by itself when a kept connection is dead.
    ///   - mayGoOn: asked when the connection is there, before anything is sent.
    init(sendsOnce: Bool, mayGoOn: @escaping @Sendable () -> Bool = { true }) {
        self.sendsOnce = sendsOnce
        self.mayGoOn = mayGoOn
    }

    var response: HTTPResponse { gathered.withLock { $0.response } }

    private func take(line bytes: UnsafeRawBufferPointer) {
        let line = String(decoding: bytes, as: UTF8.self).filter { $0 != "\r" && $0 != "\n" && $0 != "\r\n" }
        gathered.withLock { gathered in
            if line.hasPrefix("HTTP/") {
                // An answer: what comes next is another request, not the same once more.
                gathered.sent = 0
                gathered.response = HTTPResponse(status: line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
            } else if let colon = line.firstIndex(of: ":") {
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                gathered.response.headers.append(String(line[..<colon]), String(value))
            }
        }
    }

    private func take(body bytes: UnsafeRawBufferPointer) { gathered.withLock { $0.response.body += Array(bytes) } }

    private func maySend() -> Bool {
        guard mayGoOn() else { return false }
        return gathered.withLock { gathered in
            gathered.sent += 1
            return !sendsOnce || gathered.sent == 1
        }
    }

    /// Lets a transfer bring its answer here.
    static func gather(_ easy: UnsafeMutableRawPointer, _ box: UnsafeMutableRawPointer) {
        ccurl_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { data, size, count, box in
            guard let data, let box else { return 0 }
            Unmanaged<NaiveAnswer>.fromOpaque(box).takeUnretainedValue().take(
                line: UnsafeRawBufferPointer(start: data, count: size * count))
            return size * count
        }
        ccurl_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { data, size, count, box in
            guard let data, let box else { return 0 }
            Unmanaged<NaiveAnswer>.fromOpaque(box).takeUnretainedValue().take(
                body: UnsafeRawBufferPointer(start: data, count: size * count))
            return size * count
        }
        ccurl_set_prereq_callback(easy) { box, _, _, _, _ in
            guard let box, Unmanaged<NaiveAnswer>.fromOpaque(box).takeUnretainedValue().maySend() else { return CURL_PREREQFUNC_ABORT }
            return CURL_PREREQFUNC_OK
        }
        for option in [CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_PREREQDATA] { ccurl_set_pointer(easy, option, box) }
    }
}
