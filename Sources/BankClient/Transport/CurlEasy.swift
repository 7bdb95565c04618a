import BankModel
import CCurl

/// The common settings of a transport's requests.
struct CurlCommon: Sendable {
    /// A PEM file of trusted authorities besides the system's.
    var caFile: String?
    /// The public keys that a server may have; empty for any that the authority vouches for.
    var pins: [String] = []
    /// Sent unless a request sets another.
    var userAgent: String
    /// True if a path is sent as written, including its `.` and `..`.
    var keepsDots = false
}

/// One easy handle with the memory it borrows, reused for one transfer after another. Confined to the loop's thread.
final class CurlEasy {
    let handle: UnsafeMutableRawPointer
    private(set) var transfer: CurlTransfer?
    /// The receipt of the transfer; the callbacks for its head and body receive its address.
    let receipt: UnsafeMutablePointer<CurlReceipt>
    private let common: CurlCommon
    private let sockets: CurlSockets
    /// True if the connection for the transfer carries bytes that belong to no response: libcurl closes it, and the transfer begins again.
    private var hasFoundLeftover = false
    private let errorText: UnsafeMutablePointer<CChar>
    private var headerList: UnsafeMutablePointer<curl_slist>?
    /// The transfer's address, which libcurl borrows.
    private var address: CurlAddress?

    /// nil if libcurl is out of memory.
    ///
    /// - Parameter sockets: those of its multi handle.
    init?(_ common: CurlCommon, _ sockets: CurlSockets) {
        guard let handle = ccurl_easy_init() else { return nil }
        self.handle = handle
        self.common = common
        self.sockets = sockets
        receipt = .allocate(capacity: 1)
        receipt.initialize(to: CurlReceipt())
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        ccurl_easy_cleanup(handle)
        ccurl_slist_free_all(headerList)
        errorText.deallocate()
        receipt.deinitialize(count: 1)
        receipt.deallocate()
    }

    /// The handle of a callback or a message of libcurl's, by the pointer that libcurl was given for it.
    ///
    /// It is alive: ``CurlTransfers`` holds it for as long as libcurl does.
    static func of(_ box: UnsafeRawPointer) -> CurlEasy { Unmanaged<CurlEasy>.fromOpaque(box).takeUnretainedValue() }

    /// Sets the handle up for this transfer. False if libcurl rejects an option: nothing is sent then.
    func prepare(_ transfer: CurlTransfer, _ receipt: CurlReceipt, _ address: CurlAddress) -> Bool {
        self.transfer = transfer
        self.address = address
        self.receipt.pointee = receipt
        return setPolicy() && setTLS() && setCallbacks() && pointer(CURLOPT_CURLU, UnsafeMutableRawPointer(address.handle))
            && setLimits(receipt.limits) && setCoding(transfer.request) && setMessage(transfer.request)
    }

    /// Removes the transfer: nothing of it, in particular not its token, remains for the next one. Connections belong to the
    /// multi handle and remain.
    func clear() {
        ccurl_easy_reset(handle)
        ccurl_slist_free_all(headerList)
        headerList = nil
        address = nil
        errorText.pointee = 0
        transfer = nil
        hasFoundLeftover = false
        receipt.pointee = CurlReceipt()
    }

