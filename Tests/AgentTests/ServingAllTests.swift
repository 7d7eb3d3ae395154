import Testing

@testable import Agent
@testable import Cameras

/// A configuration that names no camera: each device has a name made from its model.
struct ServingAllTests {
    @Test(arguments: [
        (["HD Webcam", "Door"], ["hd-webcam", "door"]),
        (["HD Webcam", "HD Webcam", "HD Webcam"], ["hd-webcam", "hd-webcam-2", "hd-webcam-3"]),
        (["HD Webcam", "HD Webcam", "HD Webcam 2"], ["hd-webcam", "hd-webcam-3", "hd-webcam-2"]),
        (["", "?"], ["camera", "camera-2"]),
    ])
    func eachDeviceHasANameOfItsOwn(models: [String], names: [String]) {
        let devices = models.enumerated().map { number, model in
            FoundDevice(path: "/dev/video\(number)", model: model, bus: "\(number)")
        }
        #expect(devices.map { $0.name(among: devices) } == names)
    }
}
