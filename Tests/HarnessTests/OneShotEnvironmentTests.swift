import BankModel
import DriverProtocol
import Testing

/// The variables of a client that is run once for each step: those of docs/driver-protocol.md, and no others.
@Suite struct OneShotEnvironmentTests {
    private static let start = CaseStart(
        id: "c12", baseURL: "http://127.0.0.1:4312", stateDirectory: "/s", bank: "toy", login: .init(user: "ava", password: "p"))

    private static func variables(_ change: (inout CaseStart) -> Void = { _ in }, now: Instant? = nil) -> [String: String?] {
        var start = start
        change(&start)
        return OneShotEnvironment.variables(start, operation: "balance", arguments: ["account": "ava-gbp"], now: now)
    }

    @Test func `every part of a case and its step has a variable`() {
        let variables = Self.variables(
            {
                $0.login.token = "t"
                $0.customers = [CaseStart.Login(user: "ben", password: "q")]
                $0.caFile = "/tmp/ca.pem"
                $0.pins = ["a=", "b="]
                $0.timeZone = "Europe/London"
                $0.locale = "de_DE"
                $0.timeouts.connectMilliseconds = 300
                $0.timeouts.totalMilliseconds = 600
                $0.timeouts.backoffMilliseconds = 20
            }, now: Instant(seconds: 1_768_208_400))

        let expected: [String: String?] = [
            "COUNTERFOIL_URL": "http://127.0.0.1:4312", "COUNTERFOIL_BANK": "toy", "COUNTERFOIL_CASE": "c12", "COUNTERFOIL_STATE_DIR": "/s",
            "COUNTERFOIL_OP": "balance", "COUNTERFOIL_ARGS": #"{"account":"ava-gbp"}"#, "COUNTERFOIL_USER": "ava",
            "COUNTERFOIL_PASSWORD": "p", "COUNTERFOIL_TOKEN": "t", "COUNTERFOIL_CA_FILE": "/tmp/ca.pem", "COUNTERFOIL_PINS": "a= b=",
            "COUNTERFOIL_TIME_ZONE": "Europe/London", "COUNTERFOIL_LOCALE": "de_DE", "COUNTERFOIL_NOW": "2026-01-12T09:00:00.000Z",
            "COUNTERFOIL_CONNECT_MS": "300", "COUNTERFOIL_TOTAL_MS": "600", "COUNTERFOIL_BACKOFF_MS": "20",
            "COUNTERFOIL_CUSTOMERS": #"[{"user":"ben","password":"q"}]"#, "HOME": "/s", "TMPDIR": "/s", "LANG": "de_DE.UTF-8",
            "LC_ALL": "de_DE.UTF-8",
        ]
        #expect(variables == expected)
    }

    /// One that the program inherited, from a run in a run, is of another case.
    @Test func `what the case does not have is removed from the environment`() {
        let variables = Self.variables()
        let removed = variables.filter { $0.value == nil }.keys.sorted()

        #expect(
            removed == ["BACKOFF_MS", "CA_FILE", "CUSTOMERS", "LOCALE", "NOW", "PINS", "TOKEN"].map { "COUNTERFOIL_\($0)" })
        #expect(variables["LANG"] == nil && variables["LC_ALL"] == nil)
        #expect(variables["COUNTERFOIL_TIME_ZONE"] == "UTC")
    }

    /// A script that reads only the variables would otherwise sign in the case's customer where the step names another, and fail for that.
    @Test func `a sign-in of another customer has that customer's credentials`() {
        func variables(_ operation: String, _ arguments: JSON) -> [String: String?] {
            OneShotEnvironment.variables(Self.start, operation: operation, arguments: arguments, now: nil)
        }
        let another = variables("login", ["user": "ben", "password": "q", "token": "t"])
        let wrongPassword = variables("login", ["password": "wrong"])
        let payment = variables("pay", ["user": "ben"])

        #expect(another["COUNTERFOIL_USER"] == "ben")
        #expect(another["COUNTERFOIL_PASSWORD"] == "q")
        #expect(another["COUNTERFOIL_TOKEN"] == "t")
        #expect(wrongPassword["COUNTERFOIL_USER"] == "ava")
        #expect(wrongPassword["COUNTERFOIL_PASSWORD"] == "wrong")
        #expect(payment["COUNTERFOIL_USER"] == "ava")
    }

    @Test func `the time of a step is that of the step, or else that of the case`() {
        let began = Instant(seconds: 1_768_208_400)

        #expect(Self.variables({ $0.now = began })["COUNTERFOIL_NOW"] == "2026-01-12T09:00:00.000Z")
        #expect(Self.variables({ $0.now = began }, now: began + .seconds(60))["COUNTERFOIL_NOW"] == "2026-01-12T09:01:00.000Z")
    }
}
