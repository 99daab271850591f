/* The DBC reader: every statement, what it makes of doubtful files, and its messages. */
#include "shared/can/dbc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct dbc parsed(const char *text)
{
    struct dbc dbc;
    struct err e = {""};
    if (dbc_parse("f.dbc", text, strlen(text), &dbc, &e) != 0)
        fail_msg("%s", e.text);
    return dbc;
}

/* The text is refused with exactly this message. */
static void refused(const char *text, const char *message)
{
    struct dbc dbc;
    struct err e = {""};
    assert_int_equal(dbc_parse("f.dbc", text, strlen(text), &dbc, &e), -EINVAL);
    assert_string_equal(e.text, message);
    assert_int_equal(dbc.message_count, 0);
}

static const struct dbc_signal *signal_of(const struct dbc *dbc, const char *message,
                                          const char *signal)
{
    struct err e = {""};
    const struct dbc_message *m = dbc_find_message(dbc, message, &e);
    const struct dbc_signal *s = m ? dbc_find_signal(m, signal, &e) : NULL;
    if (!s)
        fail_msg("%s", e.text);
    return s;
}

#define MESSAGE "BO_ 256 Car: 8 Unit\n SG_ Speed : 7|16@0- (0.01,-40) [-40|250] \"km/h\" A,B\n"

static void a_message_and_its_signal(void **unused)
{
    (void)unused;
    struct dbc dbc = parsed("VERSION \"1.2\"\n\nNS_ :\n\tCM_\n\tBA_\n\nBS_: 500:0,0\n\n"
                            "BU_: Unit A B\n\n" MESSAGE);
    assert_int_equal(dbc.warning_count, 0);
    assert_string_equal(dbc.version, "1.2");
    assert_int_equal(dbc.node_count, 3);
    assert_string_equal(dbc.nodes[2].name, "B");
    assert_int_equal(dbc.message_count, 1);
    const struct dbc_message *m = &dbc.messages[0];
    assert_string_equal(m->name, "Car");
    assert_string_equal(m->sender, "Unit");
    assert_int_equal(m->id, 256);
    assert_int_equal(m->length, 8);
    assert_int_equal(m->line, 11);
    assert_true(m->cycle_ms == 0.0 && !m->fd);
    const struct dbc_signal *s = signal_of(&dbc, "Car", "Speed");
    assert_string_equal(s->unit, "km/h");
    assert_int_equal(s->start, 7);
    assert_int_equal(s->length, 16);
    assert_true(s->big_endian && s->fits && s->type == DBC_SIGNED);
    assert_true(s->factor == 0.01 && s->offset == -40.0 && s->min == -40.0 && s->max == 250.0);
    assert_int_equal(s->receiver_count, 2);
    assert_string_equal(s->receivers[1], "B");
    assert_int_equal(s->switch_index, -1);
    dbc_free(&dbc);
}

static void layout_of_the_text_does_not_matter(void **unused)
{
    (void)unused;
    struct dbc dbc = parsed("\xef\xbb\xbf"
                            "BU_ : A,B\r\n  C\r\n"
                            "BO_ 2147484160 X : 3 Vector__XXX // extended\r\n"
                            "SG_ a:0|1@1+(1,0)[0|0]\"\"Vector__XXX\r\n"
                            "SG_ b M : 1 | 3 @ 1 + ( 1E-3 , +2. ) [ -1e2 | 1e2 ] \"\" A, B,C\r\n"
                            ";\n");
    assert_int_equal(dbc.node_count, 3);
    assert_int_equal(dbc.messages[0].id, 512 | CAN_ID_EXTENDED);
    assert_string_equal(dbc.messages[0].sender, "");
    assert_int_equal(signal_of(&dbc, "X", "a")->receiver_count, 0);
    const struct dbc_signal *b = signal_of(&dbc, "X", "b");
    assert_true(b->factor == 0.001 && b->offset == 2.0 && b->min == -100.0);
    assert_int_equal(b->receiver_count, 3);
    assert_int_equal(dbc.warning_count, 0);
    dbc_free(&dbc);
}

