package counterfoil;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JsonTest {
    @Test
    void everyKindOfValueIsRead() {
        Object read = Json.read(" {\"a\" : [1, -2.50, 1e3, true, false, null, \"\\u00e9\\n\\ud83d\\ude00/\\/\"], \"b\":{}, \"c\":[]} ");

        List<Object> list = Arrays.asList(1L, new BigDecimal("-2.50"), new BigDecimal("1e3"), true, false, null, "é\n😀//");
        assertEquals(Map.of("a", list, "b", Map.of(), "c", List.of()), read);
    }

    @Test
    void aSeedKeepsItsDigits() {
        assertEquals(new BigInteger("18446744073709551615"), Json.read("18446744073709551615"));
        assertEquals("18446744073709551615", JsonText.of(Fields.seed(-1)));
    }

    @Test
    void brokenTextIsRefusedWithItsPlace() {
        for (String broken : List.of("", "{", "[1,]", "{\"a\":1,}", "\"a", "\"\n\"", "tru", "01", "1.", "-", "[1] 2", "\"\\x\"", "\"\\u12g4\"", "{a:1}")) {
            assertThrows(IllegalArgumentException.class, () -> Json.read(broken), broken);
        }
        IllegalArgumentException deep = assertThrows(IllegalArgumentException.class, () -> Json.read("[".repeat(100_000)));
        assertEquals("found `[` at character 513 of JSON, expected at most 512 levels", deep.getMessage());
    }

    @Test
    void whatIsWrittenIsReadBack() {
        Map<String, Object> value = Map.of("a\"\\\u0001\t", Arrays.asList(1L, new BigDecimal("0.10"), "é😀", null, true));

        assertEquals(value, Json.read(JsonText.of(value)));
    }

    @Test
    void whatJsonDoesNotHaveIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> JsonText.of(Map.of("a", Duration.ZERO)));
        assertThrows(IllegalArgumentException.class, () -> JsonText.of(Double.NaN));
    }

    @Test
    void durationsAreReadInEachUnit() {
        Map<String, Duration> wanted = Map.of(
            "0ms", Duration.ZERO, "-90s", Duration.ofSeconds(-90), "16m", Duration.ofMinutes(16), "2h", Duration.ofHours(2),
            "1d", Duration.ofDays(1));

        wanted.forEach((text, duration) -> assertEquals(duration, Durations.read(text)));
        assertEquals("1500ms", Durations.text(Duration.ofMillis(1500)));
        assertThrows(IllegalArgumentException.class, () -> Durations.read("5"));
    }

    @Test
    void idsAreEncodedAsOnePieceOfAPath() {
        assertEquals("rule%231", Calls.encoded("rule#1"));
        assertEquals("a%2Fb%20%3Fc%2A%2B~%C3%A9", Calls.encoded("a/b ?c*+~é"));
    }
}
