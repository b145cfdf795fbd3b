// tests/engine/grammar/test_schema.c — the texts that a schema's grammar writes fit the schema, and
// what would constrain them and is not understood is refused by name.
#include "tests/check.h"

#include <stdio.h>

#include "engine/grammar/schema.h"
#include "tests/engine/grammar/accepting.h"

static const struct {
    const char *schema, *fits[8], *fails[8];
} SCHEMAS[] = {
    {"true",
     {"1", "{\"a\": [null, {}]}", "\"\"", "-0.5e-7", "[true, false]"},
     {"", "tru", "01", "[1,]", "{a: 1}", "\"\n\"", "\"\\u0000\"", "1."}},
    {"{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"integer\"}, \"b\": {\"type\": "
     "\"string\"}, \"c\": {\"type\": \"boolean\"}}, \"required\": [\"a\", \"c\"]}",
     {"{\"a\": 1, \"c\": true}", "{\"a\": -20, \"b\": \"\\n\\u00e9é\", \"c\": false}"},
     {"{}", "{\"a\": 1}", "{\"c\": true, \"a\": 1}", "{\"a\": 1, \"c\": true, \"d\": 1}",
      "{\"a\": 1.5, \"c\": true}", "{\"a\": 1, \"c\": 1}", "{, \"c\": true}"}},
    {"{\"properties\": {\"a\": {\"const\": 1}, \"b\": {\"const\": 2}}}",
     {"{}", "{\"a\": 1}", "{\"b\": 2}", "{\"a\": 1, \"b\": 2}"},
     {"{\"b\": 2, \"a\": 1}", "{\"a\": 1, }", "{, \"b\": 2}", "{\"c\": 1}"}},
    {"{\"properties\": {\"foo\": {\"const\": 1}, \"for\": {\"const\": 2}}, \"required\": [\"x\"], "
     "\"additionalProperties\": {\"type\": \"null\"}}",
     {"{\"x\": null}", "{\"foo\": 1, \"x\": null, \"fo\": null, \"fooo\": null, \"\": null}",
      "{\"for\": 2, \"x\": null, \"f\": null}"},
     {"{\"x\": null, \"foo\": null}", "{\"x\": null, \"for\": null}", "{\"fo\": null}",
      "{\"x\": 1}", "{\"x\": null, \"x\": null}"}},
    {"{\"type\": \"object\", \"additionalProperties\": {\"type\": \"integer\"}}",
     {"{}", "{\"a\": 1, \"\": 2}"},
     {"{\"a\": \"b\"}", "[]"}},
    {"{\"type\": \"array\", \"items\": {\"enum\": [1, \"a\", null]}, \"minItems\": 1, "
     "\"maxItems\": 3}",
     {"[1]", "[\"a\", null]", "[1, 1, 1]"},
     {"[]", "[2]", "[1, 1, 1, 1]", "[1 ,1]", "[,1]"}},
    {"{\"prefixItems\": [{\"type\": \"integer\"}, {\"type\": \"string\"}], \"items\": {\"type\": "
     "\"null\"}, \"minItems\": 1, \"maxItems\": 4}",
     {"[1]", "[1, \"a\"]", "[1, \"a\", null]", "[1, \"a\", null, null]"},
     {"[]", "[\"a\"]", "[1, null]", "[1, \"a\", 1]", "[1, \"a\", null, null, null]"}},
    {"{\"prefixItems\": [{\"const\": 1}, {\"const\": 2}], \"items\": false, \"minItems\": 0}",
     {"[]", "[1]", "[1, 2]"},
     {"[2]", "[1, 2, 3]"}},
    {"{\"items\": [{\"const\": 1}, {\"const\": 2}], \"maxItems\": 1}", {"[]", "[1]"}, {"[1, 2]"}},
    {"{\"type\": \"string\", \"minLength\": 2, \"maxLength\": 3}",
     {"\"ab\"", "\"é漢😀\"", "\"\\\"\\\\\"", "\"\\u00e9x\""},
     {"\"a\"", "\"abcd\"", "\"\\ud800x\"", "ab"}},
    {"{\"pattern\": \"^[a-c]+\\\\d{2}(x|y\\\\.)?$\"}",
     {"\"a12\"", "\"abc99x\"", "\"b00y.\""},
     {"\"12\"", "\"a1\"", "\"a12yz\"", "\"a123\""}},
    {"{\"pattern\": \"b|^\\\"c\"}",
     {"\"abc\"", "\"\\\"c\"", "\"\\\"cx\""},
     {"\"a\"", "\"x\\\"c\""}},
    {"{\"pattern\": \"^[^\\\\w\\\\n]\\\\s\\\\u00e9$\"}",
     {"\"! é\"", "\"\\\"\\té\"", "\"\\\\\\né\""},
     {"\"a é\"", "\"\\n é\"", "\"! e\""}},
    {"{\"format\": \"date\"}",
     {"\"2026-11-23\"", "\"2000-02-28\""},
     {"\"2026-13-01\"", "\"2026-02-30\"", "\"2026-04-31\"", "\"2026-00-10\"", "\"26-01-01\""}},
    {"{\"format\": \"date-time\"}",
     {"\"2026-11-23T23:59:59.5Z\"", "\"2026-11-23T00:00:00+01:00\""},
     {"\"2026-11-23T24:00:00Z\"", "\"2026-11-23T10:00:00\"", "\"2026-11-23 10:00:00Z\""}},
    {"{\"format\": \"uuid\"}",
     {"\"2eb8aa08-aa98-11ea-b4aa-73b441d16380\""},
     {"\"2eb8aa08-aa98-11ea-b4aa-73b441d1638\"", "\"2eb8aa08aa9811eab4aa73b441d16380\""}},
    {"{\"format\": \"ipv4\"}",
     {"\"192.168.0.1\"", "\"255.255.255.255\""},
     {"\"256.1.1.1\"", "\"1.1.1\"", "\"01.1.1.1\""}},
    {"{\"format\": \"email\"}",
     {"\"joe.bloggs@example.com\""},
     {"\"joe\"", "\"@a.b\"", "\".a@b.c\""}},
    {"{\"type\": \"string\", \"format\": \"email\", \"pattern\": "
     "\"^(?!\\\\.)(?!.*\\\\.\\\\.)([A-Za-z0-9_'+\\\\-\\\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-"
     "9\\\\-]*\\\\.)+[A-Za-z]{2,}$\"}",
     {"\"joe.bloggs@example.com\"", "\"a-b@x-y.de\""},
     {"\"a@b.1\"", "\"a..b@example.com\"", "\".a@b.cd\"", "\"a@b.c\"", "\"joe\""}},
    {"{\"format\": \"email\", \"pattern\": "
     "\"^(?!\\\\.)(?!.*\\\\.\\\\.)([A-Za-z0-9_'+\\\\-\\\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-"
     "9\\\\-]*\\\\.)+[A-Za-z]{2,}$\", \"maxLength\": 8, \"minLength\": 7}",
     {"\"ab@cd.ef\"", "\"a@bc.de\""},
     {"\"a@b.de\"", "\"abc@de.fg\"", "\"a@b.1234\""}},
    {"{\"format\": \"uuid\", \"pattern\": "
     "\"^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|"
     "00000000-0000-0000-0000-000000000000)$\"}",
     {"\"2eb8aa08-aa98-11ea-b4aa-73b441d16380\""},
     {"\"2eb8aa08-aa98-01ea-b4aa-73b441d16380\"", "\"2eb8aa08-aa98-11ea-c4aa-73b441d16380\""}},
    {"{\"format\": \"date-time\", \"pattern\": "
     "\"^(?:\\\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\\\d|3[01]))T(?:(?:[01]\\\\d|2[0-3]):[0-5]"
     "\\\\d(?::[0-5]\\\\d(?:\\\\.\\\\d+)?)?(?:Z))$\"}",
     {"\"2026-11-23T23:59:59Z\"", "\"2026-11-23T23:59:59.123Z\""},
     {"\"2026-11-23T23:59:59+01:00\"", "\"2026-02-30T00:00:00Z\""}},
    {"{\"format\": \"date\", \"pattern\": \"^(19|20)\\\\d\\\\d-\"}",
     {"\"1999-12-31\""},
     {"\"2100-01-01\"", "\"1999-13-01\""}},
    {"{\"format\": \"date\", \"minLength\": 3, \"maxLength\": 10}",
     {"\"1999-12-31\""},
     {"\"1999-13-01\""}},
    {"{\"format\": \"ipv4\", \"pattern\": \"^(?!127\\\\.)(?=1|2)\"}",
     {"\"128.0.0.1\"", "\"2.1.1.1\""},
     {"\"127.0.0.1\"", "\"3.1.1.1\""}},
    {"{\"allOf\": [{\"format\": \"hostname\"}, {\"pattern\": \"b|c$\"}, {\"maxLength\": 3}]}",
     {"\"abd\"", "\"c\"", "\"a-c\""},
     {"\"cd\"", "\"abde\"", "\"-b\""}},
    {"{\"format\": \"password\", \"pattern\": \"^\\u00e9+$\"}", {"\"éé\""}, {"\"e\""}},
    {"{\"format\": \"password\", \"maxLength\": 2}", {"\"é\""}, {"\"abc\""}},
    {"{\"format\": \"email\", \"maxLength\": 79}",
     {"\"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b@a-a-a-a-a-a-a-a-a-a-a-b.a-a-a-a-a-a-a-a-a-a-a-b\"",
      "\"a@b.de\""},
     {"\"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b@a-a-a-a-a-a-a-a-a-a-a-b-b.a-a-a-a-a-a-a-a-a-a-a-b\""}},
    {"{\"format\": \"hostname\", \"maxLength\": 71}",
     {"\"a-a-a-a-a-a-a-a-a-a-a-b.a-a-a-a-a-a-a-a-a-a-a-b.a-a-a-a-a-a-a-a-a-a-a-b\""},
     {"\"a-a-a-a-a-a-a-a-a-a-a-b.a-a-a-a-a-a-a-a-a-a-a-b.a-a-a-a-a-a-a-a-a-a-a-b-b\""}},
    {"{\"format\": \"uri\", \"maxLength\": 239}",
     {"\"abcdefgh://a-a-a-a-a-a-a-a-a-a-a-b.a-a-a-a-a-a-a-a-a-a-a-b.a-a-a-a-a-a-a-a-a-a-a-b:12345/"
      "%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%"
      "2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F\""},
     {"\"abcdefgh://a-a-a-a-a-a-a-a-a-a-a-b.a-a-a-a-a-a-a-a-a-a-a-b.a-a-a-a-a-a-a-a-a-a-a-b:12345/"
      "%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%"
      "2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2Fa\""}},
    {"{\"format\": \"email\", \"maxLength\": 6}", {"\"a@b.de\""}, {"\"a@bc.de\""}},
    {"{\"type\": \"integer\", \"minimum\": -12, \"maximum\": 305}",
     {"-12", "-9", "0", "7", "99", "100", "299", "305"},
     {"-13", "306", "310", "1000", "-0", "00", "1.0"}},
    {"{\"type\": \"integer\", \"exclusiveMinimum\": 98.5, \"exclusiveMaximum\": 101}",
     {"99", "100"},
     {"98", "101"}},
    {"{\"type\": \"integer\", \"minimum\": 1997}",
     {"1997", "2000", "19970", "9999999999999999"},
     {"1996", "199", "997", "0", "-1997"}},
    {"{\"type\": \"integer\", \"maximum\": -40}", {"-40", "-99", "-400"}, {"-39", "40", "0", "-4"}},
    {"{\"type\": \"number\", \"minimum\": -1, \"maximum\": 10}",
     {"-1", "-0.5", "-1.0", "0", "9.99", "10", "10.0", "0.0"},
     {"-1.5", "10.5", "11", "1e1", "-2"}},
    {"{\"type\": [\"number\", \"null\"]}", {"1", "-1.5e+3", "null"}, {"true", "+1", ".5", "\"1\""}},
    {"{\"enum\": [\"a\\\"b\", {\"k\": [1, 2]}, 3.5], \"type\": [\"string\", \"number\"]}",
     {"\"a\\\"b\"", "3.5"},
     {"{\"k\":[1,2]}", "3", "\"a\""}},
    {"{\"anyOf\": [{\"type\": \"integer\"}, {\"maxLength\": 1}], \"type\": [\"integer\", "
     "\"string\"]}",
     {"12", "\"\"", "\"a\""},
     {"\"ab\"", "null"}},
    {"{\"oneOf\": [{\"properties\": {\"t\": {\"const\": \"a\"}, \"x\": {\"type\": \"null\"}}, "
     "\"required\": [\"t\"]}, {\"properties\": {\"t\": {\"const\": \"b\"}}, \"required\": "
     "[\"t\"]}], "
     "\"type\": \"object\"}",
     {"{\"t\": \"a\"}", "{\"t\": \"a\", \"x\": null}", "{\"t\": \"b\"}"},
     {"{\"t\": \"b\", \"x\": null}", "{\"t\": \"c\"}", "{}"}},
    {"{\"anyOf\": [{\"properties\": {\"a\": {}}, \"required\": [\"a\"]}, {\"$ref\": "
     "\"#/$defs/b\"}], "
     "\"properties\": {\"z\": {\"const\": 1}}, \"required\": [\"z\"], \"$defs\": {\"b\": "
     "{\"properties\": {\"b\": {\"const\": 2}}, \"required\": [\"b\"]}}}",
     {"{\"a\": 0, \"z\": 1}", "{\"b\": 2, \"z\": 1}"},
     {"{\"z\": 1, \"a\": 0}", "{\"z\": 1, \"b\": 2}", "{\"z\": 1}", "{\"b\": 2}"}},
    {"{\"properties\": {\"z\": {\"const\": 1}}, \"required\": [\"z\"], \"oneOf\": "
     "[{\"properties\": "
     "{\"t\": {\"const\": 3}}, \"required\": [\"t\"]}]}",
     {"{\"z\": 1, \"t\": 3}"},
     {"{\"t\": 3, \"z\": 1}", "{\"z\": 1}"}},
    {"{\"allOf\": [{\"type\": \"integer\", \"minimum\": 3}, {\"$ref\": \"#/$defs/small\"}], "
     "\"$defs\": "
     "{\"small\": {\"type\": \"number\", \"maximum\": 12}}}",
     {"3", "12"},
     {"2", "13", "3.5"}},
    {"{\"allOf\": [{\"properties\": {\"a\": {\"minimum\": 1}}, \"required\": [\"a\"]}, "
     "{\"properties\": "
     "{\"a\": {\"type\": \"integer\", \"maximum\": 2}, \"b\": {\"const\": 0}}, \"required\": "
     "[\"b\"]}]}",
     {"{\"a\": 1, \"b\": 0}", "{\"a\": 2, \"b\": 0}"},
     {"{\"a\": 3, \"b\": 0}", "{\"a\": 1}"}},
    {"{\"$ref\": \"#/definitions/tree\", \"definitions\": {\"tree\": {\"properties\": {\"v\": "
     "{\"type\": "
     "\"integer\"}, \"next\": {\"items\": {\"$ref\": \"#/definitions/tree\"}}}, \"required\": "
     "[\"v\"]}}}",
     {"{\"v\": 1}", "{\"v\": 1, \"next\": [{\"v\": 2, \"next\": []}, {\"v\": 3}]}"},
     {"{\"next\": []}", "{\"v\": 1, \"next\": [1]}"}},
    {"{\"properties\": {\"a~/b\": {\"const\": 1}, \"c\": {\"$ref\": \"#/properties/a~0%7E1b\"}}, "
     "\"required\": [\"c\"]}",
     {"{\"c\": 1}", "{\"a~/b\": 1, \"c\": 1}"},
     {"{\"c\": 2}"}},
    {"{\"const\": 9007199254740993}",
     {"9007199254740993"},
     {"9007199254740992", "9.00719925474099e+15"}},
    {"{\"enum\": [1152921504606846977, 1e400, 1.10, -0.0, [0.1, {\"n\": 6006199254740991}]]}",
     {"1152921504606846977", "1e400", "1.10", "-0.0", "[0.1, {\"n\": 6006199254740991}]"},
     {"1.1", "null", "0"}},
    {"{\"type\": \"integer\", \"enum\": [9007199254740993.0, 1.5, 20e-1, 1e-400]}",
     {"9007199254740993.0", "20e-1"},
     {"1.5", "2", "1e-400"}},
    {"{\"type\": \"integer\", \"minimum\": 9007199254740993, \"maximum\": 9007199254740995}",
     {"9007199254740993", "9007199254740995"},
     {"9007199254740992", "9007199254740996"}},
    {"{\"type\": \"integer\", \"exclusiveMinimum\": 12345678901234567}",
     {"12345678901234568", "999999999999999999"},
     {"12345678901234567", "9"}},
    {"{\"type\": \"integer\", \"minimum\": -9223372036854775808, \"maximum\": 1e30}",
     {"-1", "0", "115292150460684697"},
     {"1.0"}},
    {"{\"allOf\": [{\"type\": \"integer\", \"minimum\": 9007199254740992}, {\"minimum\": "
     "9007199254740993}, {\"maximum\": 9007199254740994}]}",
     {"9007199254740993", "9007199254740994"},
     {"9007199254740992", "9007199254740995"}},
    {"{\"oneOf\": [{\"const\": 9007199254740992}, {\"const\": 9007199254740993}]}",
     {"9007199254740992", "9007199254740993"},
     {"9007199254740994"}},
    {"{\"$ref\": \"#/$defs/a\", \"properties\": {\"own\": {\"const\": 1}}, \"required\": "
     "[\"own\"], \"$defs\": {\"a\": {\"properties\": {\"a\": {\"const\": 2}}, \"required\": "
     "[\"a\"]}}}",
     {"{\"a\": 2, \"own\": 1}"},
     {"{\"own\": 1, \"a\": 2}", "{\"own\": 1}"}},
    {"{\"properties\": {\"own\": {\"const\": 1}}, \"required\": [\"own\"], \"allOf\": [{\"$ref\": "
     "\"#/$defs/a\"}], \"$defs\": {\"a\": {\"properties\": {\"a\": {\"const\": 2}}, \"required\": "
     "[\"a\"]}}}",
     {"{\"own\": 1, \"a\": 2}"},
     {"{\"a\": 2, \"own\": 1}"}},
    {"{\"allOf\": [{\"$ref\": \"#/$defs/c\"}, {\"$ref\": \"#/$defs/b\"}, {\"properties\": "
     "{\"own\": {\"const\": 1}}}], \"required\": [\"own\"], \"$defs\": {\"a\": {\"properties\": "
     "{\"a\": {\"const\": 2}}, \"required\": [\"a\"]}, \"b\": {\"properties\": {\"b\": {\"const\": "
     "3}}, \"required\": [\"b\"]}, \"c\": {\"allOf\": [{\"$ref\": \"#/$defs/a\"}, {\"properties\": "
     "{\"c\": {\"const\": 4}}}], \"required\": [\"c\"]}}}",
     {"{\"a\": 2, \"c\": 4, \"b\": 3, \"own\": 1}"},
     {"{\"a\": 2, \"c\": 4, \"own\": 1, \"b\": 3}", "{\"own\": 1, \"a\": 2, \"c\": 4, \"b\": 3}",
      "{\"a\": 2, \"b\": 3, \"own\": 1}"}},
    {"{\"$ref\": \"#/$defs/n\", \"$defs\": {\"o\": {\"properties\": {\"v\": {\"const\": 1}}, "
     "\"required\": [\"v\"]}, \"n\": {\"allOf\": [{\"$ref\": \"#/$defs/o\"}, {\"properties\": "
     "{\"next\": {\"allOf\": [{\"$ref\": \"#/$defs/n\"}], \"description\": \"x\"}}}]}}}",
     {"{\"v\": 1}", "{\"v\": 1, \"next\": {\"v\": 1, \"next\": {\"v\": 1}}}"},
     {"{\"next\": {\"v\": 1}}"}},
    {"{\"type\": \"string\", \"nullable\": true, \"minLength\": 2}",
     {"null", "\"ab\""},
     {"\"a\"", "1"}},
    {"{\"type\": \"string\", \"nullable\": false}", {"\"\""}, {"null"}},
    {"{\"allOf\": [{\"type\": \"integer\", \"nullable\": true}, {\"minimum\": 3}]}",
     {"null", "3"},
     {"2"}},
    {"{\"allOf\": [{\"type\": \"integer\", \"nullable\": true}, {\"type\": \"integer\"}]}",
     {"3"},
     {"null"}},
    {"{\"oneOf\": [{\"$ref\": \"#/$defs/a\"}, {\"$ref\": \"#/$defs/b\"}], \"discriminator\": "
     "{\"propertyName\": \"t\", \"mapping\": {\"a\": \"#/$defs/a\"}}, \"$defs\": {\"a\": "
     "{\"properties\": {\"t\": {\"const\": \"a\"}}, \"required\": [\"t\"]}, \"b\": "
     "{\"properties\": {\"t\": {\"const\": \"b\"}}, \"required\": [\"t\"]}}}",
     {"{\"t\": \"a\"}", "{\"t\": \"b\"}"},
     {"{\"t\": \"c\"}"}},
    {"{\"type\": \"integer\", \"format\": \"int32\"}",
     {"2147483647", "-2147483648", "0"},
     {"2147483648", "-2147483649"}},
    {"{\"type\": [\"integer\", \"null\"], \"format\": \"uint8\", \"maximum\": 300, \"minimum\": 5}",
     {"5", "255", "null"},
     {"256", "4", "-1"}},
    {"{\"type\": \"number\", \"format\": \"float\"}", {"1", "-0.5"}, {"1e99"}},
    {"{\"type\": [\"number\", \"string\"], \"format\": \"date\"}",
     {"1", "\"2026-11-23\""},
     {"\"x\""}},
    {"{\"format\": \"uri\"}",
     {"\"https://example.com\"", "\"http://a.b:80/x%20y?q=1#z\"", "\"ftp://host/\""},
     {"\"example.com\"", "\"https://\"", "\"https://a b\"", "\"https://a.b/%zz\""}},
    {"{\"format\": \"ipv6\"}", {"\"2001:db8:0:0:0:0:0:1\""}, {"\"2001:db8\"", "\"1.2.3.4\""}},
    {"{\"format\": \"duration\"}",
     {"\"P3DT4H5M6S\"", "\"PT0S\"", "\"P1D\"", "\"PT1H2M\""},
     {"\"P\"", "\"PT\"", "\"P1DT\"", "\"PT1H2S\""}},
    {"{\"format\": \"byte\"}",
     {"\"\"", "\"YQ==\"", "\"YWI=\"", "\"YWJj\""},
     {"\"YR==\"", "\"YQ=\"", "\"YW J\""}},
    {"{\"pattern\": \"^[a-z]+$\", \"maxLength\": 3}",
     {"\"a\"", "\"abc\""},
     {"\"\"", "\"abcd\"", "\"A\""}},
    {"{\"pattern\": \"^\\\\d*$\", \"minLength\": 2}",
     {"\"12\"", "\"123456\""},
     {"\"1\"", "\"ab\""}},
    {"{\"properties\": {\"a\": false, \"b\": true}}", {"{}", "{\"b\": 1}"}, {"{\"a\": 1}"}},
};

