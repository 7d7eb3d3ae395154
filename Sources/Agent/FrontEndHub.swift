package import CameraCore
package import Messages

/// Passes each message to all front ends. It was encoded once, however many there are.
package final class FrontEndHub: FrontEnd {
    private let frontEnds: [any FrontEnd]

    package init(_ frontEnds: [any FrontEnd]) { self.frontEnds = frontEnds }

    package var hasCapacity: Bool { frontEnds.allSatisfy(\.hasCapacity) }

    package func publishState(
        _ state: some Encodable, encoded: [UInt8], on channel: Channel, of camera: String
    ) {
        for frontEnd in frontEnds {
            frontEnd.publishState(state, encoded: encoded, on: channel, of: camera)
        }
    }

    package func publishEvent(_ event: Event, encoded: [UInt8], of camera: String) {
        for frontEnd in frontEnds { frontEnd.publishEvent(event, encoded: encoded, of: camera) }
    }

    package func publishSample(_ sample: [UInt8], on channel: Channel, of camera: String) -> Bool {
        var wasSent = false
        for frontEnd in frontEnds {
            if frontEnd.publishSample(sample, on: channel, of: camera) { wasSent = true }
        }
        return wasSent
    }

    package func publishFrame(_ frame: [UInt8], _ fields: FrameFields, of camera: String) -> Bool {
        var wasSent = false
        for frontEnd in frontEnds {
            if frontEnd.publishFrame(frame, fields, of: camera) { wasSent = true }
        }
        return wasSent
    }

    package func publishPhoto(_ photo: [UInt8], _ fields: PhotoFields, of camera: String) {
        for frontEnd in frontEnds { frontEnd.publishPhoto(photo, fields, of: camera) }
    }

    package func withdrawPictures(of camera: String) {
        for frontEnd in frontEnds { frontEnd.withdrawPictures(of: camera) }
    }
}
