package import Base
package import Cameras
internal import Configuration
package import Settings

/// The devices that the configured cameras would match and use, if all of them started now.
package struct DeviceMatches {
    /// An entry of a camera's list of sources.
    package struct Entry {
        package let camera: String
        /// Its place in the list, from 0.
        package let index: Int
        package let source: SourceChoice
        /// The devices that have what it describes, also those that another camera would use.
        package let devices: [FoundDevice]
        /// What the camera would use of it; nil: it would use another entry, or nothing.
        package let used: String?
    }

    /// In the order of the configuration.
    package private(set) var entries: [Entry] = []

    /// - Parameter devices: with the tags of the configuration.
    package init(of settings: AgentSettings, among devices: [FoundDevice]) {
        if settings.servesAll { return }
        let cameras = settings.cameras.map { camera in
            (camera: camera, selection: DeviceSelection(camera.sources, owner: camera.id))
        }
        let reservations = cameras.flatMap(\.selection.reservations)
        var free = devices
        for (camera, selection) in cameras {
            let chosen = selection.first(among: free, reservations: reservations)
            let used = chosen.map { $0.device?.path ?? "simulated" }
            free.removeAll { $0.path == chosen?.device?.path }
            for (index, source) in camera.sources.enumerated() {
                entries.append(
                    Entry(
                        camera: camera.id, index: index, source: source,
                        devices: devices.filter { source.describes($0) },
                        used: chosen?.choice == index ? used : nil))
            }
        }
    }

    /// The lines of a table; none without entries.
    package var lines: [PrintableLine] {
        guard !entries.isEmpty else { return [] }
        var table = TextTable(["CAMERA", "ENTRY", "SOURCE", "MATCHES", "WOULD USE"])
        for entry in entries {
            let matches = entry.devices.map(\.path).joined(separator: " ")
            table.add([
                entry.camera, "\(entry.index)", entry.source.text,
                entry.source == .simulated ? "always" : matches, entry.used ?? "",
            ])
        }
        return table.lines
    }
}
