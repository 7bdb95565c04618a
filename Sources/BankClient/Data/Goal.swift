package import BankModel

/// A savings goal: a part of an account's money that is set aside.
package struct Goal: Sendable, Hashable {
    package var id: String
    package var name: String
    /// The amount in it.
    package var saved: Money
    /// The amount to reach; nil if there is none.
    package var target: Money?
}
