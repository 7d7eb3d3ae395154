/// A part of a camera with a state at `<node>` and commands at `<node>/set`.
package struct Node: Hashable, Sendable, CaseIterable {
    /// The one list of nodes. Topics, subscriptions, `info.nodes`, schemas and tests follow from it.
    package static let allCases = [
        zoom, pinch, touch, viewport, capture, recording, session, controls, presets, preview, lease, desired,
        privacy, media,
    ]

    package let contract: any NodeContract.Type

    package init(_ contract: any NodeContract.Type) { self.contract = contract }

    /// Nil: there is no node with this name.
    package init?(rawValue: String) {
        guard let node = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = node
    }

    package var rawValue: String { contract.name }

    package static func == (a: Self, b: Self) -> Bool { a.contract == b.contract }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(contract)) }
}

extension Node: CustomStringConvertible {
    package var description: String { rawValue }
}

/// What a node of a camera takes, shows and keeps.
package protocol NodeContract: SendableMetatype {
    associatedtype Command: CommandForm
    associatedtype State: StateForm
    associatedtype Saved: SavedPart = NothingSaved

    /// In topics.
    static var name: String { get }
    /// A change of the state is a change of the camera, which gets a new `rev`.
    static var isCounted: Bool { get }

    /// Without a value the state is `null`.
    static var isNullable: Bool { get }

    /// The least role of a page that may send a command; nil: no page may.
    static func role(for payload: JSONObject) -> Role?
}

extension NodeContract {
    package static var isCounted: Bool { false }
    package static var isNullable: Bool { false }
    package static func role(for payload: JSONObject) -> Role? { .control }

    package static var savedPart: any SavedPart.Type { Saved.self }
    /// As it is published.
    package static var publishedState: any (Form & Equatable).Type { Stamped<State>.self }

    /// Whether commands can wait for a time (`at`).
    package static var takesTimes: Bool { Command.mayHaveTime }
    static var command: CommandDescription { CommandDescription(Command.self) }

    package static func receive(
        _ payload: [UInt8]
    ) -> (Envelope, Result<any CommandForm, CommandError>) { Command.receive(payload) }
}

extension Node {
    /// The fields of its commands.
    package var command: CommandDescription { contract.command }
}