static void the_list_of_symbols_ends_where_a_statement_begins(void **unused)
{
    (void)unused;
    struct dbc dbc = parsed("NS_ :\nNS_DESC_\nCM_\nBU_: A\n" MESSAGE);
    assert_int_equal(dbc.node_count, 1);
    assert_int_equal(dbc.ignored, 0);
    dbc_free(&dbc);
    dbc = parsed("NS_ :\n" MESSAGE);
    assert_int_equal(dbc.message_count, 1);
    dbc_free(&dbc);
}

static void comments_may_have_several_lines_and_quotes(void **unused)
{
    (void)unused;
    struct dbc dbc = parsed("BU_: A\n" MESSAGE "CM_ \"The\nfile\";\nCM_ BU_ A \"node\";\n"
                            "CM_ BO_ 256 \"say \\\"hi\\\"; then\r\ngo\";\n"
                            "CM_ SG_ 256 Speed \"C:\\dir\\\";\nCM_ EV_ v \"variable\";\n");
    assert_string_equal(dbc.comment, "The\nfile");
    assert_string_equal(dbc.nodes[0].comment, "node");
    assert_string_equal(dbc.messages[0].comment, "say \"hi\"; then\ngo");
    assert_string_equal(signal_of(&dbc, "Car", "Speed")->comment, "C:\\dir\\");
    assert_int_equal(dbc.warning_count, 0);
    dbc_free(&dbc);
}

static void both_encodings_become_utf8(void **unused)
{
    (void)unused;
    struct dbc dbc = parsed("CM_ \"\xb0"
                            "C \x80\";\n");
    assert_string_equal(dbc.comment, "\xc2\xb0"
                                     "C \xe2\x82\xac");
    dbc_free(&dbc);
    dbc = parsed("CM_ \"\xc2\xb0"
                 "C\";\n");
    assert_string_equal(dbc.comment, "\xc2\xb0"
                                     "C");
    dbc_free(&dbc);
}

static void values_have_texts(void **unused)
{
    (void)unused;
    struct dbc dbc = parsed("VAL_TABLE_ Onoff 1 \"on\" 0 \"off\" ;\n" MESSAGE
                            " SG_ On : 20|1@1+ (1,0) [0|1] \"\" A\n"
                            " SG_ Big : 24|8@1+ (1,0) [0|1] \"\" A\n"
                            "VAL_ 256 Speed -1 \"back\" 32767 \"none\" 3.0 \"three\";\n"
                            "VAL_ 256 On Onoff ;\nVAL_ 256 Big 18446744073709551615 \"all\" ;\n"
                            "VAL_ Variable 0 \"x\" ;\n");
    const struct dbc_signal *s = signal_of(&dbc, "Car", "Speed");
    int64_t raw = 0;
    assert_string_equal(dbc_value_text(s, -1), "back");
    assert_string_equal(dbc_value_text(s, 3), "three");
    assert_null(dbc_value_text(s, 4));
    assert_int_equal(dbc_value_raw(s, "none", &raw), 0);
    assert_int_equal(raw, 32767);
    assert_int_equal(dbc_value_raw(s, "more", &raw), -ENOENT);
    assert_string_equal(dbc_value_text(signal_of(&dbc, "Car", "On"), 1), "on");
    assert_string_equal(dbc_value_text(signal_of(&dbc, "Car", "Big"), -1), "all");
    assert_int_equal(dbc.table_count, 1);
    assert_int_equal(dbc.ignored, 1);
    dbc_free(&dbc);
}

