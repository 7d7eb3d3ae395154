package import Messages

/// The port to what keeps the state of cameras over restarts.
package protocol CameraStorage: AnyObject {
    /// Stores a camera's state.
    ///
    /// - Parameters:
    ///   - isSynced: the state counts as stored when it outlives a power cut too.
    ///   - then: called once, on the loop, and in the order of the calls: nil when the state outlives the
    ///     process from now on; `storage_full` when it can't be stored, and is stored later if possible.
    func save(
        _ state: SavedCamera, of camera: String, isSynced: Bool, then: @escaping (CommandError?) -> Void)
}
