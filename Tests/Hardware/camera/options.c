#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "controls.h"
#include "h264.h"
#include "movements.h"

struct options options = {.product = "Virtual Camera", .serial = "0001", .huffman_tables = true};

static const char usage[] =
    "usage: camera NAME [--port N] [--product NAME] [--serial TEXT]\n"
    "              [--zoom MIN:MAX:STEP:INITIAL] [--zoom-speeds MIN:MAX] [--motor UNITS_PER_SECOND]\n"
    "              [--without CONTROL]… [--auto-update CONTROL]… [--read-only CONTROL]… [--writable CONTROL]…\n"
    "              [--no-huffman] [--reports-arrival] [--warm-up FRAMES] [--nv12 BITS_PER_PIXEL]\n"
    "              [--h264 FILE [--only-h264 | --second-node] [--key-control]]\n";

static void fail(const char *what) {
    fprintf(stderr, "camera: %s\n%s", what, usage);
    exit(2);
}

static struct control *named(const char *name) {
    struct control *control = control_named(name);
    if (!control) {
        fail(name);
    }
    return control;
}

/// Returns where the lens is at first.
static int read_zoom(const char *text) {
    struct field *field = &named("zoom")->fields[0];
    int initial;
    if (sscanf(text, "%d:%d:%d:%d", &field->low, &field->high, &field->step, &initial) != 4) {
        fail("--zoom takes MIN:MAX:STEP:INITIAL");
    }
    field->standard = field->low;
    return initial;
}

static void read_speeds(const char *text) {
    struct field *field = &named("zoom_speed")->fields[2];
    if (sscanf(text, "%d:%d", &field->low, &field->high) != 2) {
        fail("--zoom-speeds takes MIN:MAX");
    }
    field->standard = field->low;
}

void options_read(int count, char **words) {
    static const struct option known[] = {
        {"port", 1, 0, 'p'}, {"product", 1, 0, 'n'}, {"serial", 1, 0, 's'}, {"zoom", 1, 0, 'z'}, {"zoom-speeds", 1, 0, 'v'},
        {"motor", 1, 0, 'm'}, {"without", 1, 0, 'x'}, {"auto-update", 1, 0, 'a'}, {"read-only", 1, 0, 'r'},
        {"writable", 1, 0, 'o'}, {"no-huffman", 0, 0, 'h'}, {"reports-arrival", 0, 0, 'e'}, {"warm-up", 1, 0, 'w'},
        {"nv12", 1, 0, 'y'}, {"h264", 1, 0, '4'}, {"only-h264", 0, 0, '5'}, {"second-node", 0, 0, '2'},
        {"key-control", 0, 0, 'k'},
        {0}};
    int option, initial = named("zoom")->fields[0].standard;
    while ((option = getopt_long(count, words, "", known, NULL)) != -1) {
        switch (option) {
            case 'p': options.port = atoi(optarg); break;
            case 'n': options.product = optarg; break;
            case 's': options.serial = optarg; break;
            case 'z': initial = read_zoom(optarg); break;
            case 'v': read_speeds(optarg); break;
            case 'm': zoom_motor.speed = atof(optarg); break;
            case 'x': named(optarg)->absent = true; break;
            case 'a': named(optarg)->info |= auto_update; break;
            case 'r': named(optarg)->info &= ~writable; break;
            case 'o': named(optarg)->info |= writable; break;
            case 'h': options.huffman_tables = false; break;
            case 'e': options.reports_arrival = true; break;
            case 'w': options.warm_up = (unsigned)atoi(optarg); break;
            case 'y': options.nv12_bits = (unsigned)atoi(optarg); break;
            case '4':
                if (!h264_open(optarg)) {
                    fail(optarg);
                }
                options.h264 = optarg;
                break;
            case '5': options.only_h264 = true; break;
            case '2': options.second_node = true; break;
            case 'k': named("key_frame")->absent = false; break;
            default: fail("no such option");
        }
    }
    if (optind != count - 1) {
        fail("one NAME is wanted");
    }
    options.name = words[optind];
    const struct field *zoom = &named("zoom")->fields[0];
    zoom_motor.low = zoom->low;
    zoom_motor.high = zoom->high;
    motor_place(&zoom_motor, initial, now());
}
