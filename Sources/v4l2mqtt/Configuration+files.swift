internal import Agent
internal import Base
internal import Bus
internal import Configuration
internal import Settings

/// The contents of files that a configuration names can be wrong too.
extension LoadedConfiguration {
    /// Reads certificates and keys, except for ``uncheckedFiles``.
    ///
    /// - Returns: warnings about them, with their keys.
    /// - Throws: `ConfigurationErrors`.
    func checkCertificates() throws -> [(key: String, message: String)] {
        let mqtt = settings.mqtt
        guard mqtt.tls.isOn else { return [] }
        do throws(TLSFileError) {
            let host = mqtt.brokers[0].host
            return try TLSFiles(checkable(mqtt.tls)).check(host: host).map {
                (Self.key(of: $0.file), $0.message)
            }
        } catch {
            throw self.error(in: Self.key(of: error.file), "\(error)")
        }
    }

    private func checkable(_ tls: TLSSettings) -> TLSSettings {
        var checked = tls
        for file in [\TLSSettings.caFile, \.certificateFile, \.keyFile] {
            if let path = tls[keyPath: file], uncheckedFiles.contains(path) { checked[keyPath: file] = nil }
        }
        return checked
    }

    private static func key(of file: TLSFiles.Purpose?) -> String {
        switch file {
        case .authorities: "mqtt.tls.ca_file"
        case .certificate: "mqtt.tls.cert_file"
        case .key: "mqtt.tls.key_file"
        case nil: "mqtt.tls.enabled"
        }
    }

    /// Checks that libcamera's layer is there, if it is used.
    ///
    /// - Throws: `ConfigurationErrors`.
    func checkLibcamera() throws {
        do throws(LibcameraPreload.Failure) {
            _ = try LibcameraPreload.file(for: settings.libcamera)
        } catch {
            throw self.error(in: "libcamera", "\(error)")
        }
    }

    /// Reads the images of all simulated cameras, except for ``uncheckedFiles``.
    ///
    /// - Throws: `ConfigurationErrors`.
    func checkImages() throws {
        for (index, camera) in settings.cameras.enumerated() where camera.sources.contains(.simulated) {
            if let image = camera.image, uncheckedFiles.contains(image) { continue }
            do throws(UnusableImage) {
                _ = try simulated(camera)
            } catch {
                throw self.error(in: "cameras.\(index).image", error.message)
            }
        }
    }
}
