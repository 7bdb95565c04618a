package import BankModel

/// A 200 with a sign-in page in HTML, as a hotel's network answers every request. Nothing is executed.
package struct CaptivePortalFault: ExchangeFault {
    package static let kind = "captive-portal"
    package static let about = "sends 200 with the sign-in page of a captive portal"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .foreignResponse, .changesContent]
    package let point = FaultPoint.request

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) {
        let page = """
            <!DOCTYPE html>
            <html><head><title>Welcome to Harbour Guest WiFi</title></head>
            <body><h1>Sign in to go online</h1><form action="/login" method="post"><input name="room"><button>Connect</button></form></body></html>

            """
        outgoing.answer(
            .custom(
                CustomResponse(
                    status: 200, headers: [JournalEntry.Header("Content-Type", "text/html; charset=utf-8")], body: Array(page.utf8),
                    isForeign: true)))
    }
}
