/** Turns a Java client into a driver of Counterfoil. */
package counterfoil.driver;
