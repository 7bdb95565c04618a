/** Controls a running server of Counterfoil through its admin API, with the JDK alone. Start with {@link counterfoil.Counterfoil}. */
package counterfoil;
