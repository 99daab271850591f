#!/bin/bash
# What a step of each car costs, over a full braking in a turn.
#
#   perf.sh table   a table for docs/performance.md: time, and instructions of every single step from
#                   the brake on to the stop, by callgrind; a minute or two
#   perf.sh ground  the part of it about roads and contact; half a minute
#   perf.sh limit   as TAP: no step of the 0.3 s in which the wheels lock takes more than the limit,
#                   and no query of a road and no step of a driver more than its own
#
# A step is the plant with its outputs and sensors. Instructions are those of the code for AVX, as
# compiled by `make`; they do not depend on what else the machine does. Time does, and is only shown.
cd "$(dirname "$0")/../.." || exit 1
. rt-tests/perf/count.sh

program=$BUILD/perf/step_cost
scenario=config/scenarios/brake_in_turn.yaml
# Of a step, and what the hydraulics of a car may add to it.
limit=10000 hydraulics_limit=2500
# The same of a car as two_track; CAR.two_track below.
plane_limit=6500
# Of a query: of a road by segments, and of a measured surface.
road_limit=300 surface_limit=600
driver_limit=7000
# rt-tests/perf/everything.yaml has all that a road can have at one place.
roads='config/roads/handling config/roads/banked_circle config/roads/rough config/roads/circuit
    rt-tests/perf/everything'
# How the ground under a wheel is found.
contacts='point line closest patch'

# file_of CAR: its vehicle file; of CAR.MODEL a copy with that model.
file_of() {
    local car=${1%%.*} own=$scratch/models/vehicles
    if [ "$car" = "$1" ]; then
        echo "config/vehicles/$car.yaml"
        return
    fi
    mkdir -p "$own" && ln -sfn "$PWD/config/tyres" "$own/../tyres" || return 1
    sed "s/^model: .*/model: ${1#*.}/" "config/vehicles/$car.yaml" >"$own/$1.yaml" &&
        echo "$own/$1.yaml"
}

# count CAR FROM TO: steps of a car.
count() {
    count_calls step_with_sensors "$program" count "$scenario" "$(file_of "$1")" "$2" "$3"
}

# Queries of a road, and of a measured surface on a grid of 1 cm with friction on a second one; steps
# of a driver in the double lane change.
count_road() { count_calls one_query "$BUILD/perf/road_cost" "$1.yaml"; }
count_surface() { count_calls one_query "$BUILD/perf/crg_cost" beside; }
count_driver() { count_calls one_drive "$BUILD/perf/driver_cost" config/scenarios/iso3888_1.yaml "$1"; }

# count_contact KIND SCENARIO: steps of the sedan with that contact.
count_contact() {
    local own=$scratch/contact/vehicles
    mkdir -p "$own" && ln -sfn "$PWD/config/tyres" "$own/../tyres" || return 1
    { cat config/vehicles/sedan.yaml && echo "contact: {kind: $1}"; } >"$own/$1.yaml"
    count_calls step_with_sensors "$program" count "config/scenarios/$2.yaml" "$own/$1.yaml" 2.0 2.3
}

cars() {
    local car
    for car in config/vehicles/*.yaml; do
        basename "$car" .yaml
    done
    echo compact.two_track
    echo sedan.two_track
}

# count_all FROM TO: counts all cars, one for each core at a time, into $scratch/CAR.count.
count_all() {
    local car
    for car in $(cars); do
        while [ "$(jobs -pr | wc -l)" -ge "$(nproc)" ]; do
            wait -n
        done
        count "$car" "$1" "$2" >"$scratch/$car.count" &
    done
    wait
}

# What the ground costs: a query of each road, and a step with each contact.
ground() {
    local road contact mean most steps
    echo '| road | instructions per query, mean | maximum |'
    echo '|---|---|---|'
    for road in $roads; do
        read -r mean most steps < <(count_road "$road") || return 1
        echo "| ${road##*/} | $mean | $most |"
    done
    read -r mean most steps < <(count_surface) || return 1
    echo "| surface | $mean | $most |"
    echo
    echo '| contact | on a plane, instructions per step, mean | maximum | on a rough road, mean | maximum |'
    echo '|---|---|---|---|---|'
    for contact in $contacts; do
        printf '| %s |' "$contact"
        for road in brake_in_turn rough_road; do
            read -r mean most steps < <(count_contact "$contact" "$road") || return 1
            printf ' %s | %s |' "$mean" "$most"
        done
        echo
    done
    echo
}

table() {
    local car driver ns mean most steps
    printf '%s, %s\n\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
        "$("${CC:-gcc}" --version | head -n 1)"
    for car in $(cars); do # nothing else runs meanwhile
        "$program" time "$scenario" "$(file_of "$car")" 21 >"$scratch/$car.ns" || return 1
    done
    count_all 2.0 6.0
    echo '| car | time per step | times real time at 1 ms | instructions per step, mean | maximum |'
    echo '|---|---|---|---|---|'
    for car in $(cars); do
        read -r ns <"$scratch/$car.ns"
        read -r mean most steps <"$scratch/$car.count" || return 1
        echo "| $car | $ns ns | $((1000000 / ns)) | $mean | $most |"
    done
    echo
    echo "Instructions over $steps steps each."
    echo
    ground || return 1
    echo '| driver | instructions per step, mean | maximum |'
    echo '|---|---|---|'
    for driver in position preview; do
        read -r mean most steps < <(count_driver "$driver") || return 1
        echo "| $driver | $mean | $most |"
    done
}

limit() {
    local car road driver own_limit
    if ! grep -qw avx /proc/cpuinfo; then
        echo '1..1'
        echo 'ok 1 - instructions per step # SKIP this CPU has no AVX, the limit is for its code'
        return 0
    fi
    count_all 2.0 2.3
    for car in $(cars); do
        own_limit=$limit
        [ "${car#*.}" != two_track ] || own_limit=$plane_limit
        ! grep -q '^  hydraulics:' "config/vehicles/${car%%.*}.yaml" ||
            own_limit=$((own_limit + hydraulics_limit))
        judge "$car" $own_limit step <"$scratch/$car.count"
    done
    for road in $roads; do
        judge "road ${road##*/}" $road_limit query < <(count_road "$road")
    done
    judge 'road surface' $surface_limit query < <(count_surface)
    for driver in position preview; do
        judge "driver $driver" $driver_limit step < <(count_driver "$driver")
    done
    judged
}

choose 'table ground limit' "$@"
