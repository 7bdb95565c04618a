import BankCore
import BankModel

extension BankSession.Inner {
    var codings: [ContentCoding] { state.prepared.bank.compression }

    /// The coding of those that the bank has that a request with these headers accepts; nil if none.
    func accepted(_ headers: [JournalEntry.Header]) -> ContentCoding? {
        codings.isEmpty ? nil : AcceptedCodings(headers).choice(among: codings)
    }

    /// The coding in which a response to that request is sent; nil if it is sent as it is.
    func coding(of response: BankResponse, to request: BankRequest) -> ContentCoding? {
        codings.isEmpty ? nil : response.coding(among: codings, for: AcceptedCodings(request.headers))
    }
}
