internal import Cameras

/// H.264 as encoders give it (Annex B of the standard: units between start codes), on its way into a
/// container, which has the parameter sets in its head and not in each key frame.
struct H264Stream {
    /// The parameter sets, in Annex B; nil while there are none.
    var parameterSets: [UInt8]? {
        sequenceParameters.isEmpty || pictureParameters.isEmpty
            ? nil : (sequenceParameters + pictureParameters).flatMap { Self.startCode + $0 }
    }

    /// Pixels in a row, and rows, by the parameter sets; nil while there are none that can be read.
    var size: (width: Int, height: Int)? {
        sequenceParameters.lazy.compactMap { $0.withUnsafeBufferPointer { H264SequenceParameters($0) } }.first
            .map { ($0.width, $0.height) }
    }

    private var sequenceParameters: [[UInt8]] = []
    private var pictureParameters: [[UInt8]] = []
    private static let startCode: [UInt8] = [0, 0, 0, 1]

    /// Stores the parameter sets of an access unit, in place of the earlier ones.
    mutating func storeParameterSets(_ accessUnit: UnsafeBufferPointer<UInt8>) {
        var (sequence, picture): ([[UInt8]], [[UInt8]]) = ([], [])
        for range in H264Units.ranges(in: accessUnit) {
            switch H264Units.kind(accessUnit[range.lowerBound]) {
            case .sequenceParameters: sequence.append(Array(accessUnit[range]))
            case .pictureParameters: picture.append(Array(accessUnit[range]))
            default: break
            }
        }
        if !sequence.isEmpty { (sequenceParameters, pictureParameters) = (sequence, []) }
        pictureParameters += picture.filter { !pictureParameters.contains($0) }
    }

    /// Whether all parameter sets of an access unit are those that were stored.
    func hasParameterSets(of accessUnit: UnsafeBufferPointer<UInt8>) -> Bool {
        H264Units.ranges(in: accessUnit).allSatisfy { range in
            switch H264Units.kind(accessUnit[range.lowerBound]) {
            case .sequenceParameters:
                sequenceParameters.contains { $0.elementsEqual(accessUnit[range]) }
            case .pictureParameters: pictureParameters.contains { $0.elementsEqual(accessUnit[range]) }
            default: true
            }
        }
    }

    /// The access unit without the units that the container doesn't allow; nil when it can be used unchanged.
    ///
    /// - Throws: ``MovieError/unsupported(_:)`` when its pictures don't match the parameter sets.
    func stripped(_ accessUnit: UnsafeBufferPointer<UInt8>) throws(MovieError) -> (
        bytes: [UInt8]?, isKey: Bool
    ) {
        let ranges = H264Units.ranges(in: accessUnit)
        var kept: [Range<Int>] = []
        var isKey = false
        for range in ranges {
            switch H264Units.kind(accessUnit[range.lowerBound]) {
            case .sequenceParameters:
                if !sequenceParameters.contains(where: { $0.elementsEqual(accessUnit[range]) }) {
                    throw .unsupported("the encoder has changed its size or kind")
                }
            case .pictureParameters:
                // Parameter sets other than those in the head stay in the stream, for the decoder.
                if !pictureParameters.contains(where: { $0.elementsEqual(accessUnit[range]) }) {
                    kept.append(range)
                }
            case .delimiter, .filler: break
            case .keySlice:
                isKey = true
                kept.append(range)
            case .slice, .supplement, .endOfSequence, .endOfStream, nil: kept.append(range)
            }
        }
        if kept.count == ranges.count { return (nil, isKey) }
        return (kept.flatMap { Self.startCode + accessUnit[$0] }, isKey)
    }
}
