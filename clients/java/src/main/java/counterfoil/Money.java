package counterfoil;

import java.math.BigDecimal;

/**
 * An amount of money.
 *
 * @param amount with the digits of its currency: {@code 10.00}
 * @param currency the currency's code, such as {@code GBP}; null if the bank does not send it
 */
public record Money(BigDecimal amount, String currency) {
    static Money of(Fields fields, String key) {
        return new Money(new BigDecimal(fields.text(key)), fields.optionalText("currency"));
    }
}
