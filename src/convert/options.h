/* SPDX-License-Identifier: MIT */
/* The options of conversions, of callers of each version. */
#ifndef CONVERT_OPTIONS_H
#define CONVERT_OPTIONS_H

#include "core/options.h"

#include <cairn/convert.h>
#include <errno.h>

/* Returns 0; EINVAL, E2BIG as core_options_copy. */
static inline int convert_options_copy(const struct cairn_convert_options *given,
                                       struct cairn_convert_options *ret_options)
{
    const struct cairn_convert_options defaults = CAIRN_CONVERT_OPTIONS_INIT;

    *ret_options = defaults;
    return core_options_copy(given, CORE_OPTIONS_BYTES_TO(struct cairn_convert_options, mode),
                             sizeof(*ret_options), ret_options);
}

/* An input without the first bytes of its format is not damaged but of another format. */
static inline int convert_error_of(int err, struct cairn_convert_report *report)
{
    if (err != EBADMSG || report->events || report->error.offset || !report->error.text)
        return err;
    report->error.code = EINVAL;
    return EINVAL;
}

#endif
