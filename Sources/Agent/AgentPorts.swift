internal import Base
internal import Bus
internal import Cameras
internal import Contract
internal import Core
internal import FoundationEssentials
internal import FrontEnds
internal import Media
internal import Settings

/// How an agent reaches what is outside of its loop. A bench in virtual time brings its own.
package struct AgentPorts {
    /// Makes the client of the broker, with the count of the agent's starts. It is held until the agent's
    /// name is known to be free.
    var bus: (AgentSettings, _ boot: Int) throws -> any AgentBus
    var media: MediaServices
    /// Measures the free space of a folder.
    var freeBytes: (_ folder: String, _ then: @escaping (Int?) -> Void) -> Void
    /// The time of day.
    var wallTime: () -> Date
    /// The error of the time of day; nil: the clock isn't synchronised.
    var wallTimeError: () -> Duration?
}

extension AgentPorts {
    /// The broker, the threads of the media, the disk and the clock of the machine.
    ///
    /// - Parameters:
    ///   - output: opens the device of a virtual camera; nil: there are none.
    ///   - faultFile: counts the runs that ended by a fault; nil: nothing does.
    init(_ settings: AgentSettings, output: OpenOutput?, faultFile: String?, on loop: EventLoop) throws {
        let ids = settings.cameras.map(\.id)
        let recordings = RecordingFolder(settings.recordings.folder, cameras: ids)
        let decoders = StreamDecoders()
        let photos = try PhotoPipeline(
            settings.captures.folder, cameras: ids, recordings: recordings, decoders: decoders, on: loop)
        media = MediaServices(
            photos: photos, previews: PreviewEncoder(on: loop, decoders: decoders),
            recordings: try Recorder(
                folder: recordings, maximumFileBytes: settings.recordings.maximumFileBytes,
                decoders: decoders, on: loop),
            files: try MediaFiles(
                photos: settings.captures.folder, recordings: settings.recordings.folder, open: recordings,
                on: loop),
            outputs: OutputThreads(on: loop, decoders: decoders, open: output))
        bus = { try MQTTFrontEnd.makeBus($0, boot: $1, faultFile: faultFile, on: loop) }
        freeBytes = { photos.measureFreeBytes(in: $0, then: $1) }
        wallTime = { Timestamp.now }
        wallTimeError = { TimeOfDay.error }
    }
}
