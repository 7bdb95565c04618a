import BankModel
import CCurl

/// What each way in which libcurl can end means for a bank client.
enum CurlOutcome {
    /// The error for a code that is not `CURLE_OK`, and whether an answer broke off.
    ///
    /// Codes measured on curl 7.88.1 against a bare socket server: FIN before any byte 52, RST 56, a short body 18,
    /// bytes that are no HTTP 1, a header line of 200 kB 27, a bad chunk 56, TLS cut 35, certificate 60.
    static func meaning(of code: CURLcode) -> (error: ClientError, torn: Bool) {
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: (.offline, false)
        case CURLE_OPERATION_TIMEDOUT: (.timeout, false)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CLIENTCERT, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
            (.tls, false)
        case CURLE_FILESIZE_EXCEEDED, CURLE_OUT_OF_MEMORY: (.tooLarge, false)
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_SEND_FAIL_REWIND:
            (.offline, true)
        case CURLE_PARTIAL_FILE, CURLE_BAD_CONTENT_ENCODING, CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: (.decode, true)
        case CURLE_TOO_MANY_REDIRECTS, CURLE_URL_MALFORMAT: (.decode, false)
        case CURLE_ABORTED_BY_CALLBACK: (.cancelled, false)
        default: (.offline, false)
        }
    }

    /// The code with libcurl's own words, and the more precise ones it left in the transfer's buffer.
    static func text(of code: CURLcode, buffer: String) -> String {
        let general = String(cString: ccurl_easy_strerror(code))
        return "curl \(code.rawValue): \(general)" + (buffer.isEmpty || buffer == general ? "" : " (\(buffer))")
    }
}
