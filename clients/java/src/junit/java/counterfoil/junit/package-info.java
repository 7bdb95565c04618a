/** An extension of JUnit 5 that gives each test a session of its own; {@link counterfoil.junit.WithBank} begins. */
package counterfoil.junit;
