import CPlayerTime
import Glibc
import ScenarioPlayer

/// Plays random sequences against the agent; `Tests/Record/compare` starts it for two trees.
///
///     Player hashes FROM TO    a line for each seed: its number, and the hash of what it prints
///     Player play FROM TO      what the sequences print
///     Player raw SEED          what one prints, without ranks
///     Player coverage FROM TO  in how many sequences each answer, error, state and effect occurs
let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.compactMap { UInt64($0) }
let length = 120

player_time_begin()

func record(_ seed: UInt64) throws -> RecordedSequence {
    player_time_reset(seed)
    return try RecordedSequence(seed: seed, count: length) { configuration in
        try AgentStage(configuration) { time in
            let (seconds, attoseconds) = time.components
            player_time_set(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        }
    }
}

// What is made once in a process is made at the same time, whatever the first seed is.
_ = try record(0)

switch (arguments.first, numbers.count) {
case ("hashes", 2):
    for seed in numbers[0]...numbers[1] { print(seed, RecordedSequence.hash(try record(seed).ranked)) }
case ("play", 2): for seed in numbers[0]...numbers[1] { print(try record(seed).ranked, terminator: "") }
case ("raw", 1): print(try record(numbers[0]).raw, terminator: "")
case ("coverage", 2):
    var coverage = Coverage()
    for seed in numbers[0]...numbers[1] { coverage.add(try record(seed).coverage) }
    for (name, count) in coverage.counts.sorted(by: { $0.key < $1.key }) { print(count, name) }
default:
    print("expected: hashes FROM TO, play FROM TO, raw SEED or coverage FROM TO")
    exit(64)
}
