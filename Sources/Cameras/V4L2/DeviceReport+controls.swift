internal import Base
internal import CV4L2
internal import Contract

extension DeviceReport {
    /// All controls, whether the agent shows them or not.
    static func controls(of device: V4L2Device) -> JSON {
        list(
            atMost: 1024, by: \.id, cv4l2_control(), { cv4l2_control_after(device.descriptor, $0, &$1) },
            { control($0, of: device) })
    }

    private static func control(_ found: cv4l2_control, of device: V4L2Device) -> JSON {
        let items = device.menu(of: found).map { ("\($0.index)", JSON.text($0.title)) }
        var control: JSONObject = [
            "id": hexadecimal(found.id), "name": .text(deviceText(found.name)),
            // V4L2's number of the type (`V4L2_CTRL_TYPE_…`).
            "flags": hexadecimal(found.flags), "type": number(found.type),
            "minimum": number(found.minimum), "maximum": number(found.maximum), "step": number(found.step),
            "standard": number(found.standard),
            // Bytes of an element, and the number of elements, of arrays and structures.
            "element_size": number(found.element_size), "elements": number(found.elements),
            // The titles of a menu's items by their indices.
            "items": items.isEmpty ? nil : object(items),
        ]
        if found.write_only || found.disabled { return .object(control) }
        do throws(CameraError) {
            switch V4L2Control.Kind(found) {
            case .button, .heading, .compound: break
            case .text:
                control["text"] = .text(try device.readText(found.id, longest: Int(clamping: found.maximum)))
            default: control["value"] = number(try device.read(found.id))
            }
        } catch {
            control[V4L2Control.Kind(found) == .text ? "text" : "value"] = failure(error.text)
        }
        return .object(control)
    }
}
