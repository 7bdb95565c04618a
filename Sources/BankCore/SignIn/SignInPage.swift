import BankModel
import Crypto

/// The pages of the sign-in: HTML without a script, which a password manager and a test can use.
enum SignInPage {
    case form(Form)
    /// The error, if the client must not be sent one.
    case failure(String)
    /// The end, if there is no client to return to.
    case done

    /// The page of a form that is no longer valid.
    static var ended: SignInPage { .failure("This sign-in has ended. Go back to the app and start again.") }

    /// The hidden field that only this page's form has: a form of another site cannot know its value.
    static let valueField = "csrf_token"

    /// The parameter of the page's address that names a challenge.
    static let challengeParameter = "challenge"

    struct Form {
        /// The last segment of the page's own path.
        let action: String
        let bank: String
        let client: String
        let scopes: [String]
        /// The value of the hidden field.
        let value: String
        let step: Step
        /// The error in the form that was sent; nil for a new one.
        let problem: String?
    }

    /// What the customer fills in.
    enum Step {
        /// User name and password.
        ///
        /// - Parameter choosesAccounts: whether a list offers the page with the accounts.
        case login(String, choosesAccounts: Bool)
        /// Which accounts to share; the customer has signed in.
        case accounts([Choice])
        /// User name and password, to decide a challenged request of that operation.
        case challenge(String, operation: String)
    }

    /// An account that the customer can share.
    struct Choice {
        let key: String
        let label: String
        var isChosen = true
    }

    /// The name of the accounts' checkboxes, and of the list that leads to them: no checkbox, which simple clients would send checked.
    static let accountsField = "accounts"
    static let listField = "choose"

    /// A button of the form; `cancel` leaves the page, and a consent or a challenge as it is.
    enum Button: String { case approve, deny, cancel }

    /// The headers of each page: it is not stored, not framed, and its address is not sent to others.
    static let headers: [JournalEntry.Header] = {
        let digest = Base64.encoded(Array(SHA256.hash(data: Array(style.utf8))))
        return [
            JournalEntry.Header("Content-Type", "text/html; charset=utf-8"), JournalEntry.Header("Cache-Control", "no-store"),
            JournalEntry.Header(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; frame-ancestors 'none'"),
            JournalEntry.Header("X-Frame-Options", "DENY"), JournalEntry.Header("Referrer-Policy", "no-referrer"),
            JournalEntry.Header("X-Content-Type-Options", "nosniff"),
        ]
    }()

    var html: String {
        let (title, main) =
            switch self {
            case .form(let form): ("Sign in to \(form.bank.htmlEscaped)", form.html)
            case .failure(let words): ("Sign-in failed", "<p role=\"alert\">\(words.htmlEscaped)</p>")
            case .done: ("Done", "<p>Close this page, and go back to the app.</p>")
            }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <style>\(SignInPage.style)</style>
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            \(main)
            </main>
            </body>
            </html>

            """
    }

    private static let style = """
        :root{color-scheme:light dark}
        body{margin:0;font:1rem/1.5 system-ui,sans-serif;background:Canvas;color:CanvasText}
        main{box-sizing:border-box;max-width:26rem;margin:0 auto;padding:1.5rem 1rem}
        h1{font-size:1.4rem;line-height:1.25;overflow-wrap:anywhere}
        p,li{overflow-wrap:anywhere}
        label,legend{display:block;margin-top:1rem;padding:0;font-weight:600}
        fieldset{margin:0;padding:0;border:0;min-width:0}
        fieldset label{display:flex;align-items:center;gap:.75rem;min-height:2.75rem;margin:0;font-weight:400;overflow-wrap:anywhere}
        input,select,button{box-sizing:border-box;width:100%;min-height:2.75rem;margin-top:.25rem;padding:.5rem .75rem;font:inherit;border-radius:.4rem}
        input[type=checkbox]{flex:none;width:1.5rem;min-height:1.5rem;margin:0}
        input,select{border:1px solid GrayText;background:Field;color:FieldText}
        button{margin-top:1rem;border:1px solid light-dark(#174ea6,#a8c7fa);background:Canvas;color:light-dark(#174ea6,#a8c7fa);cursor:pointer}
        button[value=approve]{background:light-dark(#174ea6,#a8c7fa);color:light-dark(#fff,#0b2048)}
        [role=alert]{padding:.5rem .75rem;border:1px solid light-dark(#b3261e,#f2b8b5);border-radius:.4rem;color:light-dark(#b3261e,#f2b8b5)}
        """
}

extension SignInPage.Form {
    fileprivate var html: String {
        let alert = problem.map { "<p role=\"alert\">\($0.htmlEscaped)</p>\n" } ?? ""
        let list = scopes.map { "<li>\($0.htmlEscaped)</li>" }.joined()
        let wanted = scopes.isEmpty ? "" : "\n<p>It asks for:</p>\n<ul>\(list)</ul>"
        return """
            \(alert)<p><strong>\(client.htmlEscaped)</strong> \(step.request)</p>\(wanted)
            <form method="post" action="\(action.htmlEscaped)">
            <input type="hidden" name="\(SignInPage.valueField)" value="\(value.htmlEscaped)">
            \(step.html)
            </form>
            """
    }
}

extension SignInPage.Step {
    /// What the client asks for.
    fileprivate var request: String {
        switch self {
        case .login, .accounts: "wants access to your accounts."
        case .challenge(_, let operation): "wants you to confirm its request <strong>\(operation.htmlEscaped)</strong>."
        }
    }

    /// The fields and buttons.
    fileprivate var html: String {
        switch self {
        case .login(let login, let choosesAccounts):
            let list = """

                <label for="\(SignInPage.listField)">Accounts to share</label>
                <select id="\(SignInPage.listField)" name="\(SignInPage.listField)"><option value="">All accounts</option><option value="yes">Choose on the next page</option></select>
                """
            return """
                \(fields(login))\(choosesAccounts ? list : "")
                <button type="submit" name="decision" value="approve">Sign in and allow</button>
                \(SignInPage.Step.deny)
                \(SignInPage.Step.cancel)
                """
        case .accounts(let choices):
            let boxes = choices.map { choice in
                "<label><input type=\"checkbox\" name=\"\(SignInPage.accountsField)\" value=\"\(choice.key.htmlEscaped)\""
                    + "\(choice.isChosen ? " checked" : "")> \(choice.label.htmlEscaped)</label>"
            }
            return """
                <fieldset>
                <legend>Accounts to share</legend>
                \(boxes.joined(separator: "\n"))
                </fieldset>
                <button type="submit" name="decision" value="approve">Allow</button>
                \(SignInPage.Step.deny)
                \(SignInPage.Step.cancel)
                """
        case .challenge(let login, _):
            return """
                \(fields(login))
                <button type="submit" name="decision" value="approve">Sign in and approve</button>
                <button type="submit" name="decision" value="deny">Sign in and deny</button>
                \(SignInPage.Step.cancel)
                """
        }
    }

    /// Denies without a sign-in.
    private static let deny = "<button type=\"submit\" name=\"decision\" value=\"deny\" formnovalidate>Deny</button>"
    /// Decides nothing.
    private static let cancel = "<button type=\"submit\" name=\"decision\" value=\"cancel\" formnovalidate>Cancel</button>"

    private func fields(_ login: String) -> String {
        """
        <label for="username">User name</label>
        <input id="username" name="username" type="text" autocomplete="username" autocapitalize="none" spellcheck="false" value="\(login.htmlEscaped)" required>
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required>
        """
    }
}
