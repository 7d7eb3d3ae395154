// libjpeg-turbo's errors, as a way back to where the call came from.
#pragma once

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

struct jpeg_failure {
    struct jpeg_error_mgr manager;  // first: libjpeg-turbo knows only this
    jmp_buf way_back;
    char message[JMSG_LENGTH_MAX];
};

// To be given to the object before it is created. After that, `setjmp(failure->way_back)` in each function
// that calls the library is where errors and warnings end.
struct jpeg_error_mgr *jpeg_failure_manager(struct jpeg_failure *failure);
