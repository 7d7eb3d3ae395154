// CJPEG: a picture is encoded and decoded, whole, smaller and in part; damaged files are refused.
#include <string.h>

#include "CJPEG.h"
#include "samples.h"

enum { width = 203, height = 117, columns = 2, rows = 1, stride = 256, room = 1 << 18 };

static void decode(struct jpeg_reader *reader, const uint8_t *file, size_t length, int reduction, int from_group) {
    struct jpeg_head head;
    struct jpeg_layout layout;
    require(jpeg_reader_open(reader, file, length, &head) == 0, "open");
    require(head.width == width && head.height == height && head.columns == columns && head.rows == rows, "head");
    require(jpeg_reader_lay_out(reader, reduction, &layout) == 0, "layout");
    uint8_t *planes = calloc(3, room);
    struct jpeg_target targets[3];
    for (int plane = 0; plane < 3; plane++) targets[plane] = (struct jpeg_target){planes + plane * room, stride};
    int end = (height + reduction - 1) / reduction;
    require(jpeg_reader_decode(reader, from_group * layout.group, end, targets) == 0, jpeg_reader_message(reader));
    printf("reduction %d from group %d: ", reduction, from_group);
    print("planes", checksum(planes, 3 * room));
    free(planes);
}

int main(void) {
    struct jpeg_writer *writer = jpeg_writer_new();
    struct jpeg_reader *reader = jpeg_reader_new();
    require(writer && reader, "memory");
    uint8_t *picture = calloc(3, room), *file = malloc(room);
    uint32_t seed = 5;
    for (int plane = 0; plane < 3; plane++)
        for (int row = 0; row < height; row++)
            for (int column = 0; column < stride; column++)
                picture[plane * room + row * stride + column] = (uint8_t)(row * 2 + column + next_sample(&seed) % 16);
    struct jpeg_source sources[3] = {
        {picture, stride, width, height}, {picture + room, stride, (width + 1) / 2, height},
        {picture + 2 * room, stride, (width + 1) / 2, height}};
    size_t length = jpeg_writer_encode(writer, sources, 3, columns, rows, 90, file, room);
    require(length > 0, jpeg_writer_message(writer));
    print("file", checksum(file, length));
    for (int reduction = 1; reduction <= 8; reduction *= 2)
        for (int group = 0; group < 2; group++) decode(reader, file, length, reduction, group);
    struct jpeg_head head;
    require(jpeg_reader_open(reader, file, 20, &head) < 0 || head.width == 0, "a part of a head is no picture");
    printf("%s\n", jpeg_reader_message(reader));
    jpeg_writer_free(writer);
    jpeg_reader_free(reader);
}
