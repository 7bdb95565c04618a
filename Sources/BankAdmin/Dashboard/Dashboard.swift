import BankModel
import Crypto
import HTTPTypes
import Hummingbird
import NIOCore

/// The dashboard: one page that uses only the admin API.
///
/// Its parts are files of this folder, which the build embeds in the program. The page contains no data, and its policy allows only
/// the built-in script, which inserts the API's data as text (`require-trusted-types-for` prevents any other way).
struct Dashboard: Sendable {
    /// The page, built when it is first asked for: most servers never show it, and it takes a seventh of their start.
    static let built = Dashboard()

    private let page: ByteBuffer
    /// The `Content-Security-Policy`: style and script by their hashes (CSP Level 3 §2.3.1).
    let policy: String

    private static let styles = [
        PackageResources.base_css, PackageResources.frame_css, PackageResources.journal_css, PackageResources.dialogs_css,
    ]

    /// The modules, each after those that it imports.
    private static let modules = [
        PackageResources.base_js, PackageResources.text_js, PackageResources.address_js, PackageResources.view_js,
        PackageResources.api_js, PackageResources.entry_js, PackageResources.timeline_js, PackageResources.query_js,
        PackageResources.diff_js, PackageResources.texts_js, PackageResources.rows_js, PackageResources.journal_js,
        PackageResources.again_js, PackageResources.compare_js, PackageResources.exchange_js, PackageResources.verdict_js,
        PackageResources.fields_js, PackageResources.rules_js, PackageResources.faults_js, PackageResources.outage_js,
        PackageResources.state_js, PackageResources.sessions_js, PackageResources.keys_js, PackageResources.main_js,
    ]

    init() {
        let style = "\n" + Dashboard.styles.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        let script = "\n" + Dashboard.modules.map { Dashboard.body(of: $0) }.joined(separator: "\n")
        let frame = String(decoding: PackageResources.dashboard_html, as: UTF8.self)
        let text = frame.replacing("<style></style>", with: "<style>\(style)</style>")
            .replacing("<script type=\"module\"></script>", with: "<script type=\"module\">\(script)</script>")
        page = ByteBuffer(string: text)
        policy = [
            "default-src 'none'", "script-src \(Dashboard.source(script))", "style-src \(Dashboard.source(style))", "connect-src 'self'",
            "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    /// A module without its imports and exports: all modules become one script, so that the policy can name it by its hash.
    ///
    /// Each import stands on a line of its own, and no two modules declare the same name (a test holds both).
    private static func body(of module: [UInt8]) -> String {
        let lines = module.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let kept = lines.filter { !$0.starts(with: "import ".utf8) }.map { $0.starts(with: "export ".utf8) ? $0.dropFirst(7) : $0 }
        return String(decoding: Array(kept.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self)
    }

    /// The source expression that allows exactly this text.
    private static func source(_ text: String) -> String {
        "'sha256-\(Base64.encoded(Array(SHA256.hash(data: Array(text.utf8)))))'"
    }

    /// The page.
    var response: Response {
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .contentSecurityPolicy: policy,
            .xContentTypeOptions: "nosniff",
        ]
        for (name, value) in Dashboard.others {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: page))
    }

    private static let others: KeyValuePairs = [
        "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    ]
}

extension AdminAPI {
    /// Adds the page at `/`. It needs no token; the guard checks only `Host`.
    func addDashboard(to router: Router<Context>) {
        router.get("/") { _, _ in Dashboard.built.response }
    }
}