static void attributes_have_defaults_and_values(void **unused)
{
    (void)unused;
    struct dbc dbc =
        parsed(MESSAGE "BO_ 257 Other: 64 A\n SG_ x : 0|8@1+ (1,0) [0|0] \"\" A\n"
                       "BA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 10000;\n"
                       "BA_DEF_ BO_ \"VFrameFormat\" ENUM "
                       "\"StandardCAN\",\"ExtendedCAN\",\"r\",\"r\",\"r\",\"r\",\"r\",\"r\",\"r\","
                       "\"r\",\"r\",\"r\",\"r\",\"r\",\"StandardCAN_FD\",\"ExtendedCAN_FD\";\n"
                       "BA_DEF_ BO_ \"CANFD_BRS\" ENUM \"0\",\"1\";\n"
                       "BA_DEF_ SG_ \"GenSigStartValue\" FLOAT 0 0;\n"
                       "BA_DEF_  \"Bus\" STRING ;\nBA_DEF_ BU_ \"Nm\" HEX 0 255;\n"
                       "BA_DEF_DEF_ \"GenMsgCycleTime\" 100;\n"
                       "BA_DEF_DEF_ \"VFrameFormat\" \"StandardCAN\";\n"
                       "BA_DEF_DEF_ \"Bus\" \"\";\n"
                       "BA_ \"Bus\" \"CAN FD\";\nBA_ \"GenMsgCycleTime\" BO_ 256 20;\n"
                       "BA_ \"VFrameFormat\" BO_ 257 14;\nBA_ \"CANFD_BRS\" BO_ 257 \"1\";\n"
                       "BA_ \"GenSigStartValue\" SG_ 256 Speed 4000;\nBA_ \"Never\" BO_ 256 7;\n");
    struct err e;
    const struct dbc_message *car = dbc_find_message(&dbc, "Car", &e);
    const struct dbc_message *other = dbc_find_message(&dbc, "Other", &e);
    const struct dbc_signal *speed = signal_of(&dbc, "Car", "Speed");
    assert_true(car->cycle_ms == 20.0 && other->cycle_ms == 100.0);
    assert_true(!car->fd && other->fd && other->brs && !car->brs);
    assert_true(speed->has_start_value && speed->start_value == 4000.0);
    assert_false(signal_of(&dbc, "Other", "x")->has_start_value);
    double number = 0.0;
    const char *text = NULL;
    assert_true(dbc_attribute(&dbc, NULL, NULL, "Bus", NULL, &text));
    assert_string_equal(text, "CAN FD");
    assert_true(dbc_attribute(&dbc, other, NULL, "GenMsgCycleTime", &number, NULL));
    assert_true(number == 100.0);
    assert_true(dbc_attribute(&dbc, other, NULL, "VFrameFormat", &number, &text));
    assert_string_equal(text, "StandardCAN_FD");
    assert_true(dbc_attribute(&dbc, car, NULL, "Never", &number, NULL) && number == 7.0);
    assert_true(dbc_attribute(&dbc, car, speed, "GenSigStartValue", &number, NULL));
    assert_false(dbc_attribute(&dbc, other, NULL, "Never", &number, NULL));
    assert_false(dbc_attribute(&dbc, car, NULL, "Unheard", &number, NULL));
    assert_int_equal(dbc.warning_count, 0);
    dbc_free(&dbc);
}

static void long_names_come_from_attributes(void **unused)
{
    (void)unused;
    struct dbc dbc = parsed("BO_ 1 Short_1: 8 A\n SG_ S M : 0|8@1+ (1,0) [0|0] \"\" A\n"
                            " SG_ x_0 m1 : 8|8@1+ (1,0) [0|0] \"\" A\n"
                            "BA_ \"SystemMessageLongSymbol\" BO_ 1 \"Message_of_many_letters\";\n"
                            "BA_ \"SystemSignalLongSymbol\" SG_ 1 S \"Switch_of_many_letters\";\n"
                            "BA_ \"GenSigStartValue\" SG_ 1 S 3;\nSG_MUL_VAL_ 1 x_0 S 1-2;\n");
    const struct dbc_signal *s =
        signal_of(&dbc, "Message_of_many_letters", "Switch_of_many_letters");
    assert_int_equal(dbc.messages[0].signals[1].switch_index, 0);
    double number = 0.0;
    assert_true(dbc_attribute(&dbc, &dbc.messages[0], s, "GenSigStartValue", &number, NULL));
    assert_true(number == 3.0);
    assert_int_equal(dbc.warning_count, 0);
    dbc_free(&dbc);
}

