/* SPDX-License-Identifier: MIT */
/*
 * Requests by HTTP. A request is sent again after 429, 502, 503, 504 and after failures of the
 * connection, with increasing pauses or as Retry-After says, until a limit of time. If all failed,
 * the next request is tried once.
 *
 * Settings are those of OpenTelemetry, in the environment: OTEL_EXPORTER_OTLP_HEADERS,
 * OTEL_EXPORTER_OTLP_TIMEOUT, OTEL_EXPORTER_OTLP_CERTIFICATE.
 */
#include "exchange/curl_library.h"
#include "exchange/otlp.h"

#include "exchange/otlp.pb-c.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMEOUT_MS     60000u /* of a request with its repetitions */
#define FIRST_PAUSE_MS 100u
#define PAUSE_MAX_MS   10000u

/* The part of a response that is read. */
#define RESPONSE_BYTES 65536u

struct exchange_otlp_http {
    const struct exchange_curl *library;
    CURL *curl;
    struct curl_slist *headers;
    char *urls[2]; /* by enum exchange_otlp_kind */
    bool is_json;
    bool is_down; /* the last request was not delivered */
    uint64_t timeout_ms;
    char error[CURL_ERROR_SIZE];
    size_t response_bytes;
    char response[RESPONSE_BYTES + 1];
};

/* ---- open and close ---- */

static char *join(const char *url, const char *path)
{
    size_t length = strlen(url);
    char *joined;

    while (length && url[length - 1] == '/')
        length--;
    return asprintf(&joined, "%.*s%s", (int)length, url, path) < 0 ? NULL : joined;
}

static int add_header(struct exchange_otlp_http *http, const char *header)
{
    struct curl_slist *longer = http->library->curl_slist_append(http->headers, header);

    if (!longer)
        return ENOMEM;
    http->headers = longer;
    return 0;
}

/* "name=value", where the value is percent-encoded. */
static int add_pair(struct exchange_otlp_http *http, char *pair)
{
    char *value = strchr(pair, '=');
    char *plain;
    char *header;
    int err;

    if (!value || value == pair)
        return EINVAL;
    *value++ = 0;
    plain = http->library->curl_easy_unescape(http->curl, value, 0, NULL);
    if (!plain)
        return ENOMEM;
    if (strpbrk(plain, "\r\n") || asprintf(&header, "%s: %s", pair, plain) < 0) {
        http->library->curl_free(plain);
        return EINVAL;
    }
    http->library->curl_free(plain);
    err = add_header(http, header);
    free(header);
    return err;
}

static int add_own_headers(struct exchange_otlp_http *http)
{
    const char *setting = getenv("OTEL_EXPORTER_OTLP_HEADERS");
    char *copy = strdup(setting ? setting : "");
    char *rest = copy;
    int err = copy ? 0 : ENOMEM;

    for (char *pair = strsep(&rest, ","); !err && pair; pair = strsep(&rest, ",")) {
        pair += strspn(pair, " ");
        if (*pair)
            err = add_pair(http, pair);
    }
    free(copy);
    return err;
}

static int read_timeout(struct exchange_otlp_http *http)
{
    const char *setting = getenv("OTEL_EXPORTER_OTLP_TIMEOUT");
    char *end;

    http->timeout_ms = TIMEOUT_MS;
    if (!setting || !*setting)
        return 0;
    http->timeout_ms = strtoul(setting, &end, 10);
    return *end || *setting < '0' || *setting > '9' || !http->timeout_ms ? EINVAL : 0;
}

static size_t take_response(char *data, size_t one, size_t size_bytes, void *context)
{
    struct exchange_otlp_http *http = (struct exchange_otlp_http *)context;
    size_t space = RESPONSE_BYTES - http->response_bytes;
    size_t taken = size_bytes < space ? size_bytes : space;

    (void)one;
    memcpy(http->response + http->response_bytes, data, taken);
    http->response_bytes += taken;
    return size_bytes;
}

static int set_options(struct exchange_otlp_http *http)
{
    const char *certificate = getenv("OTEL_EXPORTER_OTLP_CERTIFICATE");
    const struct exchange_curl *library = http->library;
    CURL *curl = http->curl;

    library->curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    library->curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    library->curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->error);
    library->curl_easy_setopt(curl, CURLOPT_HTTPHEADER, http->headers);
    library->curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_response);
    library->curl_easy_setopt(curl, CURLOPT_WRITEDATA, http);
    library->curl_easy_setopt(curl, CURLOPT_USERAGENT, "cairn/" CAIRN_VERSION);
    if (certificate && *certificate &&
        library->curl_easy_setopt(curl, CURLOPT_CAINFO, certificate) != CURLE_OK)
        return ENOMEM;
    return 0;
}

static int open_http(struct exchange_otlp_http *http, const char *url)
{
    int err;

    http->library = exchange_curl_library();
    if (!http->library)
        return EOPNOTSUPP;
    http->curl = http->library->curl_easy_init();
    http->urls[EXCHANGE_OTLP_SPANS] = join(url, "/v1/traces");
    http->urls[EXCHANGE_OTLP_LOGS] = join(url, "/v1/logs");
    if (!http->curl || !http->urls[0] || !http->urls[1])
        return ENOMEM;
    err = add_header(http, http->is_json ? "Content-Type: application/json"
                                         : "Content-Type: application/x-protobuf");
    if (!err)
        err = add_header(http, "Expect:"); /* no question before the body */
    if (!err)
        err = add_own_headers(http);
    if (!err)
        err = read_timeout(http);
    return err ? err : set_options(http);
}

