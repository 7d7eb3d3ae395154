import Base
import Glibc
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Agent
@testable import Cameras
@testable import Settings

/// How a service ends: at a signal, with a failure, or to run again with another configuration.
@Suite(.timeLimit(.minutes(10))) struct AgentServiceTests {
    private let folder = TemporaryFolder()

    /// A service in a thread of its own, which alone receives its signals.
    private final class Run: Sendable {
        struct Outcome {
            var failure: ServiceFailure?
            var shouldRestart = false
            var checks = 0
        }

        private let outcome = Mutex(Outcome())
        private let log = CollectedLog(from: .info)
        var lines: [String] { log.lines }

        /// Runs a service to its end.
        ///
        /// - Parameters:
        ///   - devices: are used on the thread of the service only; nil: those of the machine.
        ///   - look: finds what is wrong with folders; nil: looks at those of the settings.
        ///   - check: gets the number of its call, from 1.
        ///   - online: sends signals once the cameras are served.
        ///   - logged: gets each line of the log, on the thread of the service.
        func outcome(
            of settings: AgentSettings, requiresBroker: Bool = false, devices: ScriptedDevices? = nil,
            look: AgentService.LookAtFolders? = nil,
            check: (@Sendable (Int) throws -> Void)? = nil, online: @escaping @Sendable () -> Void = {},
            logged: @escaping @Sendable (String) -> Void = { _ in }
        ) throws -> Outcome {
            nonisolated(unsafe) let devices = devices
            let thread = try Thread(name: "service") { [self] in
                let service = AgentService(
                    settings, SharedDevices(settings, watcher: devices), version: "1",
                    logger: Logger(label: "service") { _ in Handler(log: self.log.logger, logged: logged) },
                    requiresBroker: requiresBroker, folderInterval: .milliseconds(10),
                    lookAtFolders: look ?? { $0.folderProblems() })
                if settings.servesAll { service.watchForNewDevices(served: []) }
                if let check {
                    service.prepareRestarts(nil) { [self] _ in
                        try check(
                            outcome.withLock {
                                $0.checks += 1
                                return $0.checks
                            })
                        return true
                    }
                }
                service.whenOnline = online
                do throws(ServiceFailure) {
                    try service.run()
                } catch {
                    outcome.withLock { $0.failure = error }
                }
                outcome.withLock { $0.shouldRestart = service.shouldRestart }
            }
            thread.join()
            return outcome.withLock { $0 }
        }
    }

    private struct Handler: LogHandler {
        var log: Logger
        let logged: @Sendable (String) -> Void
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.log(level: event.level, "\(event.message)")
            logged("\(event.message)")
        }
    }

    private struct WrongConfiguration: Error, CustomStringConvertible {
        let description = "porch.yaml:1: wrong"
    }

    /// Nothing listens on the port of the broker.
    private var settings: AgentSettings {
        AgentSettings(
            agent: "porch", mqtt: MQTTSettings(port: 1), stateFile: folder.file("state.json"),
            captures: CaptureSettings(
                folder: .init(directory: folder.file("captures"), maximumBytes: 1 << 20)),
            recordings: RecordingSettings(
                folder: .init(directory: folder.file("recordings"), maximumBytes: 1 << 20)),
            cameras: [CameraSettings(id: "door", simulation: .init(width: 64, height: 36))])
    }

    @Test(arguments: [SIGTERM, SIGINT]) func aSignalEndsItCleanly(signal: Int32) throws {
        let run = Run()
        let outcome = try run.outcome(of: settings, online: { raise(signal) })
        #expect(outcome.failure == nil && !outcome.shouldRestart)
        #expect(folder.names.contains("state.json.slots"))
        #expect(
            run.lines.first
                == "state: \(folder.file("state.json")), photos: \(folder.file("captures")), recordings: \(folder.file("recordings"))"
        )
    }

    /// A file is where the folder of the photos is to be; then it is gone.
    @Test func aProblemOfAFolderIsFollowed() throws {
        let photos = folder.write("", to: "captures")
        let run = Run()
        let problem = "captures.directory: can't use the folder \(photos): Not a directory"
        let outcome = try run.outcome(
            of: settings,
            logged: {
                if $0 == problem { unlink(photos) }
                if $0 == "no longer a problem: \(problem)" { raise(SIGTERM) }
            })
        #expect(outcome.failure == nil && run.lines.count { $0 == problem } == 1)
    }

    /// A look at the folders that hangs until the configuration is checked.
    @Test func aDiskThatHangsKeepsNoConfigurationFromItsCheck() throws {
        let isChecked = Monitor(false)
        let waits = Mutex<[Bool]>([])
        let outcome = try Run().outcome(
            of: settings,
            look: { _ in
                let limit = Monitor<Bool>.now() + 30_000_000_000
                let inTime = isChecked.wait { isChecked, now in
                    isChecked || now > limit ? .answer(isChecked) : .wait(until: limit)
                }
                waits.withLock { $0.append(inTime) }
                return []
            },
            check: { _ in isChecked.change { isChecked, _ in isChecked = true } }, online: { raise(SIGHUP) })
        #expect(outcome.shouldRestart && waits.withLock { !$0.contains(false) })
    }

    /// Every device is served, and one may not be opened for a while.
    @Test func aProblemOfADeviceIsFollowed() throws {
        nonisolated(unsafe) let devices = ScriptedDevices()
        var settings = settings
        settings.servesAll = true
        let run = Run()
        let outcome = try run.outcome(
            of: settings, devices: devices,
            online: {
                let forbidden = DeviceProblem(path: "/dev/video7", cause: .forbidden, words: "no permission")
                for problems in [[forbidden], [forbidden], []] {
                    devices.problems = problems
                    devices.find([])
                }
                raise(SIGTERM)
            })
        #expect(outcome.failure == nil)
        #expect(
            run.lines.filter { $0.contains("permission") } == [
                "no permission", "no longer a problem: no permission",
            ])
    }

    @Test func aGoodConfigurationIsLoadedByAnotherRun() throws {
        let outcome = try Run().outcome(of: settings, check: { _ in }, online: { raise(SIGHUP) })
        #expect(outcome.failure == nil && outcome.shouldRestart && outcome.checks == 1)
    }

    @Test func aWrongConfigurationChangesNothing() throws {
        let run = Run()
        let outcome = try run.outcome(
            of: settings, check: { if $0 == 1 { throw WrongConfiguration() } }, online: { raise(SIGHUP) },
            logged: { if $0 == "porch.yaml:1: wrong" { raise(SIGHUP) } })
        #expect(outcome.failure == nil && outcome.shouldRestart && outcome.checks == 2)
        #expect(
            run.lines.contains(
                "the configuration can't be loaded; the agent goes on with the one that it has:"))
    }

    @Test func withoutAConfigurationThereIsNothingToLoad() throws {
        let run = Run()
        let outcome = try run.outcome(
            of: settings, online: { raise(SIGHUP) },
            logged: { if $0 == "SIGHUP: there is no configuration to load" { raise(SIGTERM) } })
        #expect(outcome.failure == nil && !outcome.shouldRestart)
    }

    @Test func aSignalEndsItWhileTheConfigurationIsChecked() throws {
        let outcome = try Run().outcome(
            of: settings, check: { _ in }, online: { raise(SIGHUP) },
            logged: { if $0 == "SIGHUP: loading the configuration" { raise(SIGTERM) } })
        #expect(outcome.failure == nil && !outcome.shouldRestart)
    }

    @Test func aFolderThatCannotBeUsedEndsItWithItsKey() throws {
        folder.write("", to: "file")
        var settings = settings
        settings.stateFile = folder.file("file/state.json")
        let run = Run()
        #expect(try run.outcome(of: settings).failure == .storage)
        #expect(run.lines.contains { $0.hasPrefix("state_file: can't ") }, "\(run.lines)")
    }

    @Test func aBrokerThatIsRequiredHasToBeThere() throws {
        #expect(try Run().outcome(of: settings, requiresBroker: true).failure == .unavailable)
    }
}