static struct automaton *automaton_of_schema(const char *schema, struct error *err) {
    struct text gbnf = {0};
    struct automaton *automaton = NULL;
    if (schema_to_gbnf(schema, strlen(schema), &gbnf, err) == STATUS_OK)
        automaton = automaton_of(text_string(&gbnf), err);
    text_deinit(&gbnf);
    return automaton;
}

static void schemas_accept_and_reject_the_listed_texts(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof SCHEMAS / sizeof SCHEMAS[0]; i++) {
        struct error err = {0};
        struct automaton *automaton = automaton_of_schema(SCHEMAS[i].schema, &err);
        if (!automaton) fail_msg("%s\n%s", err.text, SCHEMAS[i].schema);
        for (size_t j = 0; j < 8 && SCHEMAS[i].fits[j]; j++)
            if (!accepts_text(automaton, SCHEMAS[i].fits[j]))
                fail_msg("%s should fit\n%s", SCHEMAS[i].fits[j], SCHEMAS[i].schema);
        for (size_t j = 0; j < 8 && SCHEMAS[i].fails[j]; j++)
            if (accepts_text(automaton, SCHEMAS[i].fails[j]))
                fail_msg("%s should not fit\n%s", SCHEMAS[i].fails[j], SCHEMAS[i].schema);
        automaton_destroy(automaton);
    }
}

