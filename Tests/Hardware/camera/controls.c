#include "controls.h"

#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "control_table.h"

void controls_start(void) {
    for (struct control *control = control_table; control->name; control++) {
        for (unsigned i = 0; i < control_fields(control); i++) {
            control->values[i] = control->fields[i].standard;
        }
    }
}

struct control *control_named(const char *name) {
    for (struct control *control = control_table; control->name; control++) {
        if (strcmp(control->name, name) == 0) {
            return control;
        }
    }
    return NULL;
}

struct control *control_of(uint8_t unit, uint8_t selector) {
    for (struct control *control = control_table; control->name; control++) {
        if (control->unit == unit && control->selector == selector && !control->absent) {
            return control;
        }
    }
    return NULL;
}

uint32_t controls_bitmap(enum unit unit) {
    uint32_t bitmap = 0;
    for (struct control *control = control_table; control->name; control++) {
        bitmap |= control->unit == unit && !control->absent ? 1u << control->bit : 0;
    }
    return bitmap;
}

unsigned control_fields(const struct control *control) {
    unsigned count = 0;
    while (count < most_fields && control->fields[count].size) {
        count++;
    }
    return count;
}

unsigned control_size(const struct control *control) {
    unsigned size = 0;
    for (unsigned i = 0; i < control_fields(control); i++) {
        size += control->fields[i].size;
    }
    return size;
}

unsigned control_read(struct control *control, uint8_t *bytes, instant time) {
    if (control->where) {
        control->where(control->values, time);
    }
    unsigned size = 0;
    for (unsigned i = 0; i < control_fields(control); i++) {
        store(bytes + size, (uint32_t)control->values[i], control->fields[i].size);
        size += control->fields[i].size;
    }
    return size;
}

int32_t field_value(const struct field *field, const uint8_t *bytes) {
    uint32_t raw = load(bytes, field->size);
    unsigned unused = 32 - 8 * field->size;
    return field->low < 0 ? (int32_t)(raw << unused) >> unused : (int32_t)raw;
}

static int32_t bent(const struct control *control, int32_t value) {
    if (control->rounded_to > 0) {
        value -= value % control->rounded_to;
    }
    if (control->clamped) {
        value = value < control->clamp_low ? control->clamp_low : value > control->clamp_high ? control->clamp_high : value;
    }
    return value;
}

enum refusal control_write(struct control *control, const uint8_t *bytes, instant time) {
    const struct control *lock = control->lock ? control_named(control->lock) : NULL;
    if (!(control->info & writable)) {
        return invalid_request;
    }
    if (lock && !lock->absent && lock->values[0] != control->unlocked) {
        return wrong_state;
    }
    int32_t wanted[most_fields] = {0};
    for (unsigned i = 0, at = 0; i < control_fields(control); i++) {
        const struct field *field = &control->fields[i];
        wanted[i] = field_value(field, bytes + at);
        at += field->size;
        // A direction of movement has no range of its own.
        if (field->low < field->high && (wanted[i] < field->low || wanted[i] > field->high)) {
            return out_of_range;
        }
        wanted[i] = bent(control, wanted[i]);
    }
    memcpy(control->values, wanted, sizeof wanted);
    if (control->go) {
        control->go(control->values, time);
    }
    return taken;
}

const char *control_text(const struct control *control, const uint8_t *bytes) {
    static char text[64];
    size_t length = 0;
    for (unsigned i = 0, at = 0; i < control_fields(control); i++) {
        int32_t value = field_value(&control->fields[i], bytes + at);
        length += (size_t)snprintf(text + length, sizeof text - length, i ? ",%d" : "%d", (int)value);
        at += control->fields[i].size;
    }
    return text;
}
