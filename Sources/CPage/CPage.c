#include "CPage.h"

// The Swift compiler takes ten seconds for literals of this size, the C compiler none.
static const unsigned char camera_words_js[] = {
#embed "../Server/HTTP/Page/camera-words.js"
};
static const unsigned char camera_js[] = {
#embed "../Server/HTTP/Page/camera.js"
};
static const unsigned char chips_js[] = {
#embed "../Server/HTTP/Page/chips.js"
};
static const unsigned char console_css[] = {
#embed "../Server/HTTP/Page/console.css"
};
static const unsigned char controls_js[] = {
#embed "../Server/HTTP/Page/controls.js"
};
static const unsigned char dial_js[] = {
#embed "../Server/HTTP/Page/dial.js"
};
static const unsigned char elements_js[] = {
#embed "../Server/HTTP/Page/elements.js"
};
static const unsigned char gallery_js[] = {
#embed "../Server/HTTP/Page/gallery.js"
};
static const unsigned char gestures_js[] = {
#embed "../Server/HTTP/Page/gestures.js"
};
static const unsigned char grid_js[] = {
#embed "../Server/HTTP/Page/grid.js"
};
static const unsigned char icon_svg[] = {
#embed "../Server/HTTP/Page/icon.svg"
};
static const unsigned char icons_js[] = {
#embed "../Server/HTTP/Page/icons.js"
};
static const unsigned char index_html[] = {
#embed "../Server/HTTP/Page/index.html"
};
static const unsigned char kept_js[] = {
#embed "../Server/HTTP/Page/kept.js"
};
static const unsigned char link_js[] = {
#embed "../Server/HTTP/Page/link.js"
};
static const unsigned char main_js[] = {
#embed "../Server/HTTP/Page/main.js"
};
static const unsigned char manifest_webmanifest[] = {
#embed "../Server/HTTP/Page/manifest.webmanifest"
};
static const unsigned char messages_js[] = {
#embed "../Server/HTTP/Page/messages.js"
};
static const unsigned char picture_js[] = {
#embed "../Server/HTTP/Page/picture.js"
};
static const unsigned char presets_js[] = {
#embed "../Server/HTTP/Page/presets.js"
};
static const unsigned char render_js[] = {
#embed "../Server/HTTP/Page/render.js"
};
static const unsigned char shutter_js[] = {
#embed "../Server/HTTP/Page/shutter.js"
};
static const unsigned char sign_in_js[] = {
#embed "../Server/HTTP/Page/sign-in.js"
};
static const unsigned char socket_js[] = {
#embed "../Server/HTTP/Page/socket.js"
};
static const unsigned char sound_js[] = {
#embed "../Server/HTTP/Page/sound.js"
};
static const unsigned char view_js[] = {
#embed "../Server/HTTP/Page/view.js"
};
static const unsigned char words_js[] = {
#embed "../Server/HTTP/Page/words.js"
};
static const unsigned char zoom_js[] = {
#embed "../Server/HTTP/Page/zoom.js"
};

#define FILE(name, array) {name, array, sizeof array}

static const struct page_file files[] = {
    FILE("camera-words.js", camera_words_js),
    FILE("camera.js", camera_js),
    FILE("chips.js", chips_js),
    FILE("console.css", console_css),
    FILE("controls.js", controls_js),
    FILE("dial.js", dial_js),
    FILE("elements.js", elements_js),
    FILE("gallery.js", gallery_js),
    FILE("gestures.js", gestures_js),
    FILE("grid.js", grid_js),
    FILE("icon.svg", icon_svg),
    FILE("icons.js", icons_js),
    FILE("index.html", index_html),
    FILE("kept.js", kept_js),
    FILE("link.js", link_js),
    FILE("main.js", main_js),
    FILE("manifest.webmanifest", manifest_webmanifest),
    FILE("messages.js", messages_js),
    FILE("picture.js", picture_js),
    FILE("presets.js", presets_js),
    FILE("render.js", render_js),
    FILE("shutter.js", shutter_js),
    FILE("sign-in.js", sign_in_js),
    FILE("socket.js", socket_js),
    FILE("sound.js", sound_js),
    FILE("view.js", view_js),
    FILE("words.js", words_js),
    FILE("zoom.js", zoom_js),
    {NULL, NULL, 0},
};

const struct page_file *page_files(void) { return files; }
