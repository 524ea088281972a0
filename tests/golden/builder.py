"""A golden event as calls of the builder (cairn/eventheader_dynamic.h)."""
from encoder import BYTE_ORDER, Data, ENCODINGS, Struct, StructArray

DECLARATIONS = r"""
#include <cairn/eventheader_dynamic.h>
#include <stdlib.h>

static struct cairn_dynamic_provider *provider;
static struct cairn_builder *b; /* one for all events: it is used again and again */

static void free_all(void)
{
    cairn_builder_destroy(b);
    (void)cairn_dynamic_provider_destroy(provider);
}

void golden_prepare(void)
{
    if (cairn_dynamic_provider_create("Golden", NULL, &provider) || cairn_builder_create(&b))
        abort();
    atexit(free_all);
}

/* Sets are registered once, and found from then on. */
static int write_to(uint8_t level, uint64_t keyword, const char *activity, const char *related)
{
    struct cairn_event_set *set;
    int error = cairn_event_set_register(provider, level, keyword, &set);

    if (!error && cairn_event_set_find(provider, level, keyword) != set)
        abort();
    return error ? error
                 : cairn_builder_write(b, set, (const struct cairn_guid *)(const void *)activity,
                                       (const struct cairn_guid *)(const void *)related);
}
"""

UNIT_BYTES = {"zstring8": 1, "zstring16": 2, "zstring32": 4, "counted8": 1, "counted16": 2, "counted32": 4, "binary": 1}


def literal(data):
    return '"' + "".join(f"\\{byte:03o}" for byte in data) + '"'


def order(data):
    return int.from_bytes(data, BYTE_ORDER)


def head(field):
    return f'b, "{field.name}", {ENCODINGS[field.kind]}, {field.format}, {field.tag or 0}'


def text(field):
    size = UNIT_BYTES[field.kind]
    units = field.data[:-size] if field.kind.startswith("zstring") else field.data[2:]
    return units, len(units) // size


def texts(field):
    """An array of texts, each a Field of its own."""
    items = "".join("{%s, %d}, " % (literal(text(item)[0]), text(item)[1]) for item in field.items)
    yield "    {\n"
    yield f"        const struct cairn_event_text texts[] = {{{items}{{NULL, 0}}}};\n"
    yield f"        cairn_builder_texts({head(field)}, texts, {len(field.items)});\n"
    yield "    }\n"


def struct(field):
    begin = f'"{field.name}", {field.tag or 0}'
    if isinstance(field, StructArray):
        yield f"    cairn_builder_structs_begin(b, {begin}, {len(field.elements)});\n"
        for number, element in enumerate(field.elements or [field.members]):
            if number:
                yield "    cairn_builder_structs_next(b);\n"
            yield from (line for member in element for line in calls(member))
    else:
        yield f"    cairn_builder_struct_begin(b, {begin});\n"
        yield from (line for member in field.members for line in calls(member))
    yield "    cairn_builder_struct_end(b);\n"


def calls(field):
    if isinstance(field, Data):
        yield f"    cairn_builder_raw_data(b, {literal(field.data)}, {len(field.data)});\n"
    elif isinstance(field, Struct) and field.members:
        yield from struct(field)
    elif getattr(field, "raw", False) or isinstance(field, Struct):
        yield f'    cairn_builder_raw_definition(b, "{field.name}", {field.encoding}, {field.format}, {field.tag or 0}, 0);\n'
        yield f"    cairn_builder_raw_data(b, {literal(field.data)}, {len(field.data)});\n"
    elif getattr(field, "items", None) is not None:
        yield from texts(field)
    elif field.kind in UNIT_BYTES:
        units, count = text(field)
        yield f"    cairn_builder_text({head(field)}, {literal(units)}, {count});\n"
    elif field.fixed:
        yield f"    cairn_builder_fixed_values({head(field)}, {literal(field.data)}, {field.fixed});\n"
    elif field.array:
        yield f"    cairn_builder_values({head(field)}, {literal(field.data[2:])}, {order(field.data[:2])});\n"
    else:
        yield f"    cairn_builder_value({head(field)}, {literal(field.data)});\n"


def body(event):
    name, fields, opcode, tag, identity, activity, related = event.payload.parts
    level, keyword = event.tracepoint.split("_L")[1].split("K")
    lines = f'    cairn_builder_begin(b, "{name}", {tag});\n'
    if identity != (0, 0):
        lines += f"    cairn_builder_id_version(b, {identity[0]}, {identity[1]});\n"
    if opcode:
        lines += f"    cairn_builder_opcode(b, {opcode});\n"
    lines += "".join(line for field in fields for line in calls(field))
    ids = [literal(some) if some else "NULL" for some in (activity, related)]
    return lines + f"    return write_to(0x{level}, 0x{keyword}, {ids[0]}, {ids[1]});\n"
