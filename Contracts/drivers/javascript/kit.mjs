// The kit, where it lies in Counterfoil's own folder. In your project: copy it beside this file, and name it "./counterfoil-driver.mjs".
export * from "../../../clients/js/src/counterfoil-driver.mjs";
