/* SPDX-License-Identifier: MIT */
/* The page, which tools/report-page.py joins when cairn is built. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stddef.h>

/* Up to the data, and after it. */
extern const unsigned char report_page_begin[];
extern const size_t report_page_begin_size;
extern const unsigned char report_page_end[];
extern const size_t report_page_end_size;

/* Without data. */
extern const unsigned char report_page_whole[];
extern const size_t report_page_whole_size;

#endif
