internal import ArgumentParser
internal import BrokerOptions
internal import Contract
internal import Ctl

/// `ctl media`
struct CtlMedia: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "media",
        abstract: "Lists, copies and deletes photos and recordings.",
        discussion: """
            v4l2mqtt ctl media list --kind photo --limit 100   the newest photos
            v4l2mqtt ctl media get NAME                        copies a file here, and checks its hash
            v4l2mqtt ctl media get --newest 1 --group stage    copies the newest file of each camera
            v4l2mqtt ctl media delete NAME                     deletes a file at the agent
            """,
        subcommands: [List.self, Get.self, Delete.self])

    /// `ctl media list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists files, the newest first.",
            discussion: "With --json, prints an object with the list.")

        @OptionGroup var options: BusOptions

        @Option(help: "Only photos, or only recordings.")
        var kind: MediaKind?

        @Option(help: "How many files at most.")
        var limit = 20

        func validate() throws {
            guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit is 1 to 1000000.") }
        }

        func run() throws { try options.run(.listMedia(kind: kind, limit: limit)) }
    }

    /// `ctl media get`
    struct Get: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copies a file, and checks its hash.",
            discussion: """
                Until the copy is complete, its name ends in .part. A copy that was interrupted goes on there. \
                The agent has to use MQTT 5.

                With --newest, --output is a folder, which is made if it is missing, and copies have their \
                names at the agent; with --group AGENT-CAMERA-NAME.
                """)

        @OptionGroup var options: BusOptions

        @Argument(
            help: "The name, as in the list; or --newest in its place.", completion: Completions.media)
        var name: String?

        @Option(help: "Copies so many of the newest files.")
        var newest: Int?

        @Option(help: "With --newest, only photos, or only recordings.")
        var kind: MediaKind?

        @Option(
            help: "The local file, with --newest a folder; default: the same name, here.",
            completion: .file())
        var output: String?

        @Flag(help: "Replaces a local file.")
        var force = false

        func validate() throws {
            if !options.broker.isV5 { throw ValidationError("media get needs MQTT 5.") }
            if let name, name.isEmpty || name.utf8.contains(UInt8(ascii: "/")) {
                throw ValidationError("NAME is a name as in the list, without a folder.")
            }
            guard (name == nil) != (newest == nil) else {
                throw ValidationError("Give one of NAME and --newest.")
            }
            if name != nil && options.group != nil {
                throw ValidationError("NAME is of one camera. With --group, give --newest.")
            }
            if kind != nil && newest == nil { throw ValidationError("--kind needs --newest.") }
            if let newest, !(1...1_000_000).contains(newest) {
                throw ValidationError("--newest is 1 to 1000000.")
            }
            if output?.isEmpty == true { throw ValidationError("--output is a file.") }
        }

        func run() throws {
            if let name {
                return try options.run(
                    .copyMedia(.names([name]), to: .file(output ?? name), replaces: force))
            }
            let files = MediaSelection.newest(kind: kind, count: newest ?? 1)
            try options.run(.copyMedia(files, to: .folder(output ?? "."), replaces: force))
        }
    }

    /// `ctl media delete`
    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deletes a file at the agent.")

        @OptionGroup var options: BusOptions

        @Argument(help: "The name, as in the list.", completion: Completions.media)
        var name: String

        func run() throws {
            try options.run(.command(.media, ["delete": .text(name)]))
        }
    }
}

extension MediaKind: ExpressibleByArgument {}
