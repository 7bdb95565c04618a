/** Makes a Java client a driver of Counterfoil. */
package counterfoil.driver;
