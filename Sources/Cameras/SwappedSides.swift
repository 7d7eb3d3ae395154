/// Width and height of a camera whose picture is turned by a quarter. The formats of its description are
/// those that users see, while the criteria for modes (``Quality``, ``CameraDescription/limits``) are for the
/// sizes of the sensor. Exchanging sides leads from one to the other and back.
extension CameraDescription {
    /// Makes the description that users see of one of a sensor.
    mutating func swapSides() {
        formats = formats.map(\.withSidesSwapped)
        sidesAreSwapped = true
    }

    /// The formats as the sensor has them.
    var sensorFormats: [Format] { sidesAreSwapped ? formats.map(\.withSidesSwapped) : formats }

    func exchanged(_ quality: Quality) -> Quality { sidesAreSwapped ? quality.withSidesSwapped : quality }

    func exchanged(_ choice: ModeChoice) -> ModeChoice {
        guard sidesAreSwapped else { return choice }
        var mode = choice.mode
        (mode.width, mode.height) = (mode.height, mode.width)
        return ModeChoice(mode: mode, isClamped: choice.isClamped)
    }
}

extension CameraDescription.Format {
    /// The same format with width and height exchanged.
    fileprivate var withSidesSwapped: Self {
        var format = self
        (format.width, format.height) = (height, width)
        format.range = range.map {
            CameraDescription.SizeRange(
                minWidth: $0.minHeight, minHeight: $0.minWidth, widthStep: $0.heightStep,
                heightStep: $0.widthStep)
        }
        return format
    }
}

extension Quality {
    /// The quality with width and height exchanged. Names stay: they are those of the sensor's sizes.
    fileprivate var withSidesSwapped: Quality {
        if case .size(let width, let height) = self { .size(width: height, height: width) } else { self }
    }
}
