internal import Configuration
internal import Glibc

/// The configuration of the fleet as the device keeps it: the document as it was published, in the folder of
/// the state. So a device has it also while it has no broker.
enum FleetFile {
    private static func path(in folder: String) -> String { "\(folder)/fleet.json" }

    /// - Returns: nil: there is none.
    static func read(in folder: String) throws(FleetRefusal) -> [UInt8]? {
        let path = path(in: folder)
        switch FileReading.read(path, limit: FleetConfiguration.maximumSize + 1) {
        case .success(let bytes): return bytes
        case .failure(let failure) where failure.code == ENOENT: return nil
        case .failure(let failure):
            throw FleetRefusal(.unsaved, "\(path), which keeps it, can't be read: \(failure)")
        }
    }

    /// When this returns, the disk has it.
    static func write(_ fleet: FleetConfiguration, in folder: String) throws(FleetRefusal) {
        let path = path(in: folder)
        do throws(DurableFile.Failure) {
            try DurableFile.replace(path, with: fleet.payload)
        } catch {
            throw FleetRefusal(
                .unsaved, "\(path), which keeps it, can't be written: \(error)", version: fleet.version)
        }
    }
}
