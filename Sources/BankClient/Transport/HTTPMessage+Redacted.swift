/// The parts of a request or answer that may be printed, dumped or logged: never an identifying header, never a body.
///
/// A body holds a password or a token at a sign-in, and a customer's data at any other time.
extension HTTPHeaders.Line: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private static let secret: Set = ["authorization", "proxy-authorization", "cookie", "set-cookie"]

    public var description: String { "\(name): " + (HTTPHeaders.Line.secret.contains(name.lowercased()) ? "(redacted)" : value) }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { lines.description }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["lines": lines]) }
}

extension HTTPRequest: CustomDebugStringConvertible, CustomReflectable {
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        Mirror(self, children: ["method": method, "url": url, "headers": headers, "bytesOfBody": body?.count ?? 0])
    }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "status \(status), \(body.count) bytes of \(mediaType.isEmpty ? "no type" : mediaType)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["status": status, "headers": headers, "bytesOfBody": body.count]) }
}

extension BankCall: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(method) \(path)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        Mirror(self, children: ["method": method, "path": path, "headers": headers, "bytesOfBody": body?.count ?? 0])
    }
}
