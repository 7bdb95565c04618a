package counterfoil;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * All bookings of a session.
 *
 * @param accounts the accounts that received or paid money, as in the admin API
 * @param postings credits and debits of accounts, oldest first
 * @param movements what postings belong to, such as a payment, oldest first
 * @param keys the idempotency keys that are known, as the admin API has them
 * @param balanced whether the ledger is balanced
 */
public record Ledger(
    List<Map<String, Object>> accounts, List<Posting> postings, List<Movement> movements, List<Map<String, Object>> keys,
    boolean balanced) {
    /**
     * A credit or a debit of an account.
     *
     * @param id its name
     * @param movement the movement that it belongs to
     * @param account the account
     * @param amount negative for a debit
     * @param currency its code; null if the bank does not send it
     * @param at when, by the session clock
     */
    public record Posting(String id, String movement, String account, BigDecimal amount, String currency, Instant at) {
        static Posting of(Fields posting) {
            Money money = Money.of(posting, "amount");
            return new Posting(
                posting.text("id"), posting.text("movement"), posting.text("account"), money.amount(), money.currency(),
                posting.instant("at"));
        }
    }

    /**
     * A payment, or another operation that moved money.
     *
     * @param id its name
     * @param operation the bank's operation
     * @param key its idempotency key; null without one
     * @param state such as {@code accepted} or {@code settled}; null if the bank has no states
     * @param at when, by the session clock
     */
    public record Movement(String id, String operation, String key, String state, Instant at) {
        static Movement of(Fields movement) {
            return new Movement(
                movement.text("id"), movement.optionalText("operation"), movement.optionalText("key"), movement.optionalText("state"),
                movement.instant("at"));
        }
    }

    static Ledger of(Fields ledger) {
        return new Ledger(
            ledger.objects("accounts", Fields::map), ledger.objects("postings", Posting::of), ledger.objects("movements", Movement::of),
            ledger.objects("idempotency", Fields::map), ledger.truth("balanced"));
    }
}
