import BankCore
import Faults

extension Match {
    /// The needs of faults (``FaultNeed``) that a request for this operation meets.
    func abilities(_ request: BankRequest, _ bank: PreparedBank) -> Set<FaultNeed> {
        var abilities: Set<FaultNeed> = []
        if operation.businessFailure != nil { abilities.insert(.businessFailure) }
        if operation.isRead { abilities.insert(.read) }
        if operation.stream != nil { abilities.insert(.stream) }
        if operation.givesIDToken { abilities.insert(.idToken) }
        if !request.body.isEmpty { abilities.insert(.requestBody) }
        if let paging = bank.paging[index] {
            abilities.insert(.page)
            if paging.value(of: paging.cursor, in: request, json: nil) != nil { abilities.insert(.cursor) }
        }
        return abilities
    }
}
