/* SPDX-License-Identifier: MIT */
/*
 * A trace header of Linux includes this file last, which then reads the header several times, to
 * generate different code from it. In cairn the header is only read once, so this file is empty.
 */
