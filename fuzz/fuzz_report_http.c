/* SPDX-License-Identifier: MIT */
/* Fuzzes the parser of HTTP requests: slices stay within the text, and a head that is complete
 * stays the same when bytes follow it. */
#include "report/http.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_slice(struct cairn_slice slice, const char *text, size_t size)
{
    assert(!slice.length || (slice.text >= text && slice.text + slice.length <= text + size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct report_http_request request = {0};
    struct report_http_request again = {0};
    char *text = (char *)malloc(size ? size : 1);
    int err;

    assert(text);
    if (size)
        memcpy(text, data, size);
    err = report_http_parse(text, size, &request);
    assert(err == 0 || err == EAGAIN || err == EBADMSG);
    if (!err) {
        assert(request.size_bytes && request.size_bytes <= size);
        check_slice(request.method, text, size);
        check_slice(request.path, text, size);
        check_slice(request.host, text, size);
        assert(!request.has_range || request.range_begin <= request.range_end);
        assert(!report_http_parse(text, request.size_bytes, &again));
        assert(again.size_bytes == request.size_bytes);
    }
    free(text);
    return 0;
}
