package counterfoil;

import java.util.List;

/** A call that the server rejected, with its problem document (RFC 9457), or that got no response. */
public final class CounterfoilException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String call;
    private final int status;
    private final String title;
    private final String detail;
    private final transient List<String> errors;

    CounterfoilException(String what, int status, String title, String detail, List<String> errors, Throwable cause) {
        super(what + ": " + (status == 0 ? "" : status + " ") + title + ": " + detail, cause);
        this.call = what;
        this.status = status;
        this.title = title;
        this.detail = detail;
        this.errors = List.copyOf(errors);
    }

    /** A failure without a response of the server: its status is 0. */
    static CounterfoilException local(String what, String title, String detail, Throwable cause) {
        return new CounterfoilException(what, 0, title, detail, List.of(), cause);
    }

    /** The call, or what else failed. */
    String call() {
        return call;
    }

    /**
     * The status of the server's response.
     *
     * @return the status, such as 404; 0 if there was no response
     */
    public int status() {
        return status;
    }

    /**
     * The problem in two or three words.
     *
     * @return the title of the problem document, such as {@code Not Found}
     */
    public String title() {
        return title;
    }

    /**
     * The problem itself.
     *
     * @return one sentence with what was found and what was expected
     */
    public String detail() {
        return detail;
    }

    /**
     * The mistakes one by one, for a body with several.
     *
     * @return a sentence each; empty if there was only one
     */
    public List<String> errors() {
        return errors == null ? List.of() : errors;
    }
}
