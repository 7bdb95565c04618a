/// The parts of a request or answer that may be printed, dumped or logged: never an identifying header, never a body.
///
/// A body holds a password or a token at a sign-in, and a customer's data at any other time.
extension HTTPHeaders.Line: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private static let secret: Set = ["authorization", "proxy-authorization", "cookie", "set-cookie", "consent-id"]

    package var description: String { "\(name): " + (HTTPHeaders.Line.secret.contains(name.lowercased()) ? "(redacted)" : value) }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { lines.description }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["lines": lines]) }
}

extension HTTPRequest: CustomDebugStringConvertible, CustomReflectable {
    package var debugDescription: String { description }
    package var customMirror: Mirror {
        Mirror(self, children: ["method": method, "url": url, "headers": headers, "bytesOfBody": body?.count ?? 0])
    }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "status \(status), \(body.count) bytes of \(mediaType.isEmpty ? "no type" : mediaType)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["status": status, "headers": headers, "bytesOfBody": body.count]) }
}

extension BankCall: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(method) \(path)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror {
        Mirror(self, children: ["method": method, "path": path, "headers": headers, "bytesOfBody": body?.count ?? 0])
    }
}
