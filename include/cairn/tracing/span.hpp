/* SPDX-License-Identifier: MIT */
/*
 * Spans for C++17: held by an object, closed with it.
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

/* In a span until its end. Belongs to the thread that made it. */
class entered
{
  public:
    explicit entered(cairn_span *span) : span_(cairn_span_hold(span))
    {
        cairn_span_enter(span_);
    }
    ~entered()
    {
        cairn_span_leave(span_);
        cairn_span_close(span_);
    }
    entered(const entered &) = delete;
    entered &operator=(const entered &) = delete;

  private:
    cairn_span *span_;
};

/* A span that is held. A copy holds it too; to hand one to another thread, copy or move it there.
 */
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
