public import BankModel

/// A savings goal: a part of an account's money that is set aside.
public struct Goal: Sendable, Hashable {
    public var id: String
    public var name: String
    /// The amount in it.
    public var saved: Money
    /// The amount to reach; nil if there is none.
    public var target: Money?

    public init(id: String, name: String, saved: Money, target: Money? = nil) {
        self.id = id
        self.name = name
        self.saved = saved
        self.target = target
    }
}
