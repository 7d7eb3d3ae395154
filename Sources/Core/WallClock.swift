package import FoundationEssentials

/// The time of day, as an agent has it: it may be wrong, and may be set at any time.
package protocol WallClock: AnyObject {
    /// The present time.
    var now: Date { get }

    /// Whether other machines may be expected to have the same time.
    var isSynchronized: Bool { get }

    /// Calls back on the loop each time that the clock was set, until the returned object is released.
    func observeSteps(_ stepped: @escaping () -> Void) -> AnyObject
}
