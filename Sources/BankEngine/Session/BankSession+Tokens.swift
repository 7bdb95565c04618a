package import BankCore
package import BankModel

extension BankSession {
    /// Makes a provider state so, wholly or not at all; tells what there is to tell of it.
    package func enter(_ wanted: ProviderState) throws(ProviderStateError) -> JSONObject {
        try inner.withLock { inner throws(ProviderStateError) in
            let now = inner.settle(clock)
            guard !inner.state.isFull(inner.limit) else { throw .sessionFull(inner.limit) }
            var state = inner.state
            let told = try state.enter(wanted, at: now)
            inner.state = state
            _ = inner.commit(wanted.name, at: now)
            return told
        }
    }
}
