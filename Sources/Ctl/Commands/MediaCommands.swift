internal import ArgumentParser
internal import BrokerOptions
internal import Contract

extension CtlCommand {
    struct Media: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists, copies and deletes photos and recordings.",
            discussion: """
                v4l2mqtt ctl media list --kind photo --limit 100   the newest photos
                v4l2mqtt ctl media get NAME                        copies a file here, and checks its hash
                v4l2mqtt ctl media get --newest 1 --group stage    copies the newest file of each camera
                v4l2mqtt ctl media delete NAME                     deletes a file at the agent
                """,
            subcommands: [List.self, Get.self, Delete.self])

        /// What is read page by page.
        private static let numbers = 1...1_000_000

        struct List: CameraCommand {
            static let configuration = CommandConfiguration(
                abstract: "Lists files, the newest first.",
                discussion: "With --json, prints an object with the list.")

            @Option(help: "Only photos, or only recordings.")
            var kind: MediaKind?

            @Option(help: "How many files at most.")
            var limit = 20

            @OptionGroup var options: BusOptions

            var operation: CtlOperation {
                get throws {
                    guard numbers.contains(limit) else { throw ValidationError("--limit is 1 to 1000000.") }
                    return .listMedia(kind: kind, limit: limit)
                }
            }
        }

        struct Get: CameraCommand {
            static let configuration = CommandConfiguration(
                abstract: "Copies a file, and checks its hash.",
                discussion: """
                    Until the copy is complete, its name ends in .part. A copy that was interrupted goes on there. \
                    The agent has to use MQTT 5.

                    With --newest, --output is a folder, which is made if it is missing, and copies have their \
                    names at the agent; with --group AGENT-CAMERA-NAME.
                    """)

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

            @OptionGroup var options: BusOptions

            var operation: CtlOperation {
                get throws {
                    if !options.broker.isV5 { throw ValidationError("media get needs MQTT 5.") }
                    if output?.isEmpty == true { throw ValidationError("--output is a file.") }
                    guard let name else {
                        guard let newest else { throw ValidationError("Give one of NAME and --newest.") }
                        guard numbers.contains(newest) else {
                            throw ValidationError("--newest is 1 to 1000000.")
                        }
                        return .copyMedia(
                            .newest(kind: kind, count: newest), to: .folder(output ?? "."), replaces: force)
                    }
                    if newest != nil { throw ValidationError("Give one of NAME and --newest.") }
                    if options.group != nil {
                        throw ValidationError("NAME is of one camera. With --group, give --newest.")
                    }
                    if kind != nil { throw ValidationError("--kind needs --newest.") }
                    return .copyMedia(.names([name]), to: .file(output ?? name), replaces: force)
                }
            }
        }

        struct Delete: CameraCommand {
            static let configuration = CommandConfiguration(abstract: "Deletes a file at the agent.")

            @Argument(help: "The name, as in the list.", completion: Completions.media)
            var name: String

            @OptionGroup var options: BusOptions

            var operation: CtlOperation { .command(.media, ["delete": .text(name)]) }
        }
    }
}
