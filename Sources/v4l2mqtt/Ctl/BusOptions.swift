internal import ArgumentParser
internal import BrokerOptions
internal import Bus
internal import Contract
internal import Ctl

/// The options of every `ctl` command: the broker, the camera, and how to print.
struct BusOptions: ParsableArguments {
    @OptionGroup var broker: BrokerOptions

    @Option(
        help: ArgumentHelp(
            "The client's name in commands and in the topic for answers, replies/NAME/…; default: the user name, otherwise ctl.",
            valueName: "name"))
    var client: String?

    @Option(help: "The agent; default: the only one that is online.", completion: Completions.agents)
    var agent: String?

    @Option(help: "The camera; default: the agent's only one.", completion: Completions.cameras)
    var camera: String?

    @Option(
        help: "All cameras of this group, instead of one; prints how many did it, refused, or were silent.",
        completion: Completions.groups)
    var group: String?

    @Flag(help: "Print JSON, errors included.")
    var json = false

    func validate() throws {
        guard client.map(CtlOptions.isClientName) ?? true else {
            throw ValidationError("--client is 1 to 64 bytes, without /, + and #.")
        }
        if let group {
            guard Topics.isName(group) else {
                throw ValidationError("--group is 1 to 64 of a-z, 0-9, _ and -.")
            }
            if agent != nil || camera != nil {
                throw ValidationError("--group takes neither --agent nor --camera.")
            }
        }
    }

    /// The options as the library takes them, with a new client id. Reads the password file.
    func ctlOptions() throws -> CtlOptions {
        var options = CtlOptions(
            broker: try broker.settings(clientID: CtlOptions.newClientID()),
            baseTopic: broker.baseTopic, agent: agent, camera: camera, client: client, json: json)
        options.group = group
        return options
    }
}
