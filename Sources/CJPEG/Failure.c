#include "Failure.h"

#include <jerror.h>

static void fail(j_common_ptr object) {
    struct jpeg_failure *failure = (struct jpeg_failure *)object->err;
    if (failure->manager.msg_code == JERR_NO_BACKING_STORE)
        snprintf(failure->message, sizeof failure->message, "it has several scans, and is too large to be kept until the last one");
    else
        failure->manager.format_message(object, failure->message);
    longjmp(failure->way_back, 1);
}

static void judge(j_common_ptr object, int level) {
    if (level < 0) fail(object);  // a warning; the others are for tracing
}

struct jpeg_error_mgr *jpeg_failure_manager(struct jpeg_failure *failure) {
    jpeg_std_error(&failure->manager);
    failure->manager.error_exit = fail;
    failure->manager.emit_message = judge;
    return &failure->manager;
}
