internal import CTurboJPEG
internal import Picture

extension Sampling {
    /// TurboJPEG's number for it.
    var code: Int32 {
        let code =
            switch self {
            case .yuv444: TJSAMP_444
            case .yuv422: TJSAMP_422
            case .yuv420: TJSAMP_420
            case .gray: TJSAMP_GRAY
            case .yuv440: TJSAMP_440
            case .yuv411: TJSAMP_411
            }
        return Int32(code.rawValue)
    }

    init?(code: Int32) {
        guard let sampling = Sampling.allCases.first(where: { $0.code == code }) else { return nil }
        self = sampling
    }
}
