#!/bin/sh
# The check of the include arrows must see each kind of violation, planted in a small tree.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

tree=$scratch/tree

# plant FILE LINE: a source file with one line.
plant() {
    mkdir -p "$tree/$(dirname "$1")"
    printf '/* planted */\n%s\n' "$2" >"$tree/$1"
}

# A tree that keeps the rules.
clean_tree() {
    rm -rf "$tree"
    plant shared/base/err.h ''
    plant shared/config/config.h '#include "shared/base/err.h"'
    plant target/model/plant.h '#include <stdint.h>'
    plant target/model/lumped15/lumped15.h '#include "target/model/plant.h"'
    plant target/model/lumped15/step.c '#include "target/model/lumped15/lumped15.h"'
    plant target/vehicle/registry.c '#include "target/model/lumped15/lumped15.h"'
    plant target/road/road.h '#include "target/model/plant.h"'
    plant target/road/road_load.h '#include "shared/config/config.h"'
    plant target/road/road_load.c '#include "target/road/road_load.h"'
    plant target/loop.h '#include "target/road/road.h"'
    plant target/skidpad-run.c '#include "target/loop.h"'
    plant host/report.h '#include "shared/base/err.h"'
}

check_tree() {
    run rt-tests/check/arrows.sh "$tree"
}

# violation NAME FILE LINE MESSAGE: with FILE planted, the check fails with the message.
violation() {
    clean_tree
    plant "$2" "$3"
    check_tree
    expect_status 1 "$1"
    expect_out "$2:2: $4" "$1: the message names file, line and arrow"
}

clean_tree
check_tree
expect_status 0 'a tree that keeps the rules passes'

violation 'model must not know the road' target/model/tyre/tyre.c \
    '#include "target/road/road.h"' 'model must not include road'
violation 'shared must not know target' shared/base/ring.h \
    '#include "target/loop.h"' 'base must not include loop'
violation 'base must not know config' shared/base/ring.c \
    '#include "shared/config/config.h"' 'base must not include config'
violation 'pure code must not know config' target/model/brake.c \
    '#include "shared/config/config.h"' 'model must not include config'
violation 'pure code must not include a loader' target/road/road.c \
    '#include "target/road/road_load.h"' 'pure code must not include the loader'
violation 'pure code must not include stdio.h' target/model/brake.c \
    '#include <stdio.h>' 'model is pure and must not include <stdio.h>'
violation 'blanks in an include do not hide it' target/model/brake.c \
    '  #  include <time.h>' 'model is pure and must not include <time.h>'
violation 'a model is known to its folder and the registry only' target/driver/pace.c \
    '#include "target/model/lumped15/lumped15.h"' 'only itself, target/vehicle/registry.c may include'
violation 'host must not know target' host/page.c \
    '#include "target/loop.h"' 'host must not include loop'
violation 'a loader must not turn an arrow around' target/model/car_load.c \
    '#include "target/road/road.h"' 'model must not include road'
violation 'a path must begin at the top' target/road/road.c \
    '#include "road.h"' '"road.h" is not in the tree'

clean_tree
plant target/gadget/gadget.c ''
check_tree
expect_status 1 'a folder without an arrow fails'
finish
