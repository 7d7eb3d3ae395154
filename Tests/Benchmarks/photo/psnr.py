"""How near photos are to what Pillow's LANCZOS makes of the same pixels of the source, as PSNR over the
samples in RGB.

    psnr.py SOURCE.jpg X Y WIDTH HEIGHT PHOTO.jpg …

Prints a line of dB for each photo. The photos have been encoded once more than the reference, which costs
most of what is missing. Needs Pillow.
"""
import math
import sys

from PIL import Image, ImageChops


def psnr(image, reference):
    counts = ImageChops.difference(image, reference).histogram()
    squares = sum((index % 256) ** 2 * count for index, count in enumerate(counts))
    return math.inf if squares == 0 else 10 * math.log10(255 ** 2 * sum(counts) / squares)


def main():
    source, *numbers = sys.argv[1:6]
    x, y, width, height = map(int, numbers)
    part = Image.open(source).convert("RGB").crop((x, y, x + width, y + height))
    for path in sys.argv[6:]:
        photo = Image.open(path).convert("RGB")
        print(psnr(photo, part.resize(photo.size, Image.Resampling.LANCZOS)))


if __name__ == "__main__":
    main()
