import BankModel
import CDashboard
import Crypto
import NIOCore
import NIOHTTP1

/// The dashboard: one page that uses only the admin API.
///
/// Its parts are the files of `CDashboard`, which the build embeds in the program. The page contains no data, and its policy allows only
/// the built-in script, which inserts the API's data as text (`require-trusted-types-for` prevents any other way).
struct Dashboard: Sendable {
    /// The page, built when it is first asked for: most servers never show it, and it takes a seventh of their start.
    static let built = Dashboard()

    private let page: ByteBuffer
    /// The `Content-Security-Policy`: style and script by their hashes (CSP Level 3 §2.3.1).
    let policy: String

    init() {
        let style = String(decoding: Dashboard.bytes(dashboardStyle()), as: UTF8.self)
        let script = Dashboard.script(of: Dashboard.bytes(dashboardModules()))
        let frame = String(decoding: Dashboard.bytes(dashboardFrame()), as: UTF8.self)
        let text = frame.replacing("<style></style>", with: "<style>\(style)</style>")
            .replacing("<script type=\"module\"></script>", with: "<script type=\"module\">\(script)</script>")
        page = ByteBuffer(string: text)
        policy = [
            "default-src 'none'", "script-src \(Dashboard.source(script))", "style-src \(Dashboard.source(style))", "connect-src 'self'",
            "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    private static func bytes(_ text: CDashboardText) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.start, count: text.count)
    }

    /// The modules without their imports and exports: all become one script, so that the policy can name it by its hash.
    ///
    /// Each import stands on a separate line, and no two modules declare the same name (a test holds both).
    private static func script(of modules: UnsafeRawBufferPointer) -> String {
        let lines = modules.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let kept = lines.filter { !$0.starts(with: "import ".utf8) }.map { $0.starts(with: "export ".utf8) ? $0.dropFirst(7) : $0 }
        return String(decoding: Array(kept.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self)
    }

    /// The source expression that allows exactly this text.
    private static func source(_ text: String) -> String {
        "'sha256-\(Base64.encoded(Array(SHA256.hash(data: Array(text.utf8)))))'"
    }

    var response: AdminResponse {
        AdminResponse(
            headers: [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Content-Security-Policy": policy,
                "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
            ], body: .whole(page))
    }
}

extension AdminRequest {
    /// Whether it is for the dashboard's page, which needs no token.
    var isForDashboard: Bool { isRead && path == "/" }
}