static const struct {
    const char *schema, *says;
} REFUSED[] = {
    {"", "expected a value"},
    {"{} x", "text after the value"},
    {"{\"const\": \"\\u0000\"}", "NUL"},
    {"3", "expected an object, true or false"},
    {"{\"properties\": {\"a\": {\"not\": {}}}}", "at #/properties/a: \"not\" is not supported"},
    {"{\"if\": {}}", "\"if\" is not supported"},
    {"{\"uniqueItems\": true}", "\"uniqueItems\" is not supported"},
    {"{\"multipleOf\": 2}", "\"multipleOf\" is not supported"},
    {"{\"patternProperties\": {}}", "\"patternProperties\" is not supported"},
    {"{\"titel\": \"x\"}", "\"titel\" is not supported"},
    {"{\"type\": \"text\"}", "must be a JSON type"},
    {"{\"type\": \"string\", \"maxLength\": -1}", "\"maxLength\" must be a whole number"},
    {"{\"format\": \"iri\"}", "\"format\": \"iri\" is not supported"},
    {"{\"format\": \"date\", \"maxLength\": 3}", "no finite text"},
    {"{\"format\": \"cuid2\", \"pattern\": \"^[a-z]+$\"}",
     "\"format\": \"cuid2\" is not supported; without it, \"pattern\""},
    {"{\"format\": \"date\", \"pattern\": \"^(?!a)b|c\"}", "a lookaround"},
    {"{\"format\": \"date\", \"pattern\": \"^(?!a\"}", "an unclosed ("},
    {"{\"format\": \"date\", \"pattern\": 1}", "\"pattern\" must be a string"},
    {"{\"format\": \"byte\", \"maxLength\": 9000}", "more than 4096 states"},
    {"{\"pattern\": \"(?=a)\"}", "a lookaround"},
    {"{\"pattern\": \"(a\"}", "an unclosed ("},
    {"{\"pattern\": \"a)\"}", "an unmatched )"},
    {"{\"pattern\": \"\\\\bx\"}", "this escape at offset"},
    {"{\"pattern\": \"a^b\"}", "this character at offset 1"},
    {"{\"type\": \"number\", \"exclusiveMinimum\": 0}", "\"exclusiveMinimum\" for non-integer"},
    {"{\"type\": \"integer\", \"minimum\": 1e300}", "\"minimum\" with more than 18 digits"},
    {"{\"$ref\": \"other.json\"}", "to another document"},
    {"{\"$ref\": \"#/$defs/x\"}", "#/$defs/x does not exist"},
    {"{\"$ref\": \"#\"}", "refers to itself"},
    {"{\"oneOf\": [{\"type\": \"integer\"}, {\"type\": \"number\"}]}", "overlapping"},
    {"{\"oneOf\": [{\"const\": 100}, {\"const\": 1.0e2}]}", "overlapping"},
    {"{\"minLength\": 3.00000000000000001}", "\"minLength\" must be a whole number"},
    {"{\"enum\": [1], \"minimum\": 0}", "other constraints"},
    {"{\"allOf\": [{\"pattern\": \"a\"}, {\"pattern\": \"b\"}]}", "\"pattern\" in two schemas"},
    {"{\"allOf\": [{\"properties\": {\"a\": {}}}], \"additionalProperties\": {\"type\": \"null\"}}",
     "\"additionalProperties\" and \"properties\" in schemas"},
    {"{\"allOf\": [{\"prefixItems\": [{}]}], \"items\": {\"minimum\": 5}}",
     "\"items\" and \"prefixItems\" in"},
    {"{\"type\": \"integer\", \"minimum\": 3, \"maximum\": 2}", "no finite text"},
    {"{\"properties\": {\"a\": {\"$ref\": \"#\"}}, \"required\": [\"a\"]}", "no finite text"},
    {"{\"properties\": {\"a\": {\"type\": \"string\", \"pattern\": \"^(ab)+$\", \"maxLength\": "
     "9}}}",
     "at #/properties/a: \"pattern\" and \"maxLength\" together"},
    {"{\"format\": \"date\", \"pattern\": \"^x\"}", "no finite text"},
    {"{\"type\": \"integer\", \"format\": \"date\"}",
     "\"format\": \"date\" is not supported for numbers"},
    {"{\"type\": \"boolean\", \"format\": \"date\"}", "\"format\" is supported only for"},
    {"{\"properties\": {\"a\": {\"nullable\": true, \"$ref\": \"#/$defs/b\"}}, \"$defs\": {\"b\": "
     "{\"type\": \"null\"}}}",
     "at #/properties/a: \"nullable\" without \"type\""},
    {"{\"allOf\": [{\"nullable\": true}, {\"type\": \"string\"}]}",
     "\"nullable\" without \"type\""},
    {"{\"nullable\": 1}", "\"nullable\" must be true or false"},
    {"{\"type\": \"object\", \"discriminator\": {\"propertyName\": \"t\"}}",
     "\"discriminator\" without oneOf or anyOf"},
    {"{\"anyOf\": [{\"properties\": {\"t\": {}}}, {\"properties\": {\"u\": {}}}], "
     "\"discriminator\": {\"propertyName\": \"t\"}}",
     "\"anyOf\" with overlapping alternatives"},
    {"{\"contentEncoding\": \"base64\"}", "\"contentEncoding\" is not supported"},
    {"{\"contentSchema\": {}}", "\"contentSchema\" is not supported"},
    {"{\"minContains\": 1}", "\"minContains\" is not supported"},
    {"{\"dependentRequired\": {}}", "\"dependentRequired\" is not supported"},
    {"{\"unevaluatedProperties\": false}", "\"unevaluatedProperties\" is not supported"},
    {"{\"propertyNames\": {}}", "\"propertyNames\" is not supported"},
    {"{\"allOf\": [{\"type\": \"string\"}, {\"type\": \"integer\"}]}", "no finite text"},
    {"{\"$ref\": \"#/$defs/a\", \"$defs\": {\"a\": {\"allOf\": [{\"$ref\": \"#/$defs/a\"}, "
     "{\"minimum\": 1}]}}}",
     "refers to itself"},
    {"false", "no finite text"},
    {"{\"enum\": [{\"a\": [{\"b\": 1, \"c\": 2, \"\\u0062\": 3}]}]}",
     "has \"b\" twice in one object"},
};

