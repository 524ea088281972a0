/* SPDX-License-Identifier: MIT */
/* Values of types that only C++ has. Memory of a temporary is overwritten when it is destroyed. */
#include <cairn/tracing.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

static std::string seen;

static void note(const cairn_callsite *site, uint32_t index, const cairn_tracing_value &value)
{
    seen += std::string(site->fields[index]) + "=";
    if (value.kind == CAIRN_KIND_TEXT)
        seen.append(static_cast<const char *>(value.of.data), value.data_bytes);
    else
        seen += "kind " + std::to_string(value.kind);
    seen += "\n";
}

static void note_event(cairn_layer *, const cairn_tracing_event *event)
{
    for (uint32_t i = 0; i < event->site->field_count; i++)
        note(event->site, i, event->values[i]);
    seen += event->message;
    seen += "\n";
}

static void note_span(cairn_layer *, cairn_span *span)
{
    const cairn_callsite *site = cairn_span_callsite(span);

    for (uint32_t i = 0; i < site->field_count; i++)
        note(site, i, cairn_span_value(span, i));
}

static int failures;

static void expect(const char *what, const std::string &expected)
{
    if (seen != expected) {
        std::fprintf(stderr, "%s:\n%snot\n%s", what, seen.c_str(), expected.c_str());
        failures++;
    }
    seen.clear();
}

class temporary
{
  public:
    explicit temporary(const char *text)
    {
        std::strncpy(text_, text, sizeof(text_) - 1);
    }
    ~temporary()
    {
        std::memset(text_, 'x', sizeof(text_) - 1);
        __asm__ volatile("" : : "r"(text_) : "memory"); /* makes the compiler keep the stores */
    }
    temporary(const temporary &) = delete;
    temporary &operator=(const temporary &) = delete;
    const char *text() const
    {
        return text_;
    }

  private:
    char text_[16] = {};
};

static void temporaries_live_until_the_event_was_written()
{
    CAIRN_INFO((kv("a", temporary("first").text()), kv("b", temporary("second").text())), "%s",
               temporary("third").text());
    expect("an event", "a=first\nb=second\nthird\n");

    CAIRN_SCOPE(INFO, "span", kv("a", temporary("fourth").text()));
    expect("a span", "a=fourth\n");
    CAIRN_RECORD(cairn_span_current(), "a", temporary("fifth").text());
    expect("a recorded value", "a=fifth\n");
}

static void strings_and_functions_are_known_by_themselves()
{
    const std::string_view part = std::string_view("whole").substr(0, 2);

    CAIRN_INFO((kv("string", std::string("made here")), kv("part", part),
                kv("function", strings_and_functions_are_known_by_themselves)));
    expect("an event", "string=made here\npart=wh\nfunction=kind " +
                           std::to_string(CAIRN_KIND_POINTER) + "\n\n");
    cairn::span span(CAIRN_SPAN(INFO, "span", kv("a", cairn_empty())));
    seen.clear();
    span.record("a", std::string("recorded"));
    expect("a recorded value", "a=recorded\n");
}

/* A reference to it would need a definition. */
struct constants {
    static const int count = 5;
};

static void a_constant_member_needs_no_definition()
{
    CAIRN_INFO((kv("a", constants::count)));
    expect("an event", "a=kind " + std::to_string(CAIRN_KIND_SIGNED) + "\n\n");
}

int main()
{
    cairn_layer layer{};
    cairn_subscriber *subscriber;

    layer.event = note_event;
    layer.span_new = note_span;
    layer.span_record = note_span;
    if (cairn_subscriber_create(&subscriber) || cairn_subscriber_add(subscriber, &layer, nullptr) ||
        cairn_subscriber_set_global(subscriber))
        return 2;
    temporaries_live_until_the_event_was_written();
    strings_and_functions_are_known_by_themselves();
    a_constant_member_needs_no_definition();
    if (cairn_subscriber_set_global(nullptr) || cairn_subscriber_destroy(subscriber))
        return 2;
    return failures ? 1 : 0;
}
