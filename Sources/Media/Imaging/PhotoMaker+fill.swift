internal import Cameras

extension PhotoMaker {
    /// Quality of a JPEG that was scaled for a simulated camera: higher than that of photos, which are made
    /// of it.
    private static let fillQuality = 95

    /// A JPEG as a camera of a given frame size would see it: scaled without distortion until it covers the
    /// frame; what of the picture lies beyond the frame is cut off evenly at both sides.
    ///
    /// - Parameters:
    ///   - width: of the frame, in pixels; nil follows from the height and the picture's proportions, rounded
    ///     to an even number.
    ///   - height: the same for the height. With neither, or with the picture's own size, the JPEG is
    ///     returned as it is.
    /// - Throws: ``ImagingError``, also for a damaged picture. A picture that is returned as it is was only
    ///   looked at as far as its header and its end.
    package func photo(
        of jpeg: [UInt8], fillingWidth width: Int?, height: Int?
    ) throws(ImagingError) -> Photo {
        let own = try JPEGHeader(of: jpeg)
        let size = try own.frame(width: width, height: height)
        let isOwn = size.width == own.width && size.height == own.height
        return try withJPEG(
            of: .jpeg(jpeg), showing: own.region(filling: size.width, size.height), width: size.width,
            height: size.height, quality: isOwn ? nil : Self.fillQuality
        ) { $0.copy }
    }
}

extension JPEGHeader {
    /// The size of a frame of which one side or none may be given.
    fileprivate func frame(width: Int?, height: Int?) throws(ImagingError) -> (width: Int, height: Int) {
        func other(_ side: Int, _ own: Int, _ ownOther: Int) -> Int {
            max(2, Int((Double(side) * Double(ownOther) / Double(own) / 2).rounded()) * 2)
        }
        let size =
            switch (width, height) {
            case (let width?, let height?): (width: width, height: height)
            case (let width?, nil): (width: width, height: other(width, self.width, self.height))
            case (nil, let height?): (width: other(height, self.height, self.width), height: height)
            case (nil, nil): (width: self.width, height: self.height)
            }
        guard size.width > 0, size.height > 0 else {
            throw .badRequest("a frame's side has at least 1 pixel, not \(min(size.width, size.height))")
        }
        guard max(size.width, size.height) <= Self.longestSide else {
            throw .tooLarge(width: size.width, height: size.height)
        }
        return size
    }

    /// The part in the middle that has the proportions of a frame.
    fileprivate func region(filling width: Int, _ height: Int) -> Region {
        let scale = max(Double(width) / Double(self.width), Double(height) / Double(self.height))
        let (across, down) = (
            min(1, Double(width) / scale / Double(self.width)),
            min(1, Double(height) / scale / Double(self.height))
        )
        return Region(x: (1 - across) / 2, y: (1 - down) / 2, width: across, height: down)
    }
}
