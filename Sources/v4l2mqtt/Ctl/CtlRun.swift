internal import ArgumentParser
internal import Ctl
internal import MQTTBus
internal import Messages
internal import Terminal

extension BusOptions {
    /// Performs an operation with the chosen camera. Returns if the camera carried it out.
    ///
    /// - Parameter time: when the agent carries it out; nil: at once.
    /// - Throws: the exit code, after printing why.
    func run(_ operation: CtlOperation, _ time: TimeOptions? = nil) throws {
        try run {
            var options = $0
            (options.time, options.usesAnyClock) = (time?.time, time?.anyClock ?? false)
            options.commandID = time?.id
            guard let group = options.group else { return try Controller(operation, options).run() }
            switch operation.groupUse {
            case .oneCommand: return try GroupController(operation, group, options).run()
            case .oneByOne: return try runOneByOne(operation, group, options)
            case .never:
                throw CommandError(.unsupported, "This is about one camera: name it, and no group.")
            }
        }
    }

    /// Performs an operation with each camera of a group, under its name.
    private func runOneByOne(
        _ operation: CtlOperation, _ group: String, _ options: CtlOptions
    ) throws -> Int32 {
        let fleet = try FleetObservation.collect(
            options, nodes: ["availability", "info"], needsCameraInfo: true)
        guard !fleet.addresses.isEmpty else { throw fleet.unknownGroup(group, options) }
        var code: Int32 = 0
        for address in fleet.addresses {
            var one = try ctlOptions()
            (one.agent, one.camera, one.group) = (address.agent, address.camera, nil)
            printLine(one.json ? address.asJSON : "\(address):")
            code = max(code, try Controller(operation, one).run())
        }
        return code
    }

    /// Runs an operation with these options. Returns if its exit code is 0.
    ///
    /// - Throws: the exit code. A client that can't be created, for instance because of an invalid
    ///   certificate, is reported and ends with 1.
    func run(_ body: (CtlOptions) throws -> Int32) throws {
        let options = try ctlOptions()
        let code: Int32
        do {
            code = try body(options)
        } catch let error as BusError {
            printFailure(CommandError(.unavailable, error.description), options)
            throw ExitCode.failure
        } catch let error as CommandError {
            printFailure(error, options)
            throw ExitCode.failure
        }
        if code != 0 { throw ExitCode(code) }
    }
}
