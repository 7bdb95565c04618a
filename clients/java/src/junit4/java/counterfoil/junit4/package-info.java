/** A rule of JUnit 4 that gives each test a session of its own; {@link counterfoil.junit4.BankRule} begins. */
package counterfoil.junit4;
