internal import Base
internal import Configuration
internal import Contract
internal import Glibc

/// The properties of this machine. Those that were used are kept in the file `device.json`, so that the names
/// of an agent stay the same when the host is renamed or a part of it is replaced.
struct MachineProperties: DeviceProperties {
    /// The folder of the file, where the configuration does not determine another one.
    private static let systemFolder = "/var/lib/v4l2mqtt"
    private static let fileName = "device.json"

    private let keepsProperties: Bool
    /// Below this folder are the machine's files. For tests.
    private let root: String
    /// By the path of the file that keeps them.
    private var kept: [String: [String: String]] = [:]

    /// - Parameter keepsProperties: false: nothing is written; what was kept before is used nevertheless.
    init(keepsProperties: Bool, root: String = "") {
        (self.keepsProperties, self.root) = (keepsProperties, root)
    }

    mutating func value(
        of property: DeviceProperty, stateFolder: String?, certificate: String?
    ) throws(PropertyError) -> String {
        let file = "\(stateFolder ?? Self.systemFolder)/\(Self.fileName)"
        var properties: [String: String]
        if let known = kept[file] { properties = known } else { properties = try Self.read(file) }
        if properties[property.rawValue] == nil {
            properties[property.rawValue] = try current(property, certificate: certificate)
            if keepsProperties { try Self.write(properties, to: file) }
        }
        kept[file] = properties
        return properties[property.rawValue] ?? ""
    }

    /// A property as it is now.
    private func current(
        _ property: DeviceProperty, certificate: String?
    ) throws(PropertyError) -> String {
        switch property {
        case .hostname:
            let name = LoadedConfiguration.systemHostName()
            guard !name.isEmpty else { throw .missing("it is not set") }
            return name
        case .machineID:
            let path = "\(root)/etc/machine-id"
            guard let id = Self.line(of: path).flatMap(Hexadecimal.bytes(of:)), id.count == 16 else {
                throw .missing("\(path) has none")
            }
            return Self.applicationID(ofMachine: id)
        case .serial:
            // Boards with a device tree, and those with a BIOS.
            let paths = [
                "sys/firmware/devicetree/base/serial-number", "sys/class/dmi/id/product_serial",
                "sys/class/dmi/id/board_serial",
            ]
            .map { "\(root)/\($0)" }
            guard let serial = paths.lazy.compactMap(Self.line(of:)).first(where: Self.isSerial) else {
                throw .missing("\(paths.joined(separator: ", ")) have none that this process can read")
            }
            return serial
        case .mac:
            guard let address = macAddress() else {
                throw .missing("\(root)/sys/class/net has none with hardware")
            }
            return address
        case .commonName:
            guard let certificate else { throw .missing("mqtt.tls.cert_file is not set") }
            guard let name = TLSFiles.commonName(inCertificate: certificate) else {
                throw .missing("\(certificate) has none, or can't be read")
            }
            return name
        }
    }

    /// Of the interface with the smallest index that has hardware, without colons.
    private func macAddress() -> String? {
        let folder = "\(root)/sys/class/net"
        let interfaces = ((try? Files.names(in: folder)) ?? []).filter {
            access("\(folder)/\($0)/device", F_OK) == 0
        }
        let numbered = interfaces.compactMap { name in
            Self.line(of: "\(folder)/\(name)/ifindex").flatMap { Int($0) }.map { (index: $0, name: name) }
        }
        return numbered.sorted { $0.index < $1.index }.lazy.compactMap { interface in
            Self.line(of: "\(folder)/\(interface.name)/address")?.filter { $0 != ":" }
        }.first { $0.contains { $0 != "0" } }
    }

    /// An identifier of a machine for this program only, as sd_id128_get_machine_app_specific(3) makes it:
    /// the identifier itself should not leave the machine (machine-id(5)).
    static func applicationID(ofMachine id: [UInt8]) -> String {
        // Chosen at random for this program.
        let application: [UInt8] = [
            0x8F, 0x21, 0x5C, 0x0B, 0xD3, 0x6E, 0x4A, 0x97, 0xB2, 0x5D, 0x71, 0xE4, 0x09, 0xC6, 0x3A, 0xF8,
        ]
        var hash = Array(SHA256.authenticationCode(of: application, key: id).prefix(16))
        // The marks of a random UUID (RFC 9562, 5.4).
        hash[6] = hash[6] & 0x0F | 0x40
        hash[8] = hash[8] & 0x3F | 0x80
        return Hexadecimal.text(of: hash)
    }

    /// Whether a text is a serial number, and not what manufacturers write in its place.
    private static func isSerial(_ text: String) -> Bool {
        let words = [
            "to be filled by o.e.m.", "default string", "system serial number", "not specified", "none",
            "n/a",
        ]
        return !words.contains(text.lowercased()) && text.contains { $0 != "0" && $0 != " " }
    }

    // MARK: Files

    /// The first line of a small file, without spaces before it and zeros behind it; nil: it can't be read,
    /// or is empty.
    private static func line(of path: String) -> String? {
        guard let bytes = try? Files.read(path, atMost: 256) else { return nil }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
        let text = String(decoding: line.drop { $0 == 0x20 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    private static func read(_ file: String) throws(PropertyError) -> [String: String] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.read(file, atMost: 65_536)
        } catch {
            if error.isMissing { return [:] }
            throw .file("\(file), which keeps the properties of this device, can't be read: \(error.reason)")
        }
        guard let properties = JSON.value([String: String].self, from: bytes) else {
            throw .file("\(file), which keeps the properties of this device, is damaged")
        }
        return properties
    }

    private static func write(_ properties: [String: String], to file: String) throws(PropertyError) {
        do throws(FileError) {
            try Files.makeFolder(Files.folder(of: file))
            try Files.replace(
                file, with: JSON.bytes(properties) + [UInt8(ascii: "\n")], mode: 0o600)
        } catch {
            throw .file(
                "\(file), which keeps the properties of this device, can't be written: \(error.reason)")
        }
    }
}
