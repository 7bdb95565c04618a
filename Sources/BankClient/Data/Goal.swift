public import BankModel

/// A savings goal: a part of an account's money put aside.
public struct Goal: Sendable, Hashable {
    public var id: String
    public var name: String
    /// What is in it.
    public var saved: Money
    /// What it is to reach; nil if nobody said.
    public var target: Money?

    public init(id: String, name: String, saved: Money, target: Money? = nil) {
        self.id = id
        self.name = name
        self.saved = saved
        self.target = target
    }
}