static void unsupported_schemas_are_refused_with_a_reason(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        struct error err = {0};
        struct automaton *automaton = automaton_of_schema(REFUSED[i].schema, &err);
        if (automaton) fail_msg("accepted: %s", REFUSED[i].schema);
        if (!strstr(err.text, REFUSED[i].says))
            fail_msg("\"%s\" instead of \"%s\"", err.text, REFUSED[i].says);
    }
}

// Twice the depth is no more than twice the work, and copies of copies have a limit.
static void a_small_schema_cannot_cause_exponential_work(void **state) {
    enum { LEVELS = 40 };
    struct text schema = {0};
    struct error err = {0};
    (void)state;
    // Comparing two values of 40 levels from both sides would take 2^40 comparisons.
    assert_int_equal(text_append_string(&schema, "{\"oneOf\": ["), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(text_append_string(&schema, i ? ", {\"const\": " : "{\"const\": "),
                         STATUS_OK);
        for (int j = 0; j < LEVELS; j++)
            assert_int_equal(text_append_string(&schema, "{\"a\": "), STATUS_OK);
        assert_int_equal(text_append_string(&schema, "1"), STATUS_OK);
        for (int j = 0; j < LEVELS + 1; j++)
            assert_int_equal(text_append_string(&schema, "}"), STATUS_OK);
    }
    assert_int_equal(text_append_string(&schema, "]}"), STATUS_OK);
    assert_null(automaton_of_schema(text_string(&schema), &err));
    if (!strstr(err.text, "overlapping")) fail_msg("%s", err.text);
    // Each level has the one below it twice.
    text_clear(&schema);
    assert_int_equal(text_append_string(&schema, "{\"$ref\": \"#/$defs/0\", \"$defs\": {"),
                     STATUS_OK);
    for (int i = 0; i < LEVELS; i++)
        assert_int_equal(text_format(&schema,
                                     "\"%d\": {\"properties\": {\"%d\": {}}, \"allOf\": "
                                     "[{\"$ref\": \"#/$defs/%d\"}, {\"$ref\": "
                                     "\"#/$defs/%d\", \"required\": [\"%d\"]}]}, ",
                                     i, i, i + 1, i + 1, i),
                         STATUS_OK);
    assert_int_equal(text_format(&schema, "\"%d\": {\"type\": \"object\"}}}", LEVELS), STATUS_OK);
    struct automaton *automaton = automaton_of_schema(text_string(&schema), &err);
    automaton_destroy(automaton); // or it was refused; either soon
    text_clear(&schema);
    // So has each of these, and nothing is to be copied.
    assert_int_equal(text_append_string(&schema, "{\"$ref\": \"#/$defs/0\", \"$defs\": {"),
                     STATUS_OK);
    for (int i = 0; i < LEVELS - 12; i++)
        assert_int_equal(text_format(&schema,
                                     "\"%d\": {\"allOf\": [{\"$ref\": \"#/$defs/%d\"}, {\"$ref\": "
                                     "\"#/$defs/%d\"}]}, ",
                                     i, i + 1, i + 1),
                         STATUS_OK);
    assert_int_equal(text_format(&schema, "\"%d\": true}}", LEVELS - 12), STATUS_OK);
    assert_null(automaton_of_schema(text_string(&schema), &err));
    if (!strstr(err.text, "steps")) fail_msg("%s", err.text);
    text_clear(&schema);
    for (int i = 0; i < 1 << 19; i++)
        assert_int_equal(text_append_string(&schema, "  "), STATUS_OK);
    assert_int_equal(text_append_string(&schema, "{}"), STATUS_OK);
    assert_null(automaton_of_schema(text_string(&schema), &err));
    if (!strstr(err.text, "longer than 1048576 bytes")) fail_msg("%s", err.text);
    text_deinit(&schema);
}

