import BankModel
import CCurl
import Testing

@testable import BankClient

/// Every libcurl result has a meaning.
struct CurlOutcomeTests {
    @Test(arguments: 1..<CURL_LAST.rawValue)
    func `each code of libcurl's header has a meaning`(_ code: UInt32) {
        let meaning = CurlOutcome.meaning(of: CURLcode(code))

        #expect(meaning != nil, "curl \(code): \(String(cString: ccurl_easy_strerror(CURLcode(code))))")
    }

    @Test func `each code's text begins with its number and libcurl's words`() {
        for code in 1..<CURL_LAST.rawValue {
            let words = String(cString: ccurl_easy_strerror(CURLcode(code)))

            let remark = CURLcode(code) == CURLE_OUT_OF_MEMORY ? ", or a header line over 100 KiB" : ""
            #expect(CurlOutcome.text(of: CURLcode(code), buffer: "") == "curl \(code): \(words)\(remark)")
        }
        #expect(CurlOutcome.text(of: CURLE_GOT_NOTHING, buffer: "Empty reply").hasSuffix(" (Empty reply)"))
        let words = String(cString: ccurl_easy_strerror(CURLE_COULDNT_CONNECT))
        #expect(CurlOutcome.text(of: CURLE_COULDNT_CONNECT, buffer: "Port 1: \(words)") == "curl 7: Port 1: \(words)")
    }

    /// The table of errors in the driver protocol, for the codes that a request over HTTP can end with.
    @Test(
        arguments: [
            (CURLE_COULDNT_RESOLVE_HOST, "offline", false), (CURLE_COULDNT_CONNECT, "offline", false),
            (CURLE_NO_CONNECTION_AVAILABLE, "offline", false), (CURLE_GOT_NOTHING, "offline", true), (CURLE_RECV_ERROR, "offline", true),
            (CURLE_SEND_ERROR, "offline", true), (CURLE_HTTP2, "offline", true), (CURLE_HTTP2_STREAM, "offline", true),
            (CURLE_PARTIAL_FILE, "decode", true), (CURLE_BAD_CONTENT_ENCODING, "decode", true),
            (CURLE_UNSUPPORTED_PROTOCOL, "decode", true), (CURLE_WEIRD_SERVER_REPLY, "decode", true),
            (CURLE_TOO_MANY_REDIRECTS, "decode", false), (CURLE_OPERATION_TIMEDOUT, "timeout", false),
            (CURLE_SSL_CONNECT_ERROR, "tls", false), (CURLE_PEER_FAILED_VERIFICATION, "tls", false),
            (CURLE_SSL_CACERT_BADFILE, "tls", false), (CURLE_FILESIZE_EXCEEDED, "too_large", false),
            (CURLE_OUT_OF_MEMORY, "too_large", false), (CURLE_ABORTED_BY_CALLBACK, "cancelled", false),
        ])
    func `the codes have the meanings of the driver protocol`(_ code: CURLcode, _ error: String, _ torn: Bool) {
        #expect(CurlOutcome.meaning(of: code)?.error.rawValue == error)
        #expect(CurlOutcome.meaning(of: code)?.torn == torn)
    }

    @Test func `a code of a libcurl yet to come has its number in the text and is a lost connection`() {
        #expect(CurlOutcome.meaning(of: CURLcode(4000)) == nil)
        #expect(CurlOutcome.text(of: CURLcode(4000), buffer: "").hasPrefix("curl 4000: "))
        #expect(CurlOutcome.unforeseen.error == .offline)
    }
}
