/** The steering client of Counterfoil: a running server's admin API in Java, with the JDK alone. {@link counterfoil.Counterfoil} begins. */
package counterfoil;
