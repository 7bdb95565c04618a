import BankCore
import BankModel
import Contracts

/// Compares the two sides' answers to one read.
struct ReadJudging {
    let stub: [ObservedResponse]
    let provider: [ReadRound.Exchange]
    /// The caller's token went with the provider's requests.
    let wasAuthorised: Bool

    private var comparable: [ObservedResponse] = []
    private var inconclusive: [String] = []
    private var guessed: [String] = []

    init(stub: [ObservedResponse], provider: [ReadRound.Exchange], wasAuthorised: Bool) {
        self.stub = stub
        self.provider = provider
        self.wasAuthorised = wasAuthorised
        let expected = Set(stub.map(\.status))
        for exchange in provider {
            switch exchange.answer {
            case .nothing(let why): add("no response: \(why)", to: &inconclusive)
            case .response(let response) where expected.contains(response.status): comparable.append(response)
            case .response(let response):
                if let why = ReadJudging.reasonNotToJudge(response, wasAuthorised: wasAuthorised) {
                    add(why, to: &inconclusive)
                } else if response.status == 404, exchange.binding.isGuess {
                    add("the provider has no row with the stub's id; pass one of the provider's ids with --set", to: &guessed)
                } else {
                    comparable.append(response)
                }
            }
        }
    }

    /// Why a response is not evidence about the provider's definition: it fails, or does not accept the caller; nil if it is.
    static func reasonNotToJudge(_ response: ObservedResponse, wasAuthorised: Bool) -> String? {
        switch response.status {
        case 401 where wasAuthorised, 403 where wasAuthorised:
            let scheme = response.header("WWW-Authenticate").map { $0.prefix { $0.isLetter || $0.isNumber } } ?? ""
            return "the credentials were rejected with status \(response.status)"
                + (scheme.isEmpty ? "" : ", which requires \(scheme.prefix(20))")
        case 407, 429, 500...599: return "the provider responded with status \(response.status)"
        default: return nil
        }
    }

    /// The verdict, the drifts, and what a user should know.
    var outcome: (verdict: Verdict, drifts: [Drift], notes: [String]) {
        let comparison = ResponseComparison(stub: stub, provider: comparable)
        var notes = inconclusive + (comparable.isEmpty ? guessed : [])
        if !comparison.uncompared.isEmpty {
            notes.append(
                "not compared, because one side has none: \(comparison.uncompared.map { $0.isEmpty ? "the body" : $0 }.joined(separator: ", "))"
            )
        }
        if !comparison.drifts.isEmpty { return (.fail, comparison.drifts, notes) }
        if !inconclusive.isEmpty { return (.inconclusive, [], notes) }
        return comparable.isEmpty ? (.notExercised, [], notes) : (.pass, [], notes)
    }

}

/// Adds a note that is not there yet.
private func add(_ note: String, to notes: inout [String]) { if !notes.contains(note) { notes.append(note) } }
