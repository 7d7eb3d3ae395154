internal import Cameras
internal import ZoomModel

extension Viewport {
    var forPictures: Region { Region(x: x, y: y, width: width, height: height) }
}
