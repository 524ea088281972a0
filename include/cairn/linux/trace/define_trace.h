/* SPDX-License-Identifier: MIT */
/*
 * What a trace header of Linux includes last, for the header to be read again and again, once for
 * each thing that is made of it. Here reading it once was enough.
 */
