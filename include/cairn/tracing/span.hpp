/* SPDX-License-Identifier: MIT */
/*
 * Spans for C++17: an object holds the reference, and drops it at its end.
 *
 *   cairn::span request(CAIRN_SPAN(INFO, "request", kv("id", id)));
 *   auto inside = request.enter();
 */
#pragma GCC system_header
#ifndef CAIRN_TRACING_SPAN_HPP
#define CAIRN_TRACING_SPAN_HPP

#include <cairn/tracing/span.h>

extern "C++" {
namespace cairn
{

/* Is in a span until its end. Used only by the thread that created it. */
class entered
{
  public:
    explicit entered(cairn_span *span) : span_(cairn_span_hold(span))
    {
        cairn_span_enter(span_);
    }
    ~entered()
    {
        cairn_span_exit(span_);
        cairn_span_close(span_);
    }
    entered(const entered &) = delete;
    entered &operator=(const entered &) = delete;

  private:
    cairn_span *span_;
};

/* Holds a reference to a span, and so does a copy. To pass a span to another thread, copy or move
 * the object. */
class span
{
  public:
    span() = default;
    explicit span(cairn_span *made) : span_(made)
    {
    }
    span(const span &other) : span_(cairn_span_hold(other.span_))
    {
    }
    span(span &&other) noexcept : span_(other.span_)
    {
        other.span_ = nullptr;
    }
    span &operator=(span other) noexcept
    {
        cairn_span *mine = span_;

        span_ = other.span_;
        other.span_ = mine;
        return *this;
    }
    ~span()
    {
        cairn_span_close(span_);
    }

    [[nodiscard]] entered enter() const
    {
        return entered(span_);
    }
    template <class T> void record(const char *name, const T &value) const
    {
        if (span_) {
            cairn_tracing_value recorded = cairn_i_value_of(value);

            cairn_span_record(span_, &name, &recorded, 1);
        }
    }
    void follows_from(const span &cause) const
    {
        cairn_span_follows_from(span_, cause.span_);
    }
    cairn_span *get() const
    {
        return span_;
    }
    explicit operator bool() const
    {
        return span_ != nullptr;
    }

  private:
    cairn_span *span_ = nullptr;
};

} // namespace cairn
}

#endif
