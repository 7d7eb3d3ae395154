extension PageFiles {
    /// The contents of the folder `Page`, which the package manager turns into constants. A test compares
    /// this list with the folder.
    static let content: [String: [UInt8]] = [
        "camera.js": PackageResources.camera_js,
        "camera-words.js": PackageResources.camera_words_js,
        "console.css": PackageResources.console_css,
        "controls.js": PackageResources.controls_js,
        "dial.js": PackageResources.dial_js,
        "elements.js": PackageResources.elements_js,
        "gallery.js": PackageResources.gallery_js,
        "gestures.js": PackageResources.gestures_js,
        "grid.js": PackageResources.grid_js,
        "icon.svg": PackageResources.icon_svg,
        "icons.js": PackageResources.icons_js,
        "index.html": PackageResources.index_html,
        "kept.js": PackageResources.kept_js,
        "link.js": PackageResources.link_js,
        "main.js": PackageResources.main_js,
        "manifest.webmanifest": PackageResources.manifest_webmanifest,
        "messages.js": PackageResources.messages_js,
        "picture.js": PackageResources.picture_js,
        "presets.js": PackageResources.presets_js,
        "shutter.js": PackageResources.shutter_js,
        "sign-in.js": PackageResources.sign_in_js,
        "socket.js": PackageResources.socket_js,
        "sound.js": PackageResources.sound_js,
        "view.js": PackageResources.view_js,
        "words.js": PackageResources.words_js,
        "zoom.js": PackageResources.zoom_js,
    ]
}
