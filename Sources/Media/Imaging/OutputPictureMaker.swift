internal import CPacking
package import Cameras
internal import Settings

/// Makes pictures for an output device: the part of a frame that is shown, as large as fits, with black
/// beside it where the device's pictures have another aspect ratio.
///
/// Samples have ITU-R BT.601's limited range, which programs expect of a camera. It belongs to one thread,
/// and keeps its memory from one picture to the next.
package final class OutputPictureMaker {
    private let format: OutputFormat
    private let maker: FrameMaker
    private let memory: UnsafeMutableRawPointer
    /// The part of the picture that isn't black.
    private var place = Place(left: 0, top: 0, width: 0, height: 0)

    private struct Place: Equatable {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
    }

    /// - Throws: ``ImagingError/library(_:)``.
    package init(_ format: OutputFormat) throws(ImagingError) {
        self.format = format
        maker = try FrameMaker()
        memory = UnsafeMutableRawPointer.allocate(byteCount: format.byteCount, alignment: 64)
        makeBlack()
    }

    deinit { memory.deallocate() }

    /// The last picture.
    var picture: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory, count: format.byteCount)
    }

    /// Makes ``picture`` black.
    func makeBlack() {
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: format.byteCount)
        place = Place(left: 0, top: 0, width: 0, height: 0)
        // Zeros of full range are black luma, and no chroma is 128.
        let samples = [UInt8](repeating: 0, count: format.width)
        let gray = [UInt8](repeating: 128, count: format.width)
        samples.withUnsafeBufferPointer { luma in
            gray.withUnsafeBufferPointer { chroma in
                guard let luma = luma.baseAddress, let chroma = chroma.baseAddress else { return }
                for row in 0..<format.height {
                    pack(luma, chroma, chroma, row: row, left: 0, width: format.width)
                }
            }
        }
    }

    /// Makes ``picture`` of a frame. After a failure it is as it was before.
    ///
    /// - Parameter view: the part of the frame to show.
    /// - Throws: ``ImagingError``.
    package func make(of frame: Picture, showing view: Region, effect: Effect) throws(ImagingError) {
        let shape = try maker.shape(of: frame)
        let fitting = fit(
            width: view.width * Double(shape.width), height: view.height * Double(shape.height))
        try maker.withPlanes(
            of: frame, showing: view, width: fitting.width, height: fitting.height,
            sampling: format.pixels.sampling, effect: effect
        ) { planes in
            if fitting != place {
                makeBlack()
                place = fitting
            }
            guard let chroma = planes.chroma else { return }
            let chromaRows = format.pixels.sampling.rows
            for row in 0..<fitting.height {
                let chromaRow = row / chromaRows
                pack(
                    planes.luma.base + row * planes.luma.stride,
                    chroma.blue.base + chromaRow * chroma.blue.stride,
                    chroma.red.base + chromaRow * chroma.red.stride,
                    row: fitting.top + row, left: fitting.left, width: fitting.width)
            }
        }
    }

    /// Where a picture of this aspect ratio is, in the middle and on even pixels.
    private func fit(width: Double, height: Double) -> Place {
        let scale = min(Double(format.width) / width, Double(format.height) / height)
        func even(_ length: Double, _ limit: Int) -> Int {
            // A difference of less than two pixels is no reason for a black edge.
            let pixels = min(limit, max(2, Int((length * scale / 2).rounded()) * 2))
            return limit - pixels <= 2 ? limit : pixels
        }
        let (width, height) = (even(width, format.width), even(height, format.height))
        return Place(
            left: (format.width - width) / 4 * 2, top: (format.height - height) / 4 * 2, width: width,
            height: height)
    }

    /// Writes a row of luma and the row of chroma that belongs to it.
    ///
    /// - Parameters:
    ///   - left: the first column, even.
    ///   - width: luma samples, an even number.
    private func pack(
        _ luma: UnsafePointer<UInt8>, _ blue: UnsafePointer<UInt8>, _ red: UnsafePointer<UInt8>, row: Int,
        left: Int, width: Int
    ) {
        let half = width / 2
        switch format.pixels {
        case .yuyv: pack_groups(luma, blue, red, target(0, row, 2 * left), half, 0)
        case .uyvy: pack_groups(luma, blue, red, target(0, row, 2 * left), half, 1)
        case .nv12:
            pack_luma_row(luma, target(0, row, left), width)
            if row.isMultiple(of: 2) { pack_chroma_pairs(blue, red, target(1, row / 2, left), half) }
        case .yu12, .yv12:
            pack_luma_row(luma, target(0, row, left), width)
            guard row.isMultiple(of: 2) else { return }
            let isBlueFirst = format.pixels == .yu12
            pack_chroma_row(isBlueFirst ? blue : red, target(1, row / 2, left / 2), half)
            pack_chroma_row(isBlueFirst ? red : blue, target(2, row / 2, left / 2), half)
        }
    }

    private func target(_ plane: Int, _ row: Int, _ column: Int) -> UnsafeMutablePointer<UInt8> {
        let rows = format.rows[plane]
        let offset = rows.start + row * rows.stride + column
        return memory.assumingMemoryBound(to: UInt8.self) + offset
    }
}
