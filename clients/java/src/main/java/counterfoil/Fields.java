package counterfoil;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The fields of an object in an answer, read by type. Unknown fields are passed over, so that a newer server can be steered. */
record Fields(String what, Map<String, Object> map) {
    /**
     * The fields of a value.
     *
     * @throws CounterfoilException if the value is not an object
     */
    static Fields of(String what, Object value) {
        if (!(value instanceof Map<?, ?> object)) throw wrong(what, "found " + JsonText.of(value) + ", expected an object");
        Map<String, Object> map = new LinkedHashMap<>();
        object.forEach((key, member) -> map.put(String.valueOf(key), member));
        return new Fields(what, map);
    }

    private static CounterfoilException wrong(String what, String detail) {
        return CounterfoilException.local(what, "Unexpected response", detail, null);
    }

    /** A field of that type; null if it is absent or null. */
    private <T> T optional(String key, Class<T> type) {
        Object value = map.get(key);
        if (value == null || type.isInstance(value)) return type.cast(value);
        throw wrong(what, key + ": found " + JsonText.of(value) + ", expected a " + type.getSimpleName());
    }

    private <T> T required(String key, Class<T> type) {
        T value = optional(key, type);
        if (value == null) throw wrong(what, "found no " + key + ", expected a " + type.getSimpleName());
        return value;
    }

    String text(String key) {
        return required(key, String.class);
    }

    String optionalText(String key) {
        return optional(key, String.class);
    }

    boolean truth(String key) {
        return required(key, Boolean.class);
    }

    boolean optionalTruth(String key) {
        return Boolean.TRUE.equals(optional(key, Boolean.class));
    }

    long number(String key) {
        return required(key, Number.class).longValue();
    }

    Long optionalNumber(String key) {
        Number number = optional(key, Number.class);
        return number == null ? null : (Long) number.longValue();
    }

    Integer optionalInt(String key) {
        Number number = optional(key, Number.class);
        return number == null ? null : (Integer) number.intValue();
    }

    Instant instant(String key) {
        Instant instant = optionalInstant(key);
        if (instant == null) throw wrong(what, "found no " + key + ", expected an instant");
        return instant;
    }

    Instant optionalInstant(String key) {
        String text = optionalText(key);
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException error) {
            throw wrong(what, key + ": found " + text + ", expected an instant");
        }
    }

    Duration duration(String key) {
        try {
            return Durations.read(text(key));
        } catch (IllegalArgumentException error) {
            throw wrong(what, key + ": " + error.getMessage());
        }
    }

    /** The object in a field; null if it is absent or null. */
    Fields optionalObject(String key) {
        return map.get(key) == null ? null : Fields.of(what + ", " + key, map.get(key));
    }

    /** Each object of a list; empty if the field is absent. */
    <T> List<T> objects(String key, Function<Fields, T> read) {
        List<T> result = new ArrayList<>();
        for (Object value : list(key)) result.add(read.apply(Fields.of(what + ", " + key, value)));
        return List.copyOf(result);
    }

    /** Each text of a list; empty if the field is absent. */
    List<String> texts(String key) {
        return list(key).stream().map(String::valueOf).toList();
    }

    List<?> list(String key) {
        List<?> list = optional(key, List.class);
        return list == null ? List.of() : list;
    }

    /** A seed: an unsigned number of 64 bits as the server writes it. */
    static BigInteger seed(long seed) {
        return new BigInteger(Long.toUnsignedString(seed));
    }
}
