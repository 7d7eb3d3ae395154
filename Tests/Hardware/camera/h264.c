#include "h264.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "journal.h"

enum { most_units = 2048, most_damaged = 60, delimiter = 9, key_slice = 5 };

struct unit {
    unsigned start, length;
    bool key;
};

static uint8_t *content;
static struct unit units[most_units];
static unsigned count, next, sent, dropped, damaged;
static bool keys_withheld;

static bool is_start(const uint8_t *bytes) { return bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 0 && bytes[3] == 1; }

static void split(unsigned length) {
    for (unsigned at = 0; at + 4 < length; at++) {
        if (is_start(content + at) && (content[at + 4] & 31) == delimiter && count < most_units) {
            units[count++] = (struct unit){.start = at, .length = length - at};
            if (count > 1) units[count - 2].length = at - units[count - 2].start;
        }
        bool begins = content[at] == 0 && content[at + 1] == 0 && content[at + 2] == 1;
        if (count && begins && (content[at + 3] & 31) == key_slice) units[count - 1].key = true;
    }
}

bool h264_open(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    content = malloc((size_t)length + 8);
    if (!content || fread(content, 1, (size_t)length, file) != (size_t)length) return false;
    fclose(file);
    split((unsigned)length);
    return count > 0;
}

void h264_begin(void) { next = 0; }

void h264_key_control(const int32_t *values, instant time) {
    (void)values, (void)time;
    do {
        next = (next + 1) % count;
    } while (!units[next].key);
    journal("key frame requested after %u", sent);
}

void h264_withhold_keys(bool on) { keys_withheld = on; }

void h264_drop(unsigned number) { dropped = number; }

void h264_damage(unsigned number) { damaged = number; }

void h264_position(unsigned *made, unsigned *place) {
    *made = sent;
    *place = next;
}

unsigned h264_make(uint8_t *bytes) {
    unsigned place = next;
    const struct unit *unit = &units[place];
    next = (next + 1) % count;
    if (unit->key && keys_withheld) return 0;
    if (!unit->key && dropped) {
        dropped--;
        journal("dropped %u", place);
        return 0;
    }
    sent++;
    unsigned length = unit->length;
    memcpy(bytes, content + unit->start, length);
    if (damaged && !unit->key) {
        damaged--;
        // It ends soon after the slice's head: no decoder takes that for the whole picture.
        length = length < most_damaged ? length : most_damaged;
        journal("damaged %u", place);
    }
    return length;
}