static void multiplexing_simple_and_extended(void **unused)
{
    (void)unused;
    struct dbc dbc = parsed("BO_ 1 Simple: 8 A\n SG_ S M : 0|4@1+ (1,0) [0|0] \"\" A\n"
                            " SG_ x m3 : 8|8@1+ (1,0) [0|0] \"\" A\n"
                            " SG_ y m4 : 8|8@1+ (1,0) [0|0] \"\" A\n"
                            "BO_ 2 Deep: 8 A\n SG_ S1 M : 0|4@1+ (1,0) [0|0] \"\" A\n"
                            " SG_ S2 m1M : 8|8@1+ (1,0) [0|0] \"\" A\n"
                            " SG_ z m0 : 16|8@1+ (1,0) [0|0] \"\" A\n"
                            "SG_MUL_VAL_ 2 S2 S1 1-1;\nSG_MUL_VAL_ 2 z S2 0-5, 9-9;\n");
    assert_int_equal(dbc.warning_count, 0); /* x and y are never together */
    const struct dbc_signal *x = signal_of(&dbc, "Simple", "x"), *z = signal_of(&dbc, "Deep", "z");
    assert_true(signal_of(&dbc, "Simple", "S")->is_switch);
    assert_int_equal(x->switch_index, 0);
    assert_true(x->is_multiplexed && x->range_count == 1 && x->ranges[0].low == 3);
    assert_int_equal(z->switch_index, 1);
    assert_int_equal(z->range_count, 2);
    assert_true(z->ranges[0].high == 5 && z->ranges[1].low == 9);
    const struct dbc_signal *s2 = signal_of(&dbc, "Deep", "S2");
    assert_true(s2->is_switch && s2->is_multiplexed && s2->switch_index == 0);
    dbc_free(&dbc);
}

static void float_types_senders_and_what_is_passed_over(void **unused)
{
    (void)unused;
    struct dbc dbc =
        parsed("BO_ 1 F: 16 A\n SG_ f : 0|32@1- (1,0) [0|0] \"\" A\n"
               " SG_ d : 64|64@1- (1,0) [0|0] \"\" A\n SG_ i : 32|16@1- (1,0) [0|0] \"\" A\n"
               "BO_TX_BU_ 1 : A,B;\nSIG_VALTYPE_ 1 f : 1;\nSIG_VALTYPE_ 1 d 2;\n"
               "EV_ e: 0 [0|1] \"a;b\" 0 1 DUMMY_NODE_VECTOR0 A;\nSIG_GROUP_ 1 g 1 : f d;\n"
               "BA_DEF_REL_ BU_SG_REL_ \"x\" INT 0 1;\nWHATEVER_ 1 \"two; three\"\n 4\n"
               "CM_ BO_ 1 \"still read\";\nBO_ 3221225472 VECTOR__INDEPENDENT_SIG_MSG: 0 A\n"
               " SG_ loose : 0|8@1+ (1,0) [0|0] \"\" A\nCM_ SG_ 3221225472 loose \"c\";\n");
    assert_int_equal(signal_of(&dbc, "F", "f")->type, DBC_FLOAT32);
    assert_int_equal(signal_of(&dbc, "F", "d")->type, DBC_FLOAT64);
    assert_int_equal(dbc.messages[0].more_sender_count, 2);
    assert_string_equal(dbc.messages[0].comment, "still read");
    assert_int_equal(dbc.ignored, 3);
    assert_int_equal(dbc.unknown, 1);
    assert_int_equal(dbc.message_count, 1);
    assert_int_equal(dbc.warning_count, 2);
    assert_string_equal(dbc.warnings[0], "f.dbc:11:1: unknown statement WHATEVER_ is passed over");
    assert_string_equal(dbc.warnings[1], "f.dbc:1:5: F has 16 bytes but is not marked as CAN FD "
                                         "(VFrameFormat); taken as CAN FD");
    dbc_free(&dbc);
}

/* The text can be read, with exactly this warning. */
static void warned(const char *text, const char *warning)
{
    struct dbc dbc = parsed(text);
    assert_int_equal(dbc.warning_count, 1);
    assert_string_equal(dbc.warnings[0], warning);
    dbc_free(&dbc);
}