int exchange_otlp_http_open(const char *url, bool is_json, struct exchange_otlp_http **ret_http)
{
    struct exchange_otlp_http *http = (struct exchange_otlp_http *)calloc(1, sizeof(*http));
    int err;

    if (!http)
        return ENOMEM;
    http->is_json = is_json;
    err = open_http(http, url);
    if (err)
        exchange_otlp_http_close(http);
    else
        *ret_http = http;
    return err;
}

void exchange_otlp_http_close(struct exchange_otlp_http *http)
{
    if (!http)
        return;
    if (http->library) {
        http->library->curl_slist_free_all(http->headers);
        http->library->curl_easy_cleanup(http->curl);
    }
    free(http->urls[0]);
    free(http->urls[1]);
    free(http);
}

/* ---- responses ---- */

/* The number after a name in a JSON text; 0: there is none. */
static uint64_t number_after(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    if (!at)
        return 0;
    at += strlen(name);
    at += strspn(at, "\": \t\r\n");
    return *at >= '0' && *at <= '9' ? strtoull(at, NULL, 10) : 0;
}

static void read_json(const struct exchange_otlp_http *http, struct exchange_otlp_result *result)
{
    result->rejected = number_after(http->response, "\"rejectedSpans\"") +
                       number_after(http->response, "\"rejectedLogRecords\"");
    if (result->rejected)
        (void)snprintf(result->problem, sizeof(result->problem), "partial success: %.200s",
                       http->response);
}

static void read_protobuf(const struct exchange_otlp_http *http,
                          struct exchange_otlp_result *result)
{
    ExchangeOtlp__Response *response = exchange_otlp__response__unpack(
        NULL, http->response_bytes, (const uint8_t *)http->response);
    const ExchangeOtlp__PartialSuccess *partial = response ? response->partial_success : NULL;

    if (partial && partial->rejected > 0) {
        result->rejected = (uint64_t)partial->rejected;
        (void)snprintf(result->problem, sizeof(result->problem), "partial success: %.*s",
                       partial->error_message.len < 200 ? (int)partial->error_message.len : 200,
                       partial->error_message.data ? (const char *)partial->error_message.data
                                                   : "");
    }
    if (response)
        exchange_otlp__response__free_unpacked(response, NULL);
}

/* A text of a server for a terminal: printable ASCII. */
static void make_printable(char *text)
{
    for (; *text; text++) {
        if (*text < ' ' || *text > '~')
            *text = ' ';
    }
}

/* ---- sending ---- */

enum outcome {
    DELIVERED,
    REFUSED, /* for good */
    RETRY,
};

static enum outcome outcome_of_status(long status)
{
    if (status >= 200 && status < 300)
        return DELIVERED;
    return status == 429 || status == 502 || status == 503 || status == 504 ? RETRY : REFUSED;
}

static enum outcome outcome_of_failure(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
        return RETRY;
    default:
        return REFUSED;
    }
}

static enum outcome try_once(struct exchange_otlp_http *http, uint64_t timeout_ms,
                             uint64_t *ret_pause_ms, struct exchange_otlp_result *result)
{
    curl_off_t retry_after = 0;
    long status = 0;
    CURLcode code;

    http->response_bytes = 0;
    *http->error = 0;
    http->library->curl_easy_setopt(http->curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    code = http->library->curl_easy_perform(http->curl);
    http->response[http->response_bytes] = 0;
    if (code != CURLE_OK) {
        (void)snprintf(result->problem, sizeof(result->problem), "%.250s",
                       *http->error ? http->error : http->library->curl_easy_strerror(code));
        return outcome_of_failure(code);
    }
    (void)http->library->curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
    (void)http->library->curl_easy_getinfo(http->curl, CURLINFO_RETRY_AFTER, &retry_after);
    if (retry_after > 0)
        *ret_pause_ms = (uint64_t)retry_after * 1000;
    *result->problem = 0;
    if (outcome_of_status(status) != DELIVERED)
        (void)snprintf(result->problem, sizeof(result->problem), "status %ld", status);
    return outcome_of_status(status);
}

static uint64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* False: a signal ended the pause. */
static bool pause_ms(uint64_t ms)
{
    const struct timespec time = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};

    return nanosleep(&time, NULL) == 0;
}

static enum outcome try_until(struct exchange_otlp_http *http, uint64_t end_ms,
                              struct exchange_otlp_result *result)
{
    uint64_t next_ms = FIRST_PAUSE_MS;

    for (;;) {
        uint64_t now = now_ms();
        uint64_t wait_ms = next_ms;
        enum outcome outcome = try_once(http, now < end_ms ? end_ms - now : 1, &wait_ms, result);

        if (outcome != RETRY || http->is_down)
            return outcome;
        if (now_ms() + wait_ms >= end_ms || !pause_ms(wait_ms))
            return RETRY;
        next_ms = next_ms * 2 < PAUSE_MAX_MS ? next_ms * 2 : PAUSE_MAX_MS;
    }
}

int exchange_otlp_http_send(struct exchange_otlp_http *http, enum exchange_otlp_kind kind,
                            const void *body, size_t size_bytes,
                            struct exchange_otlp_result *ret_result)
{
    struct exchange_otlp_result result = {0};
    enum outcome outcome;

    http->library->curl_easy_setopt(http->curl, CURLOPT_URL, http->urls[kind]);
    http->library->curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, body);
    http->library->curl_easy_setopt(http->curl, CURLOPT_POSTFIELDSIZE_LARGE,
                                    (curl_off_t)size_bytes);
    outcome = try_until(http, now_ms() + http->timeout_ms, &result);
    result.is_delivered = outcome == DELIVERED;
    http->is_down = outcome == RETRY;
    if (result.is_delivered && http->is_json)
        read_json(http, &result);
    else if (result.is_delivered)
        read_protobuf(http, &result);
    make_printable(result.problem);
    *ret_result = result;
    return 0;
}