static uint32_t dice(uint32_t *seed, uint32_t sides) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % sides;
}

// Every whole number near a bound, of any length.
static void integer_ranges_are_exact_near_their_bounds(void **state) {
    uint32_t seed = 7;
    (void)state;
    for (int round = 0; round < CHECK_ROUNDS(60, 20); round++) {
        static const int SIZES[] = {1, 9, 100, 1000, 123456};
        const int size = SIZES[dice(&seed, 5)];
        const int low = (int)dice(&seed, (uint32_t)size * 2) - size;
        const int high = low + (int)dice(&seed, (uint32_t)size);
        char schema[96];
        struct error err = {0};
        snprintf(schema, sizeof schema, "{\"type\": \"integer\", \"minimum\": %d, \"maximum\": %d}",
                 low, high);
        struct automaton *automaton = automaton_of_schema(schema, &err);
        if (!automaton) fail_msg("%s: %s", schema, err.text);
        for (int i = 0; i < 400; i++) {
            const int from[] = {low, high, 0, (low + high) / 2};
            const int number = from[i % 4] + (int)dice(&seed, 24) - 12;
            char text[16];
            snprintf(text, sizeof text, "%d", number);
            if (accepts_text(automaton, text) != (low <= number && number <= high))
                fail_msg("%s and %s", schema, text);
        }
        automaton_destroy(automaton);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemas_accept_and_reject_the_listed_texts),
        cmocka_unit_test(unsupported_schemas_are_refused_with_a_reason),
        cmocka_unit_test(a_small_schema_cannot_cause_exponential_work),
        cmocka_unit_test(integer_ranges_are_exact_near_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
