#pragma once
#include "clock.h"

// What can be done to the camera while it runs. CONTROL is a name of `control_table.c`; a fault stays until
// it is taken back.
//
//   plug, unplug            the cable
//   hang SECONDS            nothing is answered on any endpoint; 0 ends it
//   freeze SECONDS          no frames
//   refuse probe|commit WIDTH
//                           frames of this width are refused, by probe or when their stream begins; 0 ends it
//   replace WIDTH           a request for frames of this width gets the smallest; 0 ends it
//   jpeg FILE               each MJPG frame is this file, whatever its size; without FILE this ends
//   h264-refuse on|off      H.264 is refused, by probe and when its stream begins
//   h264-keys on|off        key frames are left out
//   h264-drop COUNT         so many frames that are no key frames are left out, without a trace on the bus
//   h264-damage COUNT       so many frames that are no key frames are cut off after a few bytes
//   h264-position           how many frames of H.264 were sent, and the next one's place in the file
//   stall CONTROL [CODE]    reads and writes are refused with this code (UVC 1.1, section 4.2.1.2), 1 (not
//                           ready) unless given; 0 ends it
//   delay CONTROL MS        requests are answered that much later
//   clamp CONTROL LOW HIGH  a value is clamped to less than the range that the host was given; without LOW
//                           and HIGH this ends
//   round CONTROL STEP      a value is rounded down to multiples; 0 ends it
//   button CONTROL VALUE…   the user sets it at the camera, which reports that; a value for each field
//   read CONTROL            what it is at, without a transfer
//   mark WORD               a line in the journal

/// Opens the socket that `camerectl` talks to and returns its descriptor.
int commands_open(const char *camera);

/// Takes one command from it and answers.
void commands_serve(int listener);

/// While the camera hangs it answers nothing at all.
extern instant hangs_until;
