import BankModel
import CCurl

/// How much a transport holds: what grows here without end is a leak.
package struct CurlLoad: Sendable, Hashable {
    /// Requests under way.
    package var transfers = 0
    /// Those of them of whose answer some of the body has come.
    package var receiving = 0
    /// libcurl's easy handles, those kept for the next requests included.
    package var handles = 0
}

/// The transfers of one multi handle. Lives on the loop's thread only.
final class CurlTransfers {
    /// Handles kept for the next requests: as many as a busy client has under way; more are given back.
    private static let spareLimit = 64

    private let multi: UnsafeMutableRawPointer
    private let common: CurlCommon
    /// Under way, by transfer.
    private var active: [ObjectIdentifier: CurlEasy] = [:]
    private var spare: [CurlEasy] = []

    init(multi: UnsafeMutableRawPointer, common: CurlCommon) { (self.multi, self.common) = (multi, common) }

    func carryOut(_ command: CurlLoop.Command) {
        switch command {
        case .start(let transfer) where transfer.isCancelled:
            transfer.end(.failure(TransportFailure(.cancelled, "called off before it began", mayHaveLeft: false)))
        case .start(let transfer): start(transfer)
        case .count(let continuation):
            let receiving = active.values.count { $0.receipt.pointee.hasBody }
            continuation.resume(
                returning: CurlLoad(transfers: active.count, receiving: receiving, handles: active.count + spare.count))
        case .cancel(let transfer): end(transfer) { .failure($0.receipt.pointee.calledOff) }
        }
    }

    /// Moves all transfers on as far as they go without waiting, and ends those that are done.
    func perform() {
        var running: Int32 = 0
        ccurl_multi_perform(multi, &running)
        var left: Int32 = 0
        while let message = ccurl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            let code = message.pointee.data.result
            var box: UnsafePointer<CChar>?
            guard ccurl_get_string(handle, CURLINFO_PRIVATE, &box) == CURLE_OK, let box else { continue }
            guard let transfer = CurlEasy.of(UnsafeRawPointer(box)).transfer else { continue }
            end(transfer) { $0.outcome(code, of: transfer) }
        }
    }

    /// Ends what is under way as cancelled.
    func endAll() {
        for transfer in active.values.compactMap(\.transfer) { end(transfer) { .failure($0.receipt.pointee.calledOff) } }
    }

    private func start(_ transfer: CurlTransfer) {
        guard let easy = spare.popLast() ?? CurlEasy(common) else { return refuse(transfer) }
        guard easy.prepare(transfer), ccurl_multi_add_handle(multi, easy.handle) == CURLM_OK else {
            return refuse(transfer)
        }
        active[ObjectIdentifier(transfer)] = easy
    }

    private func refuse(_ transfer: CurlTransfer) {
        transfer.end(.failure(TransportFailure(.offline, "libcurl refused the request", mayHaveLeft: false)))
    }

    private func end(_ transfer: CurlTransfer, as outcome: (CurlEasy) -> CurlTransfer.Outcome) {
        guard let easy = active.removeValue(forKey: ObjectIdentifier(transfer)) else { return }
        ccurl_multi_remove_handle(multi, easy.handle)
        let result = outcome(easy)
        easy.clear()
        if spare.count < CurlTransfers.spareLimit { spare.append(easy) }
        transfer.end(result)
    }
}
