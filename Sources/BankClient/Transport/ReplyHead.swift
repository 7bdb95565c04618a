/// The head of an answer, gathered line by line.
struct ReplyHead {
    private(set) var headers = HTTPHeaders()
    /// True once the empty line has come.
    private(set) var isComplete = false
    /// All bytes of all heads of the exchange, interim ones too.
    private(set) var bytes = 0
    private var status = 0

    /// Takes a line with its line end. A status line begins anew (after `100 Continue`); lines after the empty one are
    /// trailers, which nothing here needs.
    mutating func take(line: some Collection<UInt8>) {
        bytes += line.count
        var line = String(decoding: line, as: UTF8.self)[...]
        while let last = line.last, last.isNewline { line.removeLast() }
        if line.hasPrefix("HTTP/") {
            (headers, isComplete) = (HTTPHeaders(), false)
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        } else if isComplete {
            return
        } else if line.isEmpty {
            isComplete = true
        } else if let colon = line.firstIndex(of: ":") {
            headers.append(String(line[..<colon]), trimmed(line[line.index(after: colon)...]))
        }
    }

    /// Why this is no whole answer although libcurl calls it one; nil if it is whole.
    ///
    /// curl 7.88.1 takes a head that ends with the connection, even inside a header's name, for an answer with no body.
    /// - Parameter framedByStream: true on HTTP/2, where the stream's end is the body's.
    func fault(bodyBytes: Int, framedByStream: Bool, method: String) -> String? {
        guard isComplete else { return "the head broke off before its empty line" }
        if method == "HEAD" || status == 204 || status == 304 { return nil }
        if let coding = headers["Content-Encoding"], coding.lowercased() != "identity" {
            return "found Content-Encoding: \(coding), expected none, as none was asked for"
        }
        if framedByStream { return nil }
        if headers["Transfer-Encoding"]?.lowercased().contains("chunked") == true { return nil }
        guard let stated = headers["Content-Length"] else {
            return "neither Content-Length nor chunks: whether the body came whole cannot be known"
        }
        guard let length = Int(stated), length == bodyBytes else { return "found \(bodyBytes) bytes of body, expected \(stated)" }
        return nil
    }

    private func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}
