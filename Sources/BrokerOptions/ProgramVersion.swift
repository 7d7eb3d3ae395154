/// The version of all programs, which the agent publishes. `deploy/package` gives it to the packages.
package let programVersion = "0.1.0"
