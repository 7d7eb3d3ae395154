// The encoders of the messages that are sent many times a second. Each writes the fields that its `Encodable`
// conformance has, in the same order.

extension ZoomState: JSONMessage {
    package func write(to json: inout JSONText) {
        json.beginObject()
        json.field("factor", factor)
        json.field("target", target)
        json.field("ramping", ramping)
        json.field("velocity", velocity)
        json.field("min", min)
        json.field("max", max)
        json.field("position", position)
        json.field("optical", optical)
        json.field("digital", digital)
        json.field("viewport", viewport)
        json.field("rev", rev)
        json.field("boot", boot)
        json.field("origin", origin)
        json.field("ts", ts)
        json.endObject()
    }
}

extension LiveSample: JSONMessage {
    package func write(to json: inout JSONText) {
        json.beginObject()
        json.field("factor", factor)
        json.field("target", target)
        json.field("position", position)
        json.field("optical", optical)
        json.field("digital", digital)
        json.field("viewport", viewport)
        json.field("rev", rev)
        json.field("boot", boot)
        json.field("ts", ts)
        json.endObject()
    }
}

extension PinchState: JSONMessage {
    package func write(to json: inout JSONText) {
        json.beginObject()
        json.field("gesture", gesture)
        json.field("client", client)
        json.field("proved", proved)
        json.field("base", base)
        json.field("scale", scale)
        json.field("rev", rev)
        json.field("boot", boot)
        json.field("ts", ts)
        json.endObject()
    }
}

extension TouchState: JSONMessage {
    package func write(to json: inout JSONText) {
        json.beginObject()
        json.field("gesture", gesture)
        json.field("client", client)
        json.field("proved", proved)
        json.field("fingers", fingers)
        json.field("rev", rev)
        json.field("boot", boot)
        json.field("ts", ts)
        json.endObject()
    }
}

extension ViewportState: JSONMessage {
    package func write(to json: inout JSONText) {
        json.beginObject()
        json.field("viewport", viewport)
        json.field("center", center)
        json.field("rev", rev)
        json.field("boot", boot)
        json.field("ts", ts)
        json.endObject()
    }
}

extension ViewportState.Center: JSONMessage {
    package func write(to json: inout JSONText) {
        json.beginObject()
        json.field("x", x)
        json.field("y", y)
        json.endObject()
    }
}

extension ViewportField: JSONMessage {
    package func write(to json: inout JSONText) {
        json.beginObject()
        json.field("x", x)
        json.field("y", y)
        json.field("width", width)
        json.field("height", height)
        json.endObject()
    }
}

extension OriginField: JSONMessage {
    package func write(to json: inout JSONText) {
        json.beginObject()
        json.field("client", client)
        json.field("proved", proved)
        json.field("id", id)
        json.field("kind", kind)
        json.endObject()
    }
}

extension CommandError: JSONMessage {
    package func write(to json: inout JSONText) {
        json.beginObject()
        json.field("code", code.rawValue)
        json.field("message", message)
        json.field("field", field)
        json.endObject()
    }
}

extension Reply: JSONMessage {
    package func write(to json: inout JSONText) {
        json.beginObject()
        json.field("id", id)
        json.field("client", client)
        json.field("camera", camera)
        json.field("node", node)
        json.field("status", status.rawValue)
        json.field("rev", rev)
        json.field("boot", boot)
        json.field("clamped", clamped)
        json.field("factor", factor)
        json.field("target", target)
        json.field("photos", encodable: photos)
        json.field("recording", encodable: recording)
        json.field("session", encodable: session)
        json.field("values", encodable: values)
        json.field("media", encodable: media)
        json.field("next", next)
        json.field("file", encodable: file)
        json.field("error", error)
        json.field("state", state)
        json.field("persisted", isPersisted)
        json.field("ts", ts)
        json.endObject()
    }
}

extension Event: JSONMessage {
    package func write(to json: inout JSONText) {
        json.beginObject()
        json.field("event", event.rawValue)
        json.field("node", node)
        json.field("photo", encodable: photo)
        json.field("recording", encodable: recording)
        json.field("path", path)
        json.field("sound", sound)
        json.field("action", action?.rawValue)
        json.field("button", button?.rawValue)
        json.field("error", error)
        json.field("client", client)
        json.field("proved", proved)
        json.field("id", id)
        json.field("holder", holder)
        json.field("holder_proved", isHolderProved)
        json.field("boot", boot)
        json.field("ts", ts)
        json.endObject()
    }
}