#define SG(name, place) " SG_ " name " : " place " (1,0) [0|0] \"\" A\n"

static void doubts_become_warnings(void **unused)
{
    (void)unused;
    warned("BO_ 1 M: 8 A\n" SG("a", "0|8@1+") SG("b", "3|9@0+"),
           "f.dbc:3:6: b of M shares bits with a (line 2)");
    warned("BO_ 1 M: 2 A\n" SG("a", "8|9@1+"), "f.dbc:2:6: a of M (start 8, 9 bits, Intel) does "
                                               "not fit into 2 bytes, so it cannot be used");
    warned("BO_ 1 M: 8 A\n" SG("a", "0|0@1+"),
           "f.dbc:2:6: a of M has 0 bits; only 1 to 64 can be coded, so it cannot be used");
    warned("BO_ 1 M: 8 A\n" SG("a m1", "0|8@1+"),
           "f.dbc:2:6: a of M is multiplexed, but no single signal of the message is marked M as "
           "its switch; taken as always there");
    warned("BO_ 1 M: 8 A\nBO_ 1 N: 8 A\n" SG("a", "0|8@1+"),
           "f.dbc:2:5: N has the id of M (line 1) and is left out; give it one of its own");
    warned("BO_ 1 M: 8 A\n" SG("a", "0|8@1+") SG("a", "8|8@1+"),
           "f.dbc:3:6: M has a signal a already; this one is left out");
    warned(MESSAGE "CM_ SG_ 256 Sped \"x\";\n",
           "f.dbc:3:13: a comment for signal Sped, which is not in message 256");
    warned(MESSAGE "SIG_VALTYPE_ 256 Speed : 1;\n",
           "f.dbc:3:26: Speed has 16 bits, a float has 32; taken as integer");
    warned("BO_ 1 M: 8 A\n SG_ a : 0|8@1+ (0,0) [0|0] \"\" A\n",
           "f.dbc:2:17: factor 0 is taken as 1");
}

static void rings_of_switches_are_cut(void **unused)
{
    (void)unused;
    struct dbc dbc = parsed("BO_ 1 M: 8 A\n" SG("a m0M", "0|8@1+") SG(
        "b m0M", "8|8@1+") "SG_MUL_VAL_ 1 a b 0-0;\nSG_MUL_VAL_ 1 b a 0-0;\n");
    assert_int_equal(dbc.warning_count, 1);
    assert_string_equal(dbc.warnings[0],
                        "f.dbc:2:6: a of M depends on itself; taken as always there");
    assert_int_equal(signal_of(&dbc, "M", "b")->switch_index, 0);
    dbc_free(&dbc);
}

/* What only adds texts and attributes does not keep a database from being used. */
static void mistakes_in_texts_are_passed_over(void **unused)
{
    (void)unused;
    warned("CM_ \"never ends\n" MESSAGE,
           "f.dbc:3:44: expected ';' at the end, found 'km/h\"'; passed over");
    warned("CM_ \"x\"\n" MESSAGE, "f.dbc:1:8: ';' is missing at the end of this statement");
    warned(MESSAGE "VAL_ 256 Speed 1 \"x\"\n",
           "f.dbc:3:21: ';' is missing at the end of this statement");
    warned(MESSAGE "VAL_ 256 Speed 1.5 \"x\";\n",
           "f.dbc:3:16: expected a whole number, found a number that is not whole; passed over");
    warned("CM_ SG_ 256 \"no name\";\n" MESSAGE,
           "f.dbc:1:13: expected the name of a signal, found '\"no'; passed over");
    warned("BA_DEF_ \"a\" REAL 0 1;\n" MESSAGE,
           "f.dbc:1:13: 'REAL' is no type of attribute; allowed are INT, HEX, FLOAT, STRING, ENUM; "
           "passed over");
    warned(MESSAGE "BO_ 1073741824 M: 8 A\n" SG("a", "0|8@1+"),
           "f.dbc:3:5: M is left out: CAN has the ids 0 to 2047 and, with 2147483648 (bit 31) "
           "added, 0 to 536870911");
    warned("BO_ 1 M: 8 A\n" SG("a m", "0|8@1+") SG("b m1", "8|8@1+"),
           "f.dbc:2:8: m without a number is taken as M, the switch");
}

