internal import Base
internal import CV4L2

extension DeviceReport {
    /// A control, whether the agent shows it or not.
    struct Control: Sendable, Encodable {
        let id, name, flags: String
        /// V4L2's number of the type (`V4L2_CTRL_TYPE_…`).
        let type: UInt32
        let minimum, maximum, step, standard: Int64
        /// Bytes of an element, and the number of elements, of arrays and structures.
        let element_size, elements: UInt32
        /// The titles of a menu's items by their indices.
        var items: [String: String]?
        var value: DeviceReport.Answer<Int64>?
        var text: DeviceReport.Answer<String>?

        static func all(of device: V4L2Device) -> [Control] {
            var controls: [Control] = []
            var found = cv4l2_control()
            var last: UInt32 = 0
            while controls.count < 1024, cv4l2_control_after(device.descriptor, last, &found) == 0,
                found.id > last
            {
                last = found.id
                controls.append(Control(found, of: device))
            }
            return controls
        }

        private init(_ found: cv4l2_control, of device: V4L2Device) {
            (id, name) = (DeviceReport.hexadecimal(found.id), deviceText(found.name))
            (flags, type) = (DeviceReport.hexadecimal(found.flags), found.type)
            (minimum, maximum, step, standard) = (found.minimum, found.maximum, found.step, found.standard)
            (element_size, elements) = (found.element_size, found.elements)
            let menu = device.menu(of: found)
            if !menu.isEmpty {
                items = Dictionary(uniqueKeysWithValues: menu.map { ("\($0.index)", $0.title) })
            }
            if found.write_only || found.disabled { return }
            switch V4L2Control.Kind(found) {
            case .button, .heading, .compound: break
            case .text:
                do throws(CameraError) {
                    text = .value(try device.readText(found.id, longest: Int(clamping: found.maximum)))
                } catch {
                    text = .error(error.text)
                }
            default:
                do throws(CameraError) { value = .value(try device.read(found.id)) } catch {
                    value = .error(error.text)
                }
            }
        }
    }
}

extension CameraError {
    /// What a report says about it.
    var text: String {
        switch self {
        case .device(let message): message
        case .disabled(_, let reason): reason
        case .unplugged: "the device is gone"
        }
    }
}
