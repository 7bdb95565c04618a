/** An extension of JUnit 5 that gives each test its own session. Start with {@link counterfoil.junit.WithBank}. */
package counterfoil.junit;
