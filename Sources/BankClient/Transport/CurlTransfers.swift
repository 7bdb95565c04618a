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
    private var addresses: CurlAddresses
    /// Under way, each at its ``CurlEasy/place``.
    private var active: [CurlEasy] = []
    private var spare: [CurlEasy] = []
    /// Who waits for those that ``perform()`` finds at their end; empty between its calls.
    private var ended: [(waiting: CurlTransfer.Waiting, outcome: CurlTransfer.Outcome)] = []

    init(multi: UnsafeMutableRawPointer, common: CurlCommon) {
        self.multi = multi
        self.common = common
        addresses = CurlAddresses(keepsDots: common.keepsDots)
    }

    var load: CurlLoad {
        let receiving = active.count { $0.receipt.pointee.hasBody }
        return CurlLoad(transfers: active.count, receiving: receiving, handles: active.count + spare.count)
    }

    func start(_ transfer: CurlTransfer) {
        guard let receipt = transfer.begin() else {
            return transfer.end(.failure(TransportFailure(.cancelled, "called off before it began", mayHaveLeft: false)))
        }
        guard let address = addresses.address(transfer.request.url), let easy = spare.popLast() ?? CurlEasy(common),
            easy.prepare(transfer, receipt, address), ccurl_multi_add_handle(multi, easy.handle) == CURLM_OK
        else {
            return transfer.end(.failure(TransportFailure(.offline, "libcurl refused the request", mayHaveLeft: false)))
        }
        easy.place = active.count
        active.append(easy)
    }

    func cancel(_ transfer: CurlTransfer) {
        guard let easy = active.first(where: { $0.transfer === transfer }) else { return }
        let outcome = CurlTransfer.Outcome.failure(easy.receipt.pointee.calledOff)
        giveBack(easy)
        transfer.end(outcome)
    }

    /// Ends what is under way as cancelled.
    func endAll() {
        for transfer in active.compactMap(\.transfer) { cancel(transfer) }
    }

    /// Moves all transfers on as far as they go without waiting, and ends those that are done: all at once, so that who
    /// waits for them is woken once and not one by one.
    func perform() {
        var running: Int32 = 0
        ccurl_multi_perform(multi, &running)
        var left: Int32 = 0
        while let message = ccurl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            let code = message.pointee.data.result
            var box: UnsafePointer<CChar>?
            guard ccurl_get_string(handle, CURLINFO_PRIVATE, &box) == CURLE_OK, let box else { continue }
            let easy = CurlEasy.of(UnsafeRawPointer(box))
            guard let (waiting, isCancelled) = easy.transfer?.takeWaiting() else { continue }
            let outcome = easy.outcome(code, isCancelled: isCancelled)
            giveBack(easy)
            if let waiting { ended.append((waiting, outcome)) }
        }
        while let (waiting, outcome) = ended.popLast() { waiting.resume(returning: outcome) }
    }

    /// Takes a handle from libcurl's hands, and keeps it for the next request.
    private func giveBack(_ easy: CurlEasy) {
        let last = active.removeLast()
        if last !== easy {
            last.place = easy.place
            active[easy.place] = last
        }
        ccurl_multi_remove_handle(multi, easy.handle)
        easy.clear()
        if spare.count < CurlTransfers.spareLimit { spare.append(easy) }
    }
}
