import BankCore
import BankModel

/// One WireMock mapping, as far as it can be converted.
struct Stub {
    let piece: LocatedJSON
    /// 1 comes before 5, which is what a mapping without one has.
    let priority: Int
    /// Its index among all mappings read; of equal priority the later wins.
    let order: Int
    /// Its own name, if it has one.
    let name: String?
    var methods: [String] = []
    var path = ""
    var when: [Condition] = []
    /// The state that it sets; nil is the one at first.
    var then: (variable: String, state: String?)?
    /// It answers more than the mapping does: those converted whole stand before it.
    var isWider = false
    var response = StubResponse()
}

/// The response of a mapping.
struct StubResponse {
    var status = 200
    /// Texts, or values of the bank language; a name may come twice.
    var headers: [(name: String, value: JSON)] = []
    var contentType: String?
    var body: [UInt8] = []
    /// The body as a value of the bank language, where it depends on the request.
    var template: JSON?
    /// The file's name in `__files`; nil for a body in the mapping.
    var file: String?
    /// The file extension of a body from the mapping: `json`, `txt`, `bin`.
    var suffix = "txt"
    /// Faults, each as a rule without `on`.
    var rules: [JSON] = []
}

extension LocatedJSON {
    /// The mapping's name in a user's words.
    func label(number: Int) -> String {
        let name = (self["name"]?.json.string).map { "`\($0)`" }
        return name ?? (self["id"] ?? self["uuid"])?.json.string ?? "mapping \(number)"
    }
}
