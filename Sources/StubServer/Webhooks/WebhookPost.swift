import BankCore
import BankEngine
import BankModel
import NIOCore
import NIOPosix

/// Sends webhooks by HTTP/1.1, each on a new connection.
struct WebhookPost: WebhookSender {
    let hosts: WebhookHosts
    var limits = WebhookPost.usualLimits
    var lookup = WebhookHosts.systemLookup

    func check(_ url: String) throws(WebhookError) { _ = try hosts.address(url) }

    func send(_ message: WebhookMessage) async -> WebhookOutcome {
        let destination: (origin: ProviderAddress, target: String)
        do throws(WebhookError) { destination = try hosts.address(message.url) } catch { return .failed("\(error)") }
        switch await hosts.resolved(destination.origin, by: lookup) {
        case .failure(let failure): return .failed("\(failure)")
        case .success(let address): return await send(message, destination.origin, destination.target, to: address)
        }
    }

    private func send(
        _ message: WebhookMessage, _ origin: ProviderAddress, _ target: String, to address: SocketAddress
    ) async
        -> WebhookOutcome
    {
        do {
            var client = try ProviderClient(origin, limits: limits)
            client.resolved = address
            client.bodyTime = message.isSlow ? .seconds(2) : .zero
            var headers = [
                JournalEntry.Header("Content-Type", message.contentType), JournalEntry.Header("User-Agent", WebhookHosts.userAgent),
            ]
            if let signature = message.signature { headers.append(JournalEntry.Header(message.header, signature)) }
            // A final response counts whenever it comes, also before the whole body was sent (RFC 9110 §10.1.1).
            let response = try await client.send("POST", target, headers: headers, body: message.body)
            response.rest?.cancel()
            return .status(response.status)
        } catch ProviderFailure.timedOut("the response") {
            return .silent
        } catch let failure as ProviderFailure {
            return .failed("\(failure)")
        } catch {
            return .failed("\(error)")
        }
    }

    /// Only the status counts; what follows the head is not waited for.
    private static let usualLimits: ProviderClient.Limits = {
        var limits = ProviderClient.Limits()
        (limits.connect, limits.silence) = (.seconds(5), .seconds(5))
        (limits.wholeBody, limits.wholeBodyBytes) = (.milliseconds(100), 1 << 16)
        return limits
    }()
}
