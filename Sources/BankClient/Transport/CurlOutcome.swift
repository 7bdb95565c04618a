import BankModel
import CCurl

/// The meaning of each libcurl result for a bank client.
enum CurlOutcome {
    struct Meaning: Hashable {
        var error: ClientError
        /// True if a response may have begun and been truncated.
        var torn: Bool
    }

    /// The meaning of a code that is not `CURLE_OK`; nil for an unknown one, of a newer libcurl.
    static func meaning(of code: CURLcode) -> Meaning? { table[code.rawValue] }

    /// The meaning of an unknown code: reported with its text, and treated as a lost connection.
    static let unforeseen = Meaning(error: .offline, torn: true)

    /// The code with libcurl's own text, what else it can mean, and the more precise text from the transfer's buffer.
    static func text(of code: CURLcode, buffer: String) -> String {
        let general = String(cString: ccurl_easy_strerror(code))
        let remark = code == CURLE_OUT_OF_MEMORY ? ", or a header line over 100 KiB" : ""
        // "Failed to connect to 127.0.0.1 port 8081 after 0 ms: Couldn't connect to server" has the general text in it.
        if buffer.contains(general) { return "curl \(code.rawValue): \(buffer)\(remark)" }
        return "curl \(code.rawValue): \(general)\(remark)" + (buffer.isEmpty ? "" : " (\(buffer))")
    }

    /// libcurl 7.88.1's codes by meaning, and by number those of newer versions.
    ///
    /// Measured against a bare socket server: FIN before any byte 52, RST 56, a short body 18, bytes that are not HTTP 1, a
    /// bad chunk 56, TLS cut 35, certificate 60; HTTP/2: GOAWAY 16 or 18, a stream reset 92.
    private static let groups: [(meaning: Meaning, codes: [CURLcode])] = [
        // No connection was made, or the machine denied what is needed for one.
        (
            Meaning(error: .offline, torn: false),
            [
                CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED,
                CURLE_NO_CONNECTION_AVAILABLE, CURLE_PROXY, CURLE_QUIC_CONNECT_ERROR, CURLE_FAILED_INIT, CURLE_UNRECOVERABLE_POLL,
            ]
        ),
        // The connection or its stream was lost.
        (
            Meaning(error: .offline, torn: true),
            [
                CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_SEND_FAIL_REWIND,
                CURLE_AGAIN,
            ]
        ),
        // The response is truncated, or not HTTP.
        (
            Meaning(error: .decode, torn: true),
            [CURLE_PARTIAL_FILE, CURLE_BAD_CONTENT_ENCODING, CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_WRITE_ERROR]
        ),
        (Meaning(error: .timeout, torn: false), [CURLE_OPERATION_TIMEDOUT, CURLE_FTP_ACCEPT_TIMEOUT]),
        // The certificate or the handshake failed, or this side's files for them.
        (
            Meaning(error: .tls, torn: false),
            [
                CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
                CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
                CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
                CURLE_SSL_CLIENTCERT, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED, CURLcode(101),
            ]
        ),
        // libcurl reports a header line beyond its own 100 KiB as "out of memory"; newer versions report 100.
        (Meaning(error: .tooLarge, torn: false), [CURLE_FILESIZE_EXCEEDED, CURLE_OUT_OF_MEMORY, CURLcode(100)]),
        // The response is not as agreed.
        (
            Meaning(error: .decode, torn: false),
            [CURLE_TOO_MANY_REDIRECTS, CURLE_URL_MALFORMAT, CURLE_HTTP_RETURNED_ERROR, CURLE_RANGE_ERROR, CURLE_BAD_DOWNLOAD_RESUME]
        ),
        (Meaning(error: .cancelled, torn: false), [CURLE_ABORTED_BY_CALLBACK]),
        // Codes of other protocols and of wrong use of the library: they cannot end a request of this client, which uses only
        // HTTP. If one does nonetheless, it counts as an unreachable bank. 34 and 41 have other names in newer headers.
        (
            Meaning(error: .offline, torn: true),
            [
                CURLE_NOT_BUILT_IN, CURLE_REMOTE_ACCESS_DENIED, CURLE_FTP_ACCEPT_FAILED, CURLE_FTP_WEIRD_PASS_REPLY,
                CURLE_FTP_WEIRD_PASV_REPLY, CURLE_FTP_WEIRD_227_FORMAT, CURLE_FTP_CANT_GET_HOST, CURLE_FTP_COULDNT_SET_TYPE,
                CURLE_FTP_COULDNT_RETR_FILE, CURLE_OBSOLETE20, CURLE_QUOTE_ERROR, CURLE_OBSOLETE24, CURLE_UPLOAD_FAILED,
                CURLE_READ_ERROR, CURLE_OBSOLETE29, CURLE_FTP_PORT_FAILED, CURLE_FTP_COULDNT_USE_REST, CURLE_OBSOLETE32,
                CURLcode(34), CURLE_FILE_COULDNT_READ_FILE, CURLE_LDAP_CANNOT_BIND, CURLE_LDAP_SEARCH_FAILED,
                CURLE_OBSOLETE40, CURLcode(41), CURLE_BAD_FUNCTION_ARGUMENT, CURLE_OBSOLETE44, CURLE_OBSOLETE46,
                CURLE_UNKNOWN_OPTION, CURLE_SETOPT_OPTION_SYNTAX, CURLE_OBSOLETE50, CURLE_OBSOLETE51, CURLE_OBSOLETE57,
                CURLE_OBSOLETE62, CURLE_LOGIN_DENIED, CURLE_TFTP_NOTFOUND, CURLE_TFTP_PERM, CURLE_REMOTE_DISK_FULL,
                CURLE_TFTP_ILLEGAL, CURLE_TFTP_UNKNOWNID, CURLE_REMOTE_FILE_EXISTS, CURLE_TFTP_NOSUCHUSER, CURLE_OBSOLETE75,
                CURLE_OBSOLETE76, CURLE_REMOTE_FILE_NOT_FOUND, CURLE_SSH, CURLE_FTP_PRET_FAILED, CURLE_RTSP_CSEQ_ERROR,
                CURLE_RTSP_SESSION_ERROR, CURLE_FTP_BAD_FILE_LIST, CURLE_CHUNK_FAILED, CURLE_RECURSIVE_API_CALL, CURLE_AUTH_ERROR,
            ]
        ),
    ]

    private static let table: [UInt32: Meaning] = groups.reduce(into: [:]) { table, group in
        for code in group.codes { table[code.rawValue] = group.meaning }
    }
}
