/** An extension of JUnit 5 that gives each test its own session; {@link counterfoil.junit.WithBank} begins. */
package counterfoil.junit;
