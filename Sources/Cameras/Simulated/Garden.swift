internal import Glibc

/// A garden beside a lake, with things that only a zoom shows: a cat in a window, a bird on a wire, a clock,
/// numbers of a house and a boat. Places are in sixteenths of the width and ninths of the height.
enum Garden {
    static func draw(width: Int, height: Int) -> PlanarPicture {
        var painting = Painting(width: width, height: height)
        sky(&painting)
        land(&painting)
        house(&painting)
        wire(&painting)
        lake(&painting)
        fence(&painting)
        return painting.picture
    }

    private static func sky(_ painting: inout Painting) {
        for step in 0..<90 {
            let place = Double(step) / 90
            let colour = Colour(92 + 130 * place, 150 + 82 * place, 212 + 26 * place)
            painting.fill(colour, 0, 5 * place, 16, 5 * place + 0.06)
        }
        painting.disc(Colour(255, 244, 206), 12.6, 1.3, 0.55)
        for (x, size) in [(2.2, 0.42), (2.8, 0.55), (3.4, 0.4), (8.7, 0.3), (9.1, 0.4)] {
            painting.disc(Colour(240, 245, 250), x, 1.2 - size / 3, size)
        }
    }

    private static func land(_ painting: inout Painting) {
        let colours = [Colour(122, 158, 178), Colour(92, 140, 122), Colour(74, 128, 76)]
        for (hill, colour) in colours.enumerated() {
            let near = Double(hill)
            painting.shape(colour, 0, 3, 16, 9) { x, y in
                let height = sin(x * (0.6 + 0.3 * near) + 2.1 * near) + 0.4 * sin(x * 2.3)
                return y > 4.1 + 0.55 * near - (0.5 - 0.1 * near) * height
            }
        }
        for place in 0..<14 {
            let x = 0.3 + 1.2 * Double(place) + 0.3 * sin(Double(place) * 2.4)
            let size = 0.26 + 0.08 * sin(Double(place) * 1.7)
            for part in [0.0, 1, 2] {
                let (foot, half) = (5.05 - 0.34 * part, size * (1 - 0.22 * part))
                painting.triangle(Colour(44, 92, 60), x - half, foot, x + half, foot, x, foot - 0.62)
            }
        }
    }

    private static func house(_ painting: inout Painting) {
        let (wall, wood, pane) = (Colour(232, 220, 200), Colour(110, 82, 60), Colour(72, 92, 112))
        painting.fill(wall, 5.4, 4.2, 9.4, 6.7)
        painting.triangle(Colour(160, 78, 62), 5.0, 4.25, 9.8, 4.25, 7.4, 2.5)
        painting.fill(wood, 8.6, 2.5, 9.0, 3.7)
        // The clock says ten past ten.
        painting.disc(wood, 7.4, 3.55, 0.3)
        painting.disc(Colour(250, 248, 240), 7.4, 3.55, 0.26)
        painting.triangle(wood, 7.39, 3.56, 7.41, 3.54, 7.22, 3.44)
        painting.triangle(wood, 7.39, 3.54, 7.41, 3.56, 7.58, 3.4)
        for (left, isLit) in [(5.8, false), (8.1, true)] {
            painting.fill(wood, left - 0.05, 4.65, left + 0.95, 5.65)
            painting.fill(isLit ? Colour(255, 222, 140) : pane, left, 4.7, left + 0.9, 5.6)
            if isLit { cat(&painting, left + 0.6, 5.6) }
            painting.fill(wood, left + 0.43, 4.7, left + 0.47, 5.6)
        }
        painting.fill(wood, 6.98, 5.2, 7.82, 6.7)
        painting.fill(Colour(134, 100, 72), 7.03, 5.25, 7.77, 6.7)
        painting.disc(Colour(240, 200, 90), 7.68, 6.0, 0.03)
        painting.fill(Colour(250, 248, 240), 7.25, 5.4, 7.55, 5.55)
        painting.write("12", Colour(30, 30, 34), 7.32, 5.43, dot: 0.018)
    }

    private static func cat(_ painting: inout Painting, _ x: Double, _ y: Double) {
        let (fur, eye) = (Colour(52, 44, 40), Colour(150, 220, 90))
        painting.disc(fur, x, y - 0.11, 0.12)
        painting.disc(fur, x, y - 0.27, 0.075)
        painting.triangle(fur, x - 0.07, y - 0.29, x - 0.01, y - 0.33, x - 0.06, y - 0.4)
        painting.triangle(fur, x + 0.07, y - 0.29, x + 0.01, y - 0.33, x + 0.06, y - 0.4)
        painting.disc(eye, x - 0.028, y - 0.28, 0.014)
        painting.disc(eye, x + 0.028, y - 0.28, 0.014)
    }

    private static func wire(_ painting: inout Painting) {
        let dark = Colour(58, 50, 46)
        painting.fill(dark, 14.2, 2.2, 14.3, 6.4)
        painting.fill(dark, 13.8, 2.35, 14.7, 2.41)
        painting.shape(dark, 9.4, 2.3, 14, 4.4) { x, y in
            let hang = 4.2 - 1.8 * (x - 9.4) / 4.6 + 0.25 * sin((x - 9.4) / 4.6 * Double.pi)
            return abs(y - hang) < 0.012
        }
        let (x, y) = (11.5, 3.56)
        painting.disc(Colour(36, 60, 120), x, y, 0.07)
        painting.disc(Colour(200, 70, 48), x - 0.06, y - 0.06, 0.042)
        painting.disc(Colour(250, 250, 250), x - 0.072, y - 0.068, 0.01)
        painting.triangle(Colour(240, 180, 60), x - 0.1, y - 0.07, x - 0.1, y - 0.045, x - 0.15, y - 0.055)
        painting.triangle(Colour(36, 60, 120), x + 0.03, y - 0.03, x + 0.05, y + 0.04, x + 0.2, y + 0.08)
    }

    private static func lake(_ painting: inout Painting) {
        painting.disc(Colour(88, 142, 178), 12.6, 7.0, 1.9, flatness: 0.3)
        for place in 0..<9 {
            let (x, y) = (11.3 + 0.33 * Double(place), 6.75 + 0.14 * Double(place * 5 % 4))
            painting.fill(Colour(140, 184, 208), x, y, x + 0.3, y + 0.018)
        }
        painting.triangle(Colour(250, 250, 246), 12.5, 6.75, 13.05, 6.75, 12.5, 5.75)
        painting.shape(Colour(186, 54, 46), 12.1, 6.8, 13.3, 7.1) { x, y in
            abs(x - 12.7) < 0.6 - (y - 6.8) * 0.7
        }
        painting.write("AB 38", Colour(250, 248, 240), 12.53, 6.86, dot: 0.02)
    }

    private static func fence(_ painting: inout Painting) {
        let (wood, shade) = (Colour(216, 206, 190), Colour(168, 158, 142))
        for top in [7.95, 8.55] { painting.fill(shade, 0, top, 16, top + 0.14) }
        for place in 0..<32 where place != 15 {
            let left = 0.08 + 0.5 * Double(place)
            painting.fill(wood, left, 7.75, left + 0.34, 9)
            painting.triangle(wood, left, 7.76, left + 0.34, 7.76, left + 0.17, 7.55)
        }
    }
}