    private func setPolicy() -> Bool {
        // No environment, no netrc, no cookies, no HSTS, no alt-svc, no signals: only the request itself is sent.
        string(CURLOPT_PROTOCOLS_STR, "http,https") && string(CURLOPT_PROXY, "") && string(CURLOPT_NOPROXY, "*")
            && string(CURLOPT_USERAGENT, common.userAgent)
            && long(CURLOPT_FOLLOWLOCATION, 0) && long(CURLOPT_NOSIGNAL, 1) && long(CURLOPT_NETRC, 0)
            && long(CURLOPT_HTTP09_ALLOWED, 0) && long(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    }

    private func setLimits(_ limits: TransportLimits) -> Bool {
        long(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(limits.connect)) && long(CURLOPT_TIMEOUT_MS, milliseconds(limits.total))
            && ccurl_set_offset(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(limits.bodyBytes)) == CURLE_OK
    }

    /// Asks for compressed answers, which libcurl unpacks piece by piece, so that the limit is one of unpacked bytes; not if the request
    /// sets itself what it accepts.
    private func setCoding(_ request: HTTPRequest) -> Bool {
        !request.unpacksAnswer || string(CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
    }

    private func setTLS() -> Bool {
        long(CURLOPT_SSL_VERIFYPEER, 1) && long(CURLOPT_SSL_VERIFYHOST, 2)
            && long(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)) && (common.caFile.map { string(CURLOPT_CAINFO, $0) } ?? true)
            && setPins()
    }

    /// The certificate is verified besides: a pin replaces nothing.
    private func setPins() -> Bool {
        common.pins.isEmpty || string(CURLOPT_PINNEDPUBLICKEY, common.pins.map { "sha256//\($0)" }.joined(separator: ";"))
    }

    private func setMessage(_ request: HTTPRequest) -> Bool {
        var isListed = request.headers.lines.allSatisfy { addLine("\($0.name): \($0.value)") }
        if request.body != nil {
            // libcurl would add these lines to a body by itself.
            isListed = isListed && (request.headers["Content-Type"] != nil || addLine("Content-Type:")) && addLine("Expect:")
        }
        guard isListed, ccurl_set_list(handle, CURLOPT_HTTPHEADER, headerList) == CURLE_OK else { return false }
        if request.needsNewConnection, !long(CURLOPT_FRESH_CONNECT, 1) { return false }
        if let body = request.body {
            guard ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)) == CURLE_OK,
                body.withUnsafeBytes({ ccurl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(errorText)) })
                    == CURLE_OK
            else { return false }
        }
        switch request.method {
        case "GET" where request.body == nil: return true
        case "HEAD": return long(CURLOPT_NOBODY, 1)
        default: return string(CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    private func addLine(_ line: String) -> Bool {
        guard let longer = ccurl_slist_append(headerList, line) else { return false }
        headerList = longer
        return true
    }

    private func setCallbacks() -> Bool {
        let onHead: ccurl_data_callback = { data, size, count, box in
            CurlEasy.gather(data, size * count, box) { $0.append(headLine: $1) }
        }
        let onBody: ccurl_data_callback = { data, size, count, box in
            CurlEasy.gather(data, size * count, box) { $0.append(body: $1) }
        }
        let onReady: ccurl_prereq_callback = { box, _, _, _, localPort in
            guard let box, CurlEasy.of(box).mayUseConnection(localPort: localPort) else { return CURL_PREREQFUNC_ABORT }
            return CURL_PREREQFUNC_OK
        }
        let onSocket: ccurl_socket_callback = { box, socket, _ in
            if let box { CurlEasy.of(box).sockets.add(socket) }
            return CURL_SOCKOPT_OK
        }
        let box = Unmanaged.passUnretained(self).toOpaque()
        return ccurl_set_data_callback(handle, CURLOPT_HEADERFUNCTION, onHead) == CURLE_OK
            && ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION, onBody) == CURLE_OK
            && ccurl_set_prereq_callback(handle, onReady) == CURLE_OK
            && ccurl_set_socket_callback(handle, onSocket) == CURLE_OK && pointer(CURLOPT_SOCKOPTDATA, box)
            && pointer(CURLOPT_HEADERDATA, receipt) && pointer(CURLOPT_WRITEDATA, receipt) && pointer(CURLOPT_PREREQDATA, box)
            && pointer(CURLOPT_PRIVATE, box) && pointer(CURLOPT_ERRORBUFFER, errorText)
    }

    /// Appends libcurl's bytes to a receipt. Any result but their number makes libcurl end the transfer.
    private static func gather(
        _ data: UnsafeMutablePointer<CChar>?, _ length: Int, _ receipt: UnsafeMutableRawPointer?,
        _ append: (inout CurlReceipt, UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Int {
        guard let data, let receipt else { return 0 }
        let bytes = UnsafeRawBufferPointer(start: data, count: length).assumingMemoryBound(to: UInt8.self)
        return append(&receipt.assumingMemoryBound(to: CurlReceipt.self).pointee, bytes) ? length : 0
    }

    /// A connection is ready; the request is written next, unless it is a kept-alive one that carries bytes that belong to no response.
    private func mayUseConnection(localPort: Int32) -> Bool {
        // Queried now, as the transfer has its connection only until it ends.
        let hasAgreedOnHTTP2 = ccurl_agreed_on_http2(handle)
        // On HTTP/2 frames may come at any time. On a new connection TLS's own messages may wait; without TLS libcurl looks itself.
        let isKept = info(CURLINFO_NUM_CONNECTS) == 0
        if isKept, !hasAgreedOnHTTP2, transfer?.request.url.hasPrefix("https:") == true, sockets.hasUnreadBytes(localPort: localPort) {
            hasFoundLeftover = true
            return false
        }
        receipt.pointee.mayHaveLeft = true
        receipt.pointee.hasAgreedOnHTTP2 = hasAgreedOnHTTP2
        return true
    }

    /// Whether the transfer ended only because its connection carried bytes that belong to no response, before anything was sent; true once.
    func takesAnotherConnection() -> Bool {
        defer { hasFoundLeftover = false }
        return hasFoundLeftover
    }

    /// The transfer's outcome, once libcurl has reported its end.
    ///
    /// - Parameter isCancelled: whether it was cancelled before.
    func outcome(_ code: CURLcode, isCancelled: Bool) -> CurlTransfer.Outcome {
        if isCancelled { return .failure(receipt.pointee.calledOff) }
        if let tooLarge = receipt.pointee.tooLarge {
            return .failure(TransportFailure(.tooLarge, "found \(tooLarge)", mayHaveLeft: receipt.pointee.mayHaveLeft))
        }
        guard code == CURLE_OK else {
            let meaning = CurlOutcome.meaning(of: code) ?? CurlOutcome.unforeseen
            let text = CurlOutcome.text(of: code, buffer: String(cString: errorText))
            return .failure(TransportFailure(meaning.error, text, mayHaveLeft: receipt.pointee.mayHaveLeft, torn: meaning.torn))
        }
        var redirect: UnsafePointer<CChar>?
        _ = ccurl_get_string(handle, CURLINFO_REDIRECT_URL, &redirect)
        var scheme: UnsafePointer<CChar>?
        _ = ccurl_get_string(handle, CURLINFO_SCHEME, &scheme)
        // In capitals before libcurl 8.
        let speaksHTTP2 = receipt.pointee.hasAgreedOnHTTP2 && scheme.map { String(cString: $0).lowercased() } == "https"
        var packed = curl_off_t(0)
        _ = ccurl_get_offset(handle, CURLINFO_SIZE_DOWNLOAD_T, &packed)
        return .success(
            receipt.pointee.handOver(speaksHTTP2: speaksHTTP2, redirect: redirect.map { String(cString: $0) }, packedBytes: Int(packed)))
    }

    private func info(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_long(handle, info, &value) == CURLE_OK ? value : 0
    }

    private func long(_ option: CURLoption, _ value: Int) -> Bool { ccurl_set_long(handle, option, value) == CURLE_OK }
    private func string(_ option: CURLoption, _ value: String) -> Bool {
        value.withCString { ccurl_set_string(handle, option, $0) } == CURLE_OK
    }
    private func pointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer) -> Bool {
        ccurl_set_pointer(handle, option, value) == CURLE_OK
    }

    /// At least one: zero would mean no limit to libcurl.
    private func milliseconds(_ duration: Duration) -> Int { max(1, Int(duration.nanoseconds / 1_000_000)) }
}
