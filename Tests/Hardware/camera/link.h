#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

// The cable: the kernel's USB/IP messages (Documentation/usb/usbip_protocol.rst) over a socket pair whose
// other end is vhci's.

/// A transfer that the host requested and that isn't answered yet.
struct urb {
    uint32_t sequence;
    uint8_t endpoint;
    bool in;
    uint32_t length;    ///< what the host has room for, or sent
    uint8_t setup[8];   ///< of a control transfer
    uint8_t data[64];   ///< of a control transfer to the device
    instant due;        ///< not to be answered before; 0: not yet looked at
};

/// Plugs the camera into this port of the virtual host controller; false, with `errno`, when the kernel
/// wouldn't.
bool link_plug(int port);

/// Pulls the cable: what was waiting is lost.
void link_unplug(void);

/// The descriptor to poll for POLLIN; -1 while unplugged.
int link_descriptor(void);

/// Takes one message in. False when the host side is gone; then the camera is unplugged.
bool link_receive(void);

/// The first transfer that waits on the endpoint, or NULL.
struct urb *link_waiting(uint8_t endpoint);

/// Whether the host has submitted a transfer to this endpoint since it last cancelled one. If not, data
/// for it is lost.
bool link_listened(uint8_t endpoint);

/// Ends a transfer: `status` is 0 or a negative errno (-EPIPE is a stall), `data` what goes to the host.
/// `urb` is gone after it.
void link_answer(struct urb *urb, int status, const void *data, uint32_t length);
