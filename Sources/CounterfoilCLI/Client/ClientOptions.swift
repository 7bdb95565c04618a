import ArgumentParser
import BankClient
import BankModel
import ClientDriver
import Foundation

/// Which bank, where, and as whom: what all calls by hand share.
struct ClientOptions: ParsableArguments {
    @Option(help: "The bank: \(oneOf(KnownBanks.names)).")
    var bank: String

    @Option(help: "The bank's address; by default that of `counterfoil serve` without arguments.")
    var url: String?

    @Option(
        help: """
            Sign in first, with this name; with --token, any fixed name for the owner of the token: payments and cached data \
            belong to that customer only.
            """)
    var user: String?

    @Option(help: "The password of --user.")
    var password: String?

    @Option(help: "Sign in first with this token, for a bank without a sign-in operation.")
    var token: String?

    @Option(
        help: """
            Folder for the state of all banks, one folder client/BANK/ADDRESS for each; by default \
            COUNTERFOIL_HOME, else ~/.local/state/counterfoil.
            """)
    var home: String?

    @Option(
        help: """
            Folder for the token, payments, cached data and images of this bank, instead of the one in --home. Token \
            and cached data are encrypted with COUNTERFOIL_CLIENT_KEY (32 bytes in base64), or with a key file in the folder.
            """)
    var state: String?

    @Option(help: "A PEM file of authorities to trust besides the system's.")
    var caFile: String?

    @Option(help: "Time zone for dates, such as Europe/London; by default the machine's.")
    var timeZone: String?

    @Flag(help: "One JSON object instead of a table.")
    var json = false

    func validate() throws {
        guard KnownBanks.names.contains(bank) else {
            let near = didYouMean(bank, among: KnownBanks.names)
            throw ValidationError("found --bank \(bank), expected \(oneOf(KnownBanks.names))\(near)")
        }
        if let url, !["http://", "https://"].contains(where: url.hasPrefix) || url.contains("?") || url.contains("#") {
            throw ValidationError("found --url \(url), expected an http or https address without query")
        }
        if let timeZone, TimeZone(identifier: timeZone) == nil {
            throw ValidationError("found --time-zone \(timeZone), expected a name such as Europe/London")
        }
        guard password == nil || user != nil, user == nil || password != nil || token != nil else {
            throw ValidationError("--user needs --password, or --token if the bank has no sign-in operation")
        }
    }

    /// Does what is asked with a client of these options, prints what it brings, and ends with 1 if it fails.
    func run(_ body: (BankClient) async throws(ClientFailure) -> Shown) async throws {
        do throws(ClientFailure) {
            let shown = try await body(try client())
            Output.results.write(json ? shown.view.text + "\n" : shown.text)
        } catch {
            Output.errors.error("\(error)".inOneLine, hint: error.error == .unauthorized ? ClientOptions.signInHint : nil)
            throw ExitCode(1)
        }
    }

    /// Pays; if the outcome stays unknown, prints how to retry under the same intent.
    func withRetryHint<Value>(_ intent: String, _ pay: () async throws(ClientFailure) -> Value) async throws(ClientFailure) -> Value {
        do throws(ClientFailure) { return try await pay() } catch {
            guard error.error == .outcomeUnknown else { throw error }
            Output.errors.line("hint: to retry without paying twice, pass --intent \(intent)")
            throw error
        }
    }

    /// Signs in if the options name a customer; returns whether they did.
    func signIn(_ client: BankClient) async throws(ClientFailure) -> Bool {
        if let user, let password, client.signsInByCall || token == nil {
            try await client.signIn(user: user, password: password)
        } else if let token {
            try await client.signIn(token: token, of: user)
        } else {
            return false
        }
        return true
    }

    private static let signInHint = "sign in with --user and --password, or with --token if the bank has no sign-in operation"

    private func client() throws(ClientFailure) -> BankClient {
        let zone = timeZone.flatMap(TimeZone.init(identifier:)) ?? .current
        guard let adapter = KnownBanks.adapter(bank, Reading(timeZone: zone)) else {
            throw ClientFailure(.nothingToDo, "the bank \(bank) is unknown", mayHaveLeft: false)
        }
        let folder: String
        do throws(UsageError) {
            folder = try stateFolder
            if let caFile { try AuthoritiesFile.check(caFile) }
        } catch {
            throw ClientFailure(.unavailable, "\(error)", mayHaveLeft: false)
        }
        let warn: Warn = { Output.errors.line("warning: \($0)".inOneLine) }
        do throws(StorageError) {
            let keys: any SealingKeySource = try keys() ?? KeyFile(path: folder + "/key")
            var parts = ClientParts(
                adapter: adapter, baseURL: baseURL, transport: CurlTransport(caFile: caFile),
                store: FileTokenStore(path: folder + "/token", keys: keys, warn: warn),
                outbox: SQLiteOutbox.opened(folder + "/outbox.sqlite"))
            parts.cache = FileDataCache(folder: folder + "/cache", keys: keys, warn: warn)
            parts.images = FileImageCache(folder: folder + "/images", warn: warn)
            return BankClient(parts)
        } catch {
            throw ClientFailure(.unavailable, "\(error)", mayHaveLeft: false)
        }
    }

    /// The key of the environment, if it names one; nil: a key file beside the token.
    private func keys() throws(StorageError) -> (any SealingKeySource)? {
        guard let text = ProcessInfo.processInfo.environment["COUNTERFOIL_CLIENT_KEY"] else { return nil }
        return try SealingKey(base64: text)
    }

    /// The bank's address; no slash at its end, since paths begin with one.
    var baseURL: String { (url ?? "http://127.0.0.1:8080/\(bank)").withoutSlash }

    /// The folder of this bank's token, payments, cached data and pictures. Each address has its own, so that no bank receives
    /// the token of another.
    ///
    /// - Throws: ``UsageError`` where the user's home is not known.
    var stateFolder: String {
        get throws(UsageError) {
            if let state { return state }
            let location = "client/\(bank)/\(percentEncoded(baseURL))"
            if let home { return "\(home)/\(location)" }
            return "\(try UserFolder.path)/\(location)"
        }
    }
}

/// The result of a call, as JSON for scripts and as text for people.
struct Shown {
    var view: JSON
    /// Ends with a line's end.
    var text: String
}

/// The line above cached data that the bank could not confirm; empty for the bank's current data.
///
/// - Parameters:
///   - asOf: when the bank reported it, by the device's clock; nil: now.
///   - now: by the device's clock.
func oldDataRemark(_ asOf: Instant?, now: Instant = SystemClock().now()) -> String {
    asOf.map { "Cached data from \(age(of: $0, now)): the bank did not answer.\n" } ?? ""
}

/// In the largest unit that is not zero, rounded down; the instant itself where the clock was put back since.
private func age(of asOf: Instant, _ now: Instant) -> String {
    let seconds = (now - asOf).components.seconds
    guard now >= asOf else { return asOf.rfc3339(.seconds) }
    let units: [(length: Int64, name: String)] = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
    guard let unit = units.first(where: { seconds >= $0.length }) else { return "a moment ago" }
    let count = seconds / unit.length
    return "\(count) \(unit.name)\(count == 1 ? "" : "s") ago"
}
