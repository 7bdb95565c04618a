/** A rule of JUnit 4 that gives each test its own session. Start with {@link counterfoil.junit4.BankRule}. */
package counterfoil.junit4;
