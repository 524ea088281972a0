/* SPDX-License-Identifier: MIT */
/* Call sites of C++ in a header: inline functions, templates, members, lambdas. Two sources include
 * it. */
#ifndef TRACING_PLACES_HPP
#define TRACING_PLACES_HPP

#include <cairn/tracing.h>

inline int in_inline(int number)
{
    CAIRN_SCOPE(INFO, "inline_scope", kv("number", number));
    CAIRN_INFO((name("inline_event"), kv("number", number), keyword(2)), "inline %d", number);
    return number;
}

template <class type, unsigned bits> void in_template(type value)
{
    CAIRN_INFO((name("template_event"), kv("value", value), keyword(bits)));
    if constexpr (sizeof(type) == sizeof(double))
        CAIRN_INFO((name("template_of_double"), kv("value", value)));
}

struct in_class {
    int number = 1;

    void method() const
    {
        auto lambda = [this](auto more) {
            CAIRN_INFO((name("lambda_event"), kv("number", number), kv("more", more)));
        };

        lambda(2);
    }
    template <class type> static void generic(type value)
    {
        CAIRN_FUNCTION(INFO);
        CAIRN_INFO((name("member_template_event"), kv("value", value)));
    }
};

/* A guard that is returned, and copies of a span that live as long as the last. */
inline cairn::span make_span(const char *text)
{
    cairn::span span(CAIRN_SPAN(INFO, "held", kv("text", text), kv("later", cairn_empty())));
    auto inside = span.enter();

    CAIRN_INFO((name("in_held")));
    span.record("later", 0.5);
    return span;
}

inline void all_of_header()
{
    (void)in_inline(1);
    in_template<int, 4>(1);
    in_template<double, 8>(1.5);
    in_class{}.method();
    in_class::generic("text");
    (void)make_span("text");
}

extern "C" void all_of_second();

#endif
