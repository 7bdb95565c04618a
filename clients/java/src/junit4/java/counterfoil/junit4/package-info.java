/** A rule of JUnit 4 that gives each test its own session; {@link counterfoil.junit4.BankRule} begins. */
package counterfoil.junit4;
