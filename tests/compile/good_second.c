/* SPDX-License-Identifier: MIT */
/* The second of two files with places of one provider. */
#include "good.h"
#include "good_header.h"
#include "good_values.h"

#include <cairn/eventheader_dynamic.h>

/* The builder's words are functions in its header: they must please a user's compiler too. */
static int write_dynamic(void)
{
    static const struct cairn_guid id = {{1}};
    struct cairn_dynamic_provider *provider = NULL;
    struct cairn_builder *b = NULL;
    struct cairn_event_set *set = NULL;
    int failed = cairn_dynamic_provider_create("Compile_Dynamic", NULL, &provider) != 0;

    failed += cairn_event_set_register(provider, CAIRN_LEVEL_WARNING, 0x23, &set) != 0;
    failed += cairn_builder_create(&b) != 0;
    cairn_builder_begin(b, "Dynamic", 0);
    cairn_builder_u8(b, "A", 1);
    cairn_builder_f64(b, "B", 0.5);
    cairn_builder_bool8(b, "C", true);
    cairn_builder_str8(b, "D", "text");
    cairn_builder_port(b, "E", 80);
    cairn_builder_guid(b, "F", &id);
    cairn_builder_pointer(b, "G", &id);
    failed += cairn_event_set_is_enabled(set) && cairn_builder_write(b, set, &id, NULL) != 0;
    cairn_builder_destroy(b);
    return failed + (cairn_dynamic_provider_destroy(provider) != 0);
}

/* Words with a constant length or without a value. */
static int write_newer(const uint32_t *none)
{
    static const uint16_t ports[] = {80, 443};

    return CAIRN_WRITE_EVENT(compile_provider, "Newer", port_array("A", ports, 2, tag(1)),
                             u32_nullable("B", none), ip_address("C", ports, sizeof(ports)),
                             raw_meta_array("D", VALUE8, 2), raw_data(ports, 2));
}

static int write_values(void)
{
    static const struct cairn_guid id = {{1}};
    struct good_values values;

    memset(&values, 0, sizeof(values));
    return (write_good_integers(&values, 1) != 0) + (write_good_others(&values, &id) != 0);
}

int write_second_file(void)
{
    int failed = write_static_inline(1) != 0;

    failed += write_values();

    failed += write_to_header_provider() != 0;
    failed += write_dynamic() + (write_newer(NULL) != 0);

    failed += CAIRN_WRITE_EVENT(compile_provider, "SecondFile", level(ERROR)) != 0;
#ifdef __cplusplus
    static const uint32_t number = 1;

    failed += write_good_cpp(number, &number) != 0;
    failed += write_cpp_inline(1) != 0;
    failed += write_template(1) != 0;
#endif
    return failed;
}
