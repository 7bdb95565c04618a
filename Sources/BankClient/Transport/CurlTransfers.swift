import BankModel
import CCurl

/// A transport's load: a number here that grows without end is a leak.
package struct CurlLoad: Sendable, Hashable {
    /// The requests in progress.
    package var transfers = 0
    /// The requests whose body has begun to arrive.
    package var receiving = 0
    /// libcurl's easy handles, including spare ones.
    package var handles = 0
}

/// The transfers of one multi handle. Confined to the loop's thread.
final class CurlTransfers {
    /// The limit of spare handles: as many as a busy client has requests in progress; further ones are freed.
    private static let spareLimit = 64

    private let multi: UnsafeMutableRawPointer
    private let common: CurlCommon
    private let sockets = CurlSockets()
    private var active: [CurlEasy] = []
    private var spare: [CurlEasy] = []
    /// The waiting tasks of the transfers that ``perform()`` finds ended; empty between its calls.
    private var ended: [(waiting: CurlTransfer.Waiting, outcome: CurlTransfer.Outcome)] = []

    init(multi: UnsafeMutableRawPointer, common: CurlCommon) {
        self.multi = multi
        self.common = common
    }

    var load: CurlLoad {
        let receiving = active.count { $0.receipt.pointee.hasBody }
        return CurlLoad(transfers: active.count, receiving: receiving, handles: active.count + spare.count)
    }

    func start(_ transfer: CurlTransfer) {
        guard let receipt = transfer.begin() else {
            return transfer.end(.failure(TransportFailure(.cancelled, "cancelled before it was sent", mayHaveLeft: false)))
        }
        guard let address = CurlAddress(transfer.request.url, keepsDots: common.keepsDots),
            let easy = spare.popLast() ?? CurlEasy(common, sockets),
            easy.prepare(transfer, receipt, address), ccurl_multi_add_handle(multi, easy.handle) == CURLM_OK
        else {
            return transfer.end(.failure(TransportFailure(.offline, "libcurl rejected the request", mayHaveLeft: false)))
        }
        active.append(easy)
    }

    func cancel(_ transfer: CurlTransfer) {
        guard let easy = active.first(where: { $0.transfer === transfer }) else { return }
        let outcome = CurlTransfer.Outcome.failure(easy.receipt.pointee.calledOff)
        giveBack(easy)
        transfer.end(outcome)
    }

    /// Ends the transfers in progress as cancelled.
    func endAll() {
        for transfer in active.compactMap(\.transfer) { cancel(transfer) }
    }

    /// Advances all transfers as far as they go without waiting, and ends those that are done: all at once, so that the
    /// waiting tasks' thread is woken once and not for each.
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
            // libcurl has closed the connection: each time there is one less to try.
            if code == CURLE_ABORTED_BY_CALLBACK, easy.takesAnotherConnection(), begin(again: easy) { continue }
            guard let (waiting, isCancelled) = easy.transfer?.claimWaiting() else { continue }
            let outcome = easy.outcome(code, isCancelled: isCancelled)
            giveBack(easy)
            if let waiting { ended.append((waiting, outcome)) }
        }
        while let (waiting, outcome) = ended.popLast() { waiting.resume(returning: outcome) }
    }

    /// Begins a transfer of which nothing was sent again; false if libcurl rejects it.
    private func begin(again easy: CurlEasy) -> Bool {
        ccurl_multi_remove_handle(multi, easy.handle) == CURLM_OK && ccurl_multi_add_handle(multi, easy.handle) == CURLM_OK
    }

    /// Removes a handle from the multi handle, and saves it for the next request.
    private func giveBack(_ easy: CurlEasy) {
        active.removeAll { $0 === easy }
        ccurl_multi_remove_handle(multi, easy.handle)
        easy.clear()
        if spare.count < CurlTransfers.spareLimit { spare.append(easy) }
    }
}
