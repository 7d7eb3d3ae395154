internal import Picture
internal import ZoomModel

extension Viewport {
    var forPictures: Region { Region(x: x, y: y, width: width, height: height) }
}
