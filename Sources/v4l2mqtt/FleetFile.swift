internal import Base
internal import Configuration
internal import Contract

/// The configuration of the fleet as the device keeps it: the document as it was published, in the folder of
/// the state. So a device has it also while it has no broker.
enum FleetFile {
    private static func path(in folder: String) -> String { "\(folder)/fleet.json" }

    /// - Returns: nil: there is none.
    static func read(in folder: String) throws(FleetRefusal) -> [UInt8]? {
        let path = path(in: folder)
        do throws(FileError) {
            return try Files.read(path, atMost: FleetConfiguration.maximumSize + 1)
        } catch {
            if error.isMissing { return nil }
            throw refusal(path, "read: \(error.reason)")
        }
    }

    /// When this returns, the disk has it.
    static func write(_ fleet: FleetConfiguration, in folder: String) throws(FleetRefusal) {
        let path = path(in: folder)
        do throws(FileError) {
            try Files.makeFolder(folder)
            try Files.replace(path, with: fleet.payload, mode: 0o600)
        } catch {
            throw refusal(path, "written: \(error.reason)", version: fleet.version)
        }
    }

    private static func refusal(_ path: String, _ reason: String, version: Int? = nil) -> FleetRefusal {
        let message = "\(path), which keeps it, can't be \(reason)"
        return FleetRefusal(version: version, error: CommandError(.storageFull, message))
    }
}
