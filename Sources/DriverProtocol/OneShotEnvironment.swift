package import BankModel

/// The environment of a client that is run once for each step.
package enum OneShotEnvironment {
    /// The variables of one step's process; those that are nil are removed from the inherited environment.
    package static func variables(_ start: CaseStart, operation: String, arguments: JSON, now: Instant?) -> [String: String?] {
        let login = credentials(start.login, operation: operation, arguments: arguments)
        let values: [String: String?] = [
            "URL": start.baseURL, "BANK": start.bank, "CASE": start.id, "STATE_DIR": start.stateDirectory, "OP": operation,
            "ARGS": arguments.text, "USER": login.user, "PASSWORD": login.password, "TOKEN": login.token,
            "CA_FILE": start.caFile, "PINS": start.pins.isEmpty ? nil : start.pins.joined(separator: " "), "TIME_ZONE": start.timeZone,
            "LOCALE": start.locale,
            "NOW": (now ?? start.now)?.rfc3339(.milliseconds),
            "CONNECT_MS": String(start.timeouts.connectMilliseconds), "TOTAL_MS": String(start.timeouts.totalMilliseconds),
            "BACKOFF_MS": start.timeouts.backoffMilliseconds.map { String($0) },
            "CUSTOMERS": start.customers.isEmpty ? nil : start.customersJSON.text,
        ]
        let named = Dictionary(values.map { ("COUNTERFOIL_\($0)", $1) }, uniquingKeysWith: { $1 })
        let system: [String: String?] = ["HOME": start.stateDirectory, "TMPDIR": start.stateDirectory]
        return named.merging(system, uniquingKeysWith: { $1 }).merging(
            LocaleEnvironment.variables(start.locale).mapValues { .some($0) }, uniquingKeysWith: { $1 })
    }

    /// The credentials of the case; in a step `login` those that the step names come first, as the driver kits have it.
    private static func credentials(_ login: CaseStart.Login, operation: String, arguments: JSON) -> CaseStart.Login {
        guard operation == "login" else { return login }
        return CaseStart.Login(
            user: arguments["user"]?.string ?? login.user, password: arguments["password"]?.string ?? login.password,
            token: arguments["token"]?.string ?? login.token)
    }
}

/// The system's variables by which a process learns the user's locale when it starts.
package enum LocaleEnvironment {
    /// `LANG` and `LC_ALL` of a locale such as `de_DE`, in UTF-8; empty for nil: the process inherits the harness's own.
    package static func variables(_ locale: String?) -> [String: String] {
        guard let locale else { return [:] }
        return ["LANG": "\(locale).UTF-8", "LC_ALL": "\(locale).UTF-8"]
    }
}
