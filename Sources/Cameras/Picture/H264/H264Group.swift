/// The access units of a camera that delivers H.264: those of the newest group, from its key frame on, and
/// those of the group before, for recordings that store the stream. Pure.
///
/// After a loss everything up to the next key frame is refused, because it can't be decoded. The memory is
/// bounded: see ``mostBytes`` and ``mostUnits``.
struct H264Group {
    /// What became of a frame of the camera.
    enum Outcome: Sendable, Equatable {
        case taken
        /// It has parameter sets and no picture: they belong to the next key frame.
        case parameters
        /// It has no picture and no parameter sets, only other units such as SEI. It is left out, and not
        /// counted as lost.
        case supplement
        /// It can't be used: the reason. Counted as lost.
        case refused(Refusal)
    }

    enum Refusal: Sendable, Equatable {
        /// It is not H.264, or the first key frame's parameters are missing or damaged.
        case damaged(String)
        /// It can't be decoded without a frame that is missing.
        case awaitsKeyFrame
        /// The pictures don't have the size of the mode.
        case size(width: Int, height: Int)
    }

    /// Bytes and access units of a group at the most. A camera that sends key frames only on request reaches
    /// this.
    static let mostBytes = 24 << 20
    static let mostUnits = 1_200

    /// Encoders round sizes up to whole blocks, and some don't crop them.
    private static let blockSide = 16

    private let stream = H264Picture.StreamID()
    /// Of the mode, in pixels.
    private let size: (width: Int, height: Int)
    private var units: [H264AccessUnit] = []
    /// Where the newest group begins in `units`.
    private var start = 0
    private var bytes = 0
    private var ordinal = 0
    /// The parameter sets that came last, in Annex B; a key frame without some gets these.
    private var sequence: [UInt8] = []
    private var pictureParameterSets: [UInt8] = []
    private var parameters: H264SequenceParameters?
    /// The number of the last frame that others refer to.
    private var lastReference: Int?
    /// The driver's number of the last frame.
    private var lastNumber: Int?
    /// Frames of the driver that had no picture: they don't count in the numbers of access units.
    private var withoutPicture = 0
    /// Whether only a key frame can be used.
    private(set) var awaitsKeyFrame = true
    /// Whether the group has reached its limits without a further key frame.
    private(set) var isFull = false

    /// - Parameters:
    ///   - width: of the mode, in pixels.
    ///   - height: likewise.
    init(width: Int, height: Int) { size = (width, height) }

    /// The newest picture; nil: a key frame is awaited.
    var picture: H264Picture? {
        guard !awaitsKeyFrame, let parameters, !units.isEmpty else { return nil }
        return H264Picture(
            stream: stream, width: parameters.width, height: parameters.height, units: units)
    }

    /// The newest access unit; nil: a key frame is awaited.
    var newest: H264AccessUnit? { awaitsKeyFrame ? nil : units.last }

    /// Access units since the newest key frame.
    var length: Int { awaitsKeyFrame ? 0 : units.count - start }

    /// Forgets the groups: what follows needs a key frame.
    mutating func lose() {
        (units, start, bytes) = ([], 0, 0)
        (awaitsKeyFrame, lastReference) = (true, nil)
    }

    /// Takes a frame as the driver has filled it.
    ///
    /// - Parameters:
    ///   - number: the driver's. A gap is a loss.
    ///   - exposedAt: the time of the exposure.
    mutating func add(
        _ frame: UnsafeBufferPointer<UInt8>, number: Int, exposedAt: ContinuousClock.Instant
    ) -> Outcome {
        if let lastNumber, number > lastNumber + 1 { lose() }
        lastNumber = number
        isFull = false
        var content = H264FrameContent(frame)
        if !content.sequence.isEmpty {
            (sequence, pictureParameterSets) = (content.sequence, [])
            parameters = content.parameters
        }
        if !content.pictureParameterSets.isEmpty { pictureParameterSets = content.pictureParameterSets }
        guard content.hasSlices else {
            guard content.hasParameters || content.isSupplement else {
                lose()
                return .refused(.damaged("it has no picture of H.264"))
            }
            withoutPicture += 1
            return content.hasParameters ? .parameters : .supplement
        }
        if content.isKey { return addKey(&content, frame, number, exposedAt) }
        guard !awaitsKeyFrame, let parameters else { return .refused(.awaitsKeyFrame) }
        guard follows(content, parameters) else {
            lose()
            return .refused(.awaitsKeyFrame)
        }
        append(Array(frame), number, exposedAt, isKey: false)
        return .taken
    }

