/* SPDX-License-Identifier: MIT */
/*
 * The preprocessor's loop for fields: CAIRN_I_TRACE_EACH(WHAT, context, rows), with rows of
 * words.h, (KIND, ...), (KIND, ...), and so on, expands to WHATKIND(context, ...) for each row.
 *
 * A step takes sixteen rows and defers the rest to the next scan of the text; the number of scans
 * is enough for 256 rows.
 */
/* clang-format would join the columns of the step. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_TYPED_TRACEPOINT_EACH_H
#define CAIRN_TYPED_TRACEPOINT_EACH_H

#define CAIRN_I_TRACE_CAT(a, b)   CAIRN_I_TRACE_CAT_(a, b)
#define CAIRN_I_TRACE_CAT_(a, b)  a##b
#define CAIRN_I_TRACE_UNWRAP(...) __VA_ARGS__
#define CAIRN_I_TRACE_PARENS      ()

#define CAIRN_I_TRACE_EACH(what, context, rows) \
    CAIRN_I_TRACE_SCAN_8( \
        CAIRN_I_TRACE_STEP(what, context, CAIRN_I_TRACE_UNWRAP rows, , , , , , , , , , , , , , , , , ))

#define CAIRN_I_TRACE_STEP(...) CAIRN_I_TRACE_STEP_(__VA_ARGS__)
#define CAIRN_I_TRACE_STEP_(w, c, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15, r16, next, ...) \
    CAIRN_I_TRACE_DO(w, c, r1)  CAIRN_I_TRACE_DO(w, c, r2)  CAIRN_I_TRACE_DO(w, c, r3)  \
    CAIRN_I_TRACE_DO(w, c, r4)  CAIRN_I_TRACE_DO(w, c, r5)  CAIRN_I_TRACE_DO(w, c, r6)  \
    CAIRN_I_TRACE_DO(w, c, r7)  CAIRN_I_TRACE_DO(w, c, r8)  CAIRN_I_TRACE_DO(w, c, r9)  \
    CAIRN_I_TRACE_DO(w, c, r10) CAIRN_I_TRACE_DO(w, c, r11) CAIRN_I_TRACE_DO(w, c, r12) \
    CAIRN_I_TRACE_DO(w, c, r13) CAIRN_I_TRACE_DO(w, c, r14) CAIRN_I_TRACE_DO(w, c, r15) \
    CAIRN_I_TRACE_DO(w, c, r16) \
    CAIRN_I_TRACE_NEXT(next)(w, c, next, __VA_ARGS__)

/* A word that is unknown is no row, and so begins with no parenthesis. */
#define CAIRN_I_TRACE_DO(what, context, ...) \
    __VA_OPT__(CAIRN_I_TRACE_CAT(CAIRN_I_TRACE_DO_, CAIRN_I_TRACE_IS_ROW(__VA_ARGS__))(what, context, __VA_ARGS__))
#define CAIRN_I_TRACE_DO_1(what, context, ...)      CAIRN_I_TRACE_ROW(what, context, CAIRN_I_TRACE_UNWRAP __VA_ARGS__)
#define CAIRN_I_TRACE_DO_0(what, context, ...)      what##_UNKNOWN(context, #__VA_ARGS__)
#define CAIRN_I_TRACE_IS_ROW(x)                     CAIRN_I_TRACE_IS_ROW_(CAIRN_I_TRACE_IS_ROW_PROBE x, 0, )
#define CAIRN_I_TRACE_IS_ROW_(...)                  CAIRN_I_TRACE_IS_ROW_2(__VA_ARGS__)
#define CAIRN_I_TRACE_IS_ROW_2(a, b, ...)           b
#define CAIRN_I_TRACE_IS_ROW_PROBE(...)             ~, 1,
#define CAIRN_I_TRACE_ROW(...)                      CAIRN_I_TRACE_ROW_(__VA_ARGS__)
#define CAIRN_I_TRACE_ROW_(what, context, kind, ...) what##kind(context, __VA_ARGS__)

/* Another step, in the next scan, if there is a next row. */
#define CAIRN_I_TRACE_NEXT(...)     CAIRN_I_TRACE_CAT_(CAIRN_I_TRACE_NEXT_, __VA_OPT__(1))
#define CAIRN_I_TRACE_NEXT_(...)
#define CAIRN_I_TRACE_NEXT_1        CAIRN_I_TRACE_STEP_AGAIN CAIRN_I_TRACE_PARENS
#define CAIRN_I_TRACE_STEP_AGAIN()  CAIRN_I_TRACE_STEP_

#define CAIRN_I_TRACE_SCAN_1(...) __VA_ARGS__
#define CAIRN_I_TRACE_SCAN_2(...) CAIRN_I_TRACE_SCAN_1(CAIRN_I_TRACE_SCAN_1(__VA_ARGS__))
#define CAIRN_I_TRACE_SCAN_4(...) CAIRN_I_TRACE_SCAN_2(CAIRN_I_TRACE_SCAN_2(__VA_ARGS__))
#define CAIRN_I_TRACE_SCAN_8(...) CAIRN_I_TRACE_SCAN_4(CAIRN_I_TRACE_SCAN_4(__VA_ARGS__))

/* what(a) what(b) ... for up to sixteen arguments. */
#define CAIRN_I_TRACE_LIST(what, ...) \
    CAIRN_I_TRACE_LIST_(what, __VA_ARGS__, , , , , , , , , , , , , , , , )
#define CAIRN_I_TRACE_LIST_(w, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
    CAIRN_I_TRACE_ITEM(w, a) CAIRN_I_TRACE_ITEM(w, b) CAIRN_I_TRACE_ITEM(w, c) CAIRN_I_TRACE_ITEM(w, d) \
    CAIRN_I_TRACE_ITEM(w, e) CAIRN_I_TRACE_ITEM(w, f) CAIRN_I_TRACE_ITEM(w, g) CAIRN_I_TRACE_ITEM(w, h) \
    CAIRN_I_TRACE_ITEM(w, i) CAIRN_I_TRACE_ITEM(w, j) CAIRN_I_TRACE_ITEM(w, k) CAIRN_I_TRACE_ITEM(w, l) \
    CAIRN_I_TRACE_ITEM(w, m) CAIRN_I_TRACE_ITEM(w, n) CAIRN_I_TRACE_ITEM(w, o) CAIRN_I_TRACE_ITEM(w, p)
#define CAIRN_I_TRACE_ITEM(what, ...) __VA_OPT__(what(__VA_ARGS__))

/* Number of arguments. */
#define CAIRN_I_TRACE_COUNT(...) (0 CAIRN_I_TRACE_LIST(CAIRN_I_TRACE_ONE_MORE, __VA_ARGS__))
#define CAIRN_I_TRACE_ONE_MORE(...) + 1

/* 1 if there are more than sixteen arguments, otherwise 0. */
#define CAIRN_I_TRACE_TOO_MANY(...) \
    CAIRN_I_TRACE_TOO_MANY_(__VA_ARGS__, , , , , , , , , , , , , , , , , , )
#define CAIRN_I_TRACE_TOO_MANY_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, next, ...) \
    CAIRN_I_TRACE_HAS(next)

/* 1 if there is an argument, otherwise 0. */
#define CAIRN_I_TRACE_HAS(...)  CAIRN_I_TRACE_CAT_(CAIRN_I_TRACE_HAS_, __VA_OPT__(1))
#define CAIRN_I_TRACE_HAS_      0
#define CAIRN_I_TRACE_HAS_1     1

#endif
