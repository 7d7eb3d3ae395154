#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

// What the camera has to be set, as the USB Video Class 1.1 defines it (sections 4.2.2.1 and 4.2.2.3).

enum unit { camera_terminal = 1, processing_unit = 2, output_terminal = 3, extension_unit = 4, second_terminal = 5 };
enum { readable = 1, writable = 2, auto_update = 8 };  ///< GET_INFO's bits
enum { most_fields = 4, longest_control = 8 };

/// Why a request is refused: the answer to VC_REQUEST_ERROR_CODE_CONTROL (section 4.2.1.2).
enum refusal { taken = 0, not_ready = 1, wrong_state = 2, out_of_range = 4, invalid_control = 6, invalid_request = 7 };

struct field {
    uint8_t size;
    int32_t low, high, step, standard;
};

struct control {
    const char *name;
    enum unit unit;
    uint8_t selector;
    uint8_t bit;   ///< in the unit's bmControls
    uint8_t info;
    struct field fields[most_fields];
    /// While `lock` isn't `unlocked` the control may not be set; NULL: always.
    const char *lock;
    int32_t unlocked;
    /// For what moves: where it is, and where to; NULL for a mere value.
    void (*where)(int32_t *values, instant time);
    void (*go)(const int32_t *values, instant time);

    bool absent;
    int32_t values[most_fields];
    // Faults, by command
    enum refusal stalled;
    instant delay;
    bool clamped;
    int32_t clamp_low, clamp_high, rounded_to;
};

void controls_start(void);
struct control *control_named(const char *name);
/// NULL when the camera has no such control.
struct control *control_of(uint8_t unit, uint8_t selector);
/// For the unit's descriptor: a bit for each control that it has.
uint32_t controls_bitmap(enum unit unit);

unsigned control_fields(const struct control *control);
unsigned control_size(const struct control *control);

/// Reads what the camera is at, in raw bytes; returns their number.
unsigned control_read(struct control *control, uint8_t *bytes, instant time);
/// Sets it as a request of the host does.
enum refusal control_write(struct control *control, const uint8_t *bytes, instant time);
/// Its values in words, for the journal: "300" or "3600,0".
const char *control_text(const struct control *control, const uint8_t *bytes);
int32_t field_value(const struct field *field, const uint8_t *bytes);
