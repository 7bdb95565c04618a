package counterfoil;

import static org.junit.jupiter.api.Assertions.assertEquals;

import counterfoil.junit.WithBank;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

// The README shows what is between the marks.
// begin
@WithBank(value = "counterfoil", clock = "2026-01-12T09:15:00Z", judged = "pay")
final class PaymentTest {
    @Test
    void aLostResponseIsAskedForAgainAndPaidOnce(Session session) throws Exception {
        App app = new App(session.baseUrl(), session.tokens().issue("ava").text());
        session.faults().set(Rule.of("lose-reply", Map.of("by", "reset")).role("pay").times(1));

        assertEquals(201, app.pay("10.00"));

        Exchange second = session.journal().waitForExchange(exchange -> exchange.replayed(), Duration.ofSeconds(5));
        assertEquals("payments", second.operation());
        assertEquals(1, session.ledger().movements().size());
    }
}
// end
