/* SPDX-License-Identifier: MIT */
/* Prints identifiers and addresses in network byte order. */
#include "export/number.h"
#include "export/value_print.h"

#include <arpa/inet.h>

char *export_put_uuid(char *to, const uint8_t *data)
{
    for (unsigned n = 0; n < 16; n++) {
        if (n == 4 || n == 6 || n == 8 || n == 10)
            *to++ = '-';
        to = export_put_hex_byte(to, data[n]);
    }
    return to;
}

char *export_put_ip_address(char *to, const uint8_t *data, uint32_t size_bytes)
{
    inet_ntop(size_bytes == 4 ? AF_INET : AF_INET6, data, to, INET6_ADDRSTRLEN);
    return to + strlen(to);
}