    private mutating func addKey(
        _ content: inout H264FrameContent, _ frame: UnsafeBufferPointer<UInt8>, _ number: Int,
        _ exposedAt: ContinuousClock.Instant
    ) -> Outcome {
        guard let parameters, !pictureParameterSets.isEmpty else {
            lose()
            return .refused(.damaged("a key frame came without its parameter sets"))
        }
        guard Self.fits(parameters.width, size.width), Self.fits(parameters.height, size.height) else {
            lose()
            return .refused(.size(width: parameters.width, height: parameters.height))
        }
        // Of the groups before, only the last one is still needed.
        forgetEarlierGroup()
        if bytes > Self.mostBytes / 2 || units.count > Self.mostUnits / 2 { (units, bytes) = ([], 0) }
        start = units.count
        (awaitsKeyFrame, lastReference) = (false, 0)
        let missing =
            (content.sequence.isEmpty ? sequence : [])
            + (content.pictureParameterSets.isEmpty ? pictureParameterSets : [])
        append(missing + frame, number, exposedAt, isKey: true)
        return .taken
    }

    /// Whether a frame follows the last one without a loss, by its number (`frame_num`). A lost frame to
    /// which no other refers doesn't matter.
    private mutating func follows(
        _ content: H264FrameContent, _ parameters: H264SequenceParameters
    ) -> Bool {
        guard let found = content.frameNumber(parameters), let last = lastReference else { return true }
        let step = (found - last + 1 << parameters.frameNumberBits) % (1 << parameters.frameNumberBits)
        guard step <= 1 || parameters.allowsGaps else { return false }
        if content.isReference { lastReference = found }
        return true
    }

    private mutating func append(
        _ content: [UInt8], _ number: Int, _ exposedAt: ContinuousClock.Instant, isKey: Bool
    ) {
        ordinal += 1
        bytes += content.count
        units.append(
            H264AccessUnit(
                bytes: content, ordinal: ordinal, number: number - withoutPicture, exposedAt: exposedAt,
                isKey: isKey))
        guard bytes > Self.mostBytes || units.count > Self.mostUnits else { return }
        if start > 0 {
            forgetEarlierGroup()
        } else {
            lose()
            isFull = true
        }
    }

    private mutating func forgetEarlierGroup() {
        bytes -= units[..<start].reduce(0) { $0 + $1.bytes.count }
        units.removeFirst(start)
        start = 0
    }

    private static func fits(_ side: Int, _ ofMode: Int) -> Bool {
        side <= (ofMode + blockSide - 1) / blockSide * blockSide
    }
}

/// What is in a frame of H.264, by its units.
struct H264FrameContent {
    /// Parameter sets in Annex B.
    private(set) var sequence: [UInt8] = []
    private(set) var pictureParameterSets: [UInt8] = []
    /// The last ones that could be read.
    private(set) var parameters: H264SequenceParameters?
    private(set) var isKey = false
    private(set) var isReference = false
    /// It has units of H.264, and all of them are of kinds without which each picture can be decoded.
    private(set) var isSupplement = false
    /// The head of the first slice (section 7.3.3 of the standard), after the number of the picture's
    /// parameters.
    private var slice: H264Bits?

    private static let startCode: [UInt8] = [0, 0, 0, 1]

    var hasSlices: Bool { slice != nil }
    var hasParameters: Bool { !sequence.isEmpty || !pictureParameterSets.isEmpty }

    init(_ frame: UnsafeBufferPointer<UInt8>) {
        let ranges = H264Units.ranges(in: frame)
        isSupplement = !ranges.isEmpty
        for range in ranges {
            let unit = UnsafeBufferPointer(rebasing: frame[range])
            switch H264Units.kind(unit[0]) {
            case .sequenceParameters:
                sequence += Self.startCode + unit
                parameters = H264SequenceParameters(unit) ?? parameters
            case .pictureParameters: pictureParameterSets += Self.startCode + unit
            case .keySlice, .slice:
                if H264Units.kind(unit[0]) == .keySlice { isKey = true }
                guard slice == nil else { continue }
                var bits = H264Bits(unit, longest: 32)
                _ = (bits.number(), bits.number(), bits.number())
                (slice, isReference) = (bits, unit[0] & 0x60 != 0)
            case .supplement, .delimiter, .endOfSequence, .endOfStream, .filler: continue
            case nil: isSupplement = false
            }
        }
    }

    /// The number of the frame among those that others refer to (`frame_num`); nil: the slice is damaged.
    func frameNumber(_ parameters: H264SequenceParameters) -> Int? {
        guard var bits = slice else { return nil }
        if parameters.separatesPlanes { _ = bits.bits(2) }
        let number = bits.bits(parameters.frameNumberBits)
        return bits.isOverrun ? nil : number
    }
}
