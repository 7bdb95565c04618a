import BankCore
import Faults

extension Match {
    /// The needs of faults (``FaultNeed``) that a request for this operation meets.
    func abilities(_ request: BankRequest, _ bank: PreparedBank) -> Set<FaultNeed> {
        var abilities: Set<FaultNeed> = []
        if operation.businessFailure != nil { abilities.insert(.businessFailure) }
        if operation.isRead { abilities.insert(.read) }
        if !request.body.isEmpty { abilities.insert(.requestBody) }
        if let parameter = bank.pageParameter[index] {
            abilities.insert(.page)
            if request.queryValue(parameter) != nil { abilities.insert(.cursor) }
        }
        return abilities
    }
}
