/* Road files: what mistakes are told, and a road that a scenario holds itself. */
#include "rt-tests/support/near.h"
#include "target/road/segments_load.h"
#include "target/scenario/scenario_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The road must be refused with this as its first message. */
static void refused(const char *text, const char *message)
{
    struct cfg_doc *doc;
    assert_int_equal(cfg_open_text("road.yaml", text, strlen(text), &doc), 0);
    struct segments *r = segments_load_map(cfg_root(doc), doc);
    assert_true(cfg_message_count(doc) > 0);
    assert_string_equal(cfg_message(doc, 0), message);
    segments_free(r);
    cfg_close(doc);
}

static void gaps_and_overlaps_of_segments_are_told(void **unused)
{
    (void)unused;
    refused("segments:\n  - {length_m: 50}\n  - {from_m: 51, length_m: 10}\n",
            "road.yaml:3:6: segments[1].from_m: leaves a gap: the segment before ends at 50 m");
    refused("segments:\n  - {length_m: 50}\n  - {from_m: 49, length_m: 10}\n",
            "road.yaml:3:6: segments[1].from_m: overlaps the segment before, which ends at 50 m");
}

static void circuit_that_does_not_close_is_told(void **unused)
{
    (void)unused;
    refused("closed: true\nsegments:\n  - {radius_m: 50, angle_deg: 180}\n",
            "road.yaml:1:1: closed: the road does not close: its end lies 100 m from its begin "
            "(dx 0.0000 m, dy 100.0000 m) and is turned by 180.0000 deg");
    refused("closed: true\nelevation_m: [[0, 0], [300, 5]]\nsegments:\n"
            "  - {radius_m: 50, angle_deg: 360}\n",
            "road.yaml:2:1: elevation_m: a closed road ends as it begins: 0 here, 5 there");
}

static void overlapping_areas_are_told(void **unused)
{
    (void)unused;
    refused("segments: [{length_m: 100}]\nareas:\n"
            "  - {from_m: 10, to_m: 20, left_m: 1, friction: 0.5}\n"
            "  - {from_m: 15, to_m: 25, right_m: 0.5, friction: 0.3}\n",
            "road.yaml:4:5: areas[1]: overlaps number 0 of the list, which covers 10 to 20 m and "
            "offsets -1000 to 1 m");
    refused("segments: [{length_m: 100}]\nareas:\n  - {from_m: 90, to_m: 120, friction: 0.5}\n",
            "road.yaml:3:18: areas[0].to_m: lies behind the end of the road at 100 m");
    refused("segments: [{length_m: 100}]\nbumps:\n  - {from_m: 9, to_m: 10, height_m: 1, edge_m: "
            "0.6}\n",
            "road.yaml:3:40: bumps[0].edge_m: two edges of 0.6 m do not fit into 1 m");
}

static void segments_that_make_no_sense_are_told(void **unused)
{
    (void)unused;
    refused(
        "segments: [{length_m: 1e5, radius_m: 1}, {length_m: 1e5, radius_m: 1}, "
        "{length_m: 1e5, radius_m: 1}, {length_m: 1e5, radius_m: 1}]\n",
        "road.yaml:1:1: needs more than 1048576 pieces, a fifth of a metre where it bends most: "
        "make it shorter, or its bends wider, or give it fewer areas");
    refused("segments: []\n", "road.yaml:1:1: segments: 1 to 20000 segments are allowed, not 0");
    refused("name: x\n", "road.yaml:1:1: segments: missing, this key is required");
    refused("segments: [{length_m: 10, radius_m: 0.5}]\n",
            "road.yaml:1:27: segments[0].radius_m: a radius is at least 1 m, left positive, right "
            "negative; is 0.5");
    refused("segments: [{angle_deg: 10}]\n",
            "road.yaml:1:13: segments[0].angle_deg: a straight has no angle, give length_m");
    refused("segments: [{length_m: 10, radius_m: 50, curvature_1pm: 0.1}]\n",
            "road.yaml:1:12: segments[0]: give one of radius_m, curvature_1pm, to_radius_m and "
            "to_straight, or none for a straight");
    refused("closed: true\nsegments: [{length_m: 1e-5}]\n",
            "road.yaml:2:1: segments: the road is 1e-05 m long, at least 0.01 m are needed");
    refused("segments: [{length_m: 10, radus_m: 50}]\n",
            "road.yaml:1:27: segments[0].radus_m: unknown key, did you mean \"radius_m\"?");
}

static void scenario_may_hold_its_road(void **unused)
{
    (void)unused;
    char path[] = "/tmp/skidpad-road-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    (void)fputs("kind: scenario\nname: x\nvehicle: car.yaml\n"
                "road:\n  segments: [{length_m: 30}, {length_m: 20, radius_m: 15}]\n",
                f);
    assert_int_equal(fclose(f), 0);
    struct scenario *sc;
    struct cfg_doc *doc;
    assert_int_equal(scenario_load(path, &sc, &doc), 0);
    assert_non_null(sc->segments);
    assert_near(sc->segments->length_m, 50.0, 1e-12);
    cfg_close(doc);
    scenario_free(sc);
    (void)remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_and_overlaps_of_segments_are_told),
        cmocka_unit_test(circuit_that_does_not_close_is_told),
        cmocka_unit_test(overlapping_areas_are_told),
        cmocka_unit_test(segments_that_make_no_sense_are_told),
        cmocka_unit_test(scenario_may_hold_its_road),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
