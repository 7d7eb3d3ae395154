internal import Base
internal import Configuration
internal import Glibc

/// The properties of this machine, as they are now.
enum MachineProperties {
    static func value(
        of property: DeviceProperty, certificate: String?
    ) throws(MissingProperty) -> String {
        switch property {
        case .hostname:
            let name = NetworkAddress.hostName
            guard !name.isEmpty else { throw MissingProperty("it is not set") }
            return name
        case .machineID:
            let path = "/etc/machine-id"
            guard let id = line(of: path).flatMap(Hexadecimal.bytes(of:)), id.count == 16 else {
                throw MissingProperty("\(path) has none")
            }
            return applicationID(ofMachine: id)
        case .serial:
            // Boards with a device tree, and those with a BIOS.
            let paths = [
                "/sys/firmware/devicetree/base/serial-number", "/sys/class/dmi/id/product_serial",
                "/sys/class/dmi/id/board_serial",
            ]
            guard let serial = paths.lazy.compactMap(line(of:)).first(where: isSerial) else {
                throw MissingProperty("\(paths.joined(separator: ", ")) have none that this process can read")
            }
            return serial
        case .mac:
            guard let address = macAddress() else {
                throw MissingProperty("/sys/class/net has none with hardware")
            }
            return address
        case .commonName:
            guard let certificate else { throw MissingProperty("mqtt.tls.cert_file is not set") }
            guard let name = TLSFiles.commonName(inCertificate: certificate) else {
                throw MissingProperty("\(certificate) has none, or can't be read")
            }
            return name
        }
    }

    /// Of the interface with the smallest index that has hardware, without colons.
    private static func macAddress() -> String? {
        let folder = "/sys/class/net"
        let interfaces = ((try? Files.names(in: folder)) ?? []).filter {
            access("\(folder)/\($0)/device", F_OK) == 0
        }
        let numbered = interfaces.compactMap { name in
            line(of: "\(folder)/\(name)/ifindex").flatMap { Int($0) }.map { (index: $0, name: name) }
        }
        return numbered.sorted { $0.index < $1.index }.lazy.compactMap { interface in
            line(of: "\(folder)/\(interface.name)/address")?.filter { $0 != ":" }
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

    /// The first line of a small file, without spaces before it and zeros behind it; nil: it can't be read,
    /// or is empty.
    private static func line(of path: String) -> String? {
        guard let bytes = try? Files.read(path, atMost: 256) else { return nil }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
        let text = String(decoding: line.drop { $0 == 0x20 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}
