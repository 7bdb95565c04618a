package counterfoil.junit;

import counterfoil.Counterfoil;
import counterfoil.CounterfoilException;
import counterfoil.NewSession;
import counterfoil.Session;
import counterfoil.TestServer;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/**
 * Gives each test a session as a parameter, checks its requests if {@link WithBank#judged} names suites, and removes it afterwards. If the
 * test fails, the journal's last exchanges are printed on the standard error.
 *
 * <p>By {@link WithBank} the server is that of the property {@code counterfoil.admin}, or of COUNTERFOIL_ADMIN; without them one is
 * started for the whole run. Registered as a field, the extension takes its sessions from {@link #each}.
 */
public final class CounterfoilExtension implements ParameterResolver, AfterEachCallback {
    private static final Namespace SPACE = Namespace.create(CounterfoilExtension.class);
    /** The number of requests that a failure shows. */
    private static final int SHOWN = 20;
    /** How long a judged test waits for requests that are in progress at its end. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** Makes each test's session; null if the annotation names it. */
    private final Supplier<Session> maker;

    /** The extension that {@link WithBank} registers. */
    public CounterfoilExtension() {
        maker = null;
    }

    private CounterfoilExtension(Supplier<Session> maker) {
        this.maker = maker;
    }

    /**
     * The extension for sessions that the test makes itself, such as on a server in a container, for a static field with
     * {@code @RegisterExtension}.
     *
     * @param maker makes a session; asked once for each test that wants one
     * @return the extension
     */
    public static CounterfoilExtension each(Supplier<Session> maker) {
        return new CounterfoilExtension(maker);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Session.class || type == Counterfoil.class && maker == null;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (parameter.getParameter().getType() == Counterfoil.class) return server(context);
        if (context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException(
                "found a session wanted by " + parameter.getDeclaringExecutable() + ", expected it in a test, @BeforeEach or @AfterEach:"
                    + " a session lives for one test");
        }
        return context.getStore(SPACE).getOrComputeIfAbsent(Lent.class, key -> new Lent(newSession(context)), Lent.class).session;
    }

    /** Shows the journal of a test that failed, or checks the requests of one that passed; then removes its session. */
    @Override
    public void afterEach(ExtensionContext context) {
        Lent lent = context.getStore(SPACE).remove(Lent.class, Lent.class);
        Throwable failure = context.getExecutionException().orElse(null);
        boolean hasPassed = failure == null;
        Optional<WithBank> bank = maker == null ? wanted(context) : Optional.empty();
        if (lent == null) {
            if (hasPassed && bank.isPresent() && bank.get().judged().length > 0) {
                throw new AssertionError(nameOf(context) + ": found `judged` without a session, expected both: add a parameter of the type Session"
                    + " to the test, and give the app session.baseUrl()");
            }
        } else if (failure instanceof TestAbortedException) {
            // An assumption of the test does not hold.
            lent.close();
        } else if (bank.isPresent()) {
            if (hasPassed) shared(context).close(nameOf(context), lent.session, LIMIT, bank.get().sequential(), bank.get().judged());
            else shared(context).fail(nameOf(context), lent.session);
        } else {
            try {
                if (!hasPassed) show(lent.session, context.getDisplayName());
            } finally {
                lent.close();
            }
        }
    }

    private static void show(Session session, String test) {
        String lines;
        try {
            lines = session.journal().lines(SHOWN);
        } catch (CounterfoilException error) {
            lines = "its journal cannot be read: " + error.getMessage();
        }
        System.err.println(test + " failed; " + session + ", seed " + Long.toUnsignedString(session.seed()) + "; " + lines);
    }

    private Session newSession(ExtensionContext context) {
        if (maker != null) return maker.get();
        WithBank bank = wanted(context).orElseThrow(
            () -> new ParameterResolutionException("found no @WithBank, expected one at the test or its class"));
        NewSession options = new NewSession(bank.value());
        if (!bank.clock().isEmpty()) options.frozenAt(Instant.parse(bank.clock()));
        if (!bank.seed().isEmpty()) options.seed(Long.parseUnsignedLong(bank.seed()));
        if (!bank.outage().isEmpty()) options.outage(bank.outage());
        return shared(context).open(nameOf(context), options, bank.judged());
    }

    /** The annotation at the method, else at its class or a class around it. */
    private static Optional<WithBank> wanted(ExtensionContext context) {
        Optional<Method> method = context.getTestMethod();
        Optional<WithBank> wanted = method.flatMap(found -> AnnotationSupport.findAnnotation(found, WithBank.class));
        for (Class<?> type = context.getRequiredTestClass(); wanted.isEmpty() && type != null; type = type.getEnclosingClass()) {
            wanted = AnnotationSupport.findAnnotation(type, WithBank.class);
        }
        return wanted;
    }

    /** What messages and the session's label call the test. */
    private static String nameOf(ExtensionContext context) {
        String test = context.getTestMethod().map(method -> "." + method.getName()).orElse("");
        String display = context.getDisplayName();
        // The display name of a plain test is `method(Parameter)`; of a repeated or parameterized one it distinguishes the runs.
        return context.getRequiredTestClass().getName() + test + (test.isEmpty() || display.startsWith(test.substring(1) + "(") ? "" : " " + display);
    }

    private static Counterfoil server(ExtensionContext context) {
        return shared(context).server();
    }

    private static TestServer shared(ExtensionContext context) {
        return context.getRoot().getStore(SPACE).getOrComputeIfAbsent(
            Shared.class, key -> new Shared(TestServer.begin(nameOf(context))), Shared.class).server;
    }

    /** A session for one test; the store removes it if {@link #afterEach} could not. */
    private record Lent(Session session) implements CloseableResource {
        @Override
        public void close() {
            session.close();
        }
    }

    /** The server of the whole run; the store ends it after the last test. */
    private record Shared(TestServer server) implements CloseableResource {
        @Override
        public void close() {
            server.close();
        }
    }
}
