// CALSA: the library is loaded; a device that is not there is refused with its reason.
#include "CALSA.h"
#include "samples.h"

int main(void) {
    struct calsa_message reason;
    require(calsa_load("libasound-that-is-missing.so.2", &reason) == -1, "a library that is missing");
    require(calsa_load(calsa_library, &reason) == 0, reason.text);
    struct calsa_capture *capture = NULL;
    int failed = calsa_open("hw:31,0", 48000, 2, 100000, &capture, &reason);
    require(failed < 0 && !capture, "a device that is not there");
    printf("%d %s\n", failed, reason.text);
    calsa_describe_error(failed, &reason);
    printf("%s\n", reason.text);
}