static void mistakes_are_named_with_their_place(void **unused)
{
    (void)unused;
    refused(SG("a", "0|8@1+"),
            "f.dbc:1:5: SG_ before the first message; signals follow a line with BO_");
    refused("BO_ x M: 8 A\n",
            "f.dbc:1:5: expected the id of a message (a decimal number), found 'x'");
    refused("BO_ 1 M 8 A\n", "f.dbc:1:9: expected ':' behind the message's name, found '8'");
    refused("BO_ 1 M: 8 A\n SG_ a q : 0|8@1+ (1,0) [0|0] \"\" A\n",
            "f.dbc:2:8: 'q' is no multiplexer mark; allowed are M (switch), m3 (there when the "
            "switch is 3) and m3M (both)");
    refused("BO_ 1 M: 8 A\n SG_ a : 0|8@2+ (1,0) [0|0] \"\" A\n",
            "f.dbc:2:14: byte order 2; allowed are 0 (Motorola) and 1 (Intel)");
    refused("BO_ 1 M: 8 A\n SG_ a : 0|8@1 (1,0) [0|0] \"\" A\n",
            "f.dbc:2:16: expected '+' (unsigned) or '-' (signed), found '(1,0)'");
    refused("BO_ 1 M: 8 A\n SG_ a : 0|8@1+ (x,0) [0|0] \"\" A\n",
            "f.dbc:2:18: expected the factor, found 'x,0)'");
    refused("<xml>", "f.dbc:1:1: expected a statement such as BO_ or CM_, found '<xml>'");
    struct dbc dbc;
    struct err e;
    assert_int_equal(dbc_parse("f.dbc", "BO_\0", 4, &dbc, &e), -EINVAL);
    assert_string_equal(e.text, "f.dbc:1:4: a zero byte: this is not a text file");
}

static void a_name_that_is_not_there_gets_a_suggestion(void **unused)
{
    (void)unused;
    struct dbc dbc = parsed(MESSAGE);
    struct err e;
    assert_null(dbc_find_message(&dbc, "Cra", &e));
    assert_string_equal(e.text, "f.dbc has no message 'Cra'; did you mean 'Car'?");
    assert_null(dbc_find_signal(&dbc.messages[0], "Sped", &e));
    assert_string_equal(e.text, "message Car has no signal 'Sped'; did you mean 'Speed'?");
    assert_null(dbc_find_message(&dbc, "Aeroplane", &e));
    assert_string_equal(e.text, "f.dbc has no message 'Aeroplane'");
    assert_ptr_equal(dbc_message_by_id(&dbc, 256), &dbc.messages[0]);
    assert_null(dbc_message_by_id(&dbc, 256 | CAN_ID_EXTENDED));
    dbc_free(&dbc);
}

static void a_file_that_is_not_there(void **unused)
{
    (void)unused;
    struct dbc dbc;
    struct err e;
    assert_int_equal(dbc_load("/nowhere/x.dbc", &dbc, &e), -ENOENT);
    assert_string_equal(e.text, "/nowhere/x.dbc: cannot be read: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_and_its_signal),
        cmocka_unit_test(layout_of_the_text_does_not_matter),
        cmocka_unit_test(the_list_of_symbols_ends_where_a_statement_begins),
        cmocka_unit_test(comments_may_have_several_lines_and_quotes),
        cmocka_unit_test(both_encodings_become_utf8),
        cmocka_unit_test(values_have_texts),
        cmocka_unit_test(attributes_have_defaults_and_values),
        cmocka_unit_test(long_names_come_from_attributes),
        cmocka_unit_test(multiplexing_simple_and_extended),
        cmocka_unit_test(float_types_senders_and_what_is_passed_over),
        cmocka_unit_test(doubts_become_warnings),
        cmocka_unit_test(rings_of_switches_are_cut),
        cmocka_unit_test(mistakes_in_texts_are_passed_over),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(a_name_that_is_not_there_gets_a_suggestion),
        cmocka_unit_test(a_file_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
