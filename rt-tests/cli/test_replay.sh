#!/bin/sh
# skidpad replay: which car a log is of, and logs of older versions.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
programs=${SKIDPAD_BUILD:-build}
replay=$programs/skidpad-replay
same='every signal has the same bits'

# A log of version 0.1, which has a hash over memory: 80 ticks of the sports car in
# rt-tests/golden/hard.yaml at 5 ms.
gzip -dc rt-tests/cli/log_0_1.mf4.gz >"$scratch/old.mf4"
run "$replay" "$scratch/old.mf4"
expect_status 0 'a log of version 0.1 replays'
expect_out "80 ticks, 80 steps: $same" 'a log of version 0.1: to the same bits'

# copy NAME [SED]: the car with its files, in a folder of its own.
copy() {
    mkdir -p "$scratch/$1"
    cp -r config/vehicles config/tyres "$scratch/$1"
    sed -i "${2:-}" "$scratch/$1/vehicles/sports.yaml"
    car=$scratch/$1/vehicles/sports.yaml
}
copy written "1i # the same car, written in another way"
run "$replay" "$scratch/old.mf4" --vehicle "$car"
expect_status 0 'version 0.1: comments in the vehicle file do not count'
copy heavy 's/^\( *mass_kg: *\)[0-9.]*/\19999/'
run "$replay" "$scratch/old.mf4" --vehicle "$car"
expect_status 2 'version 0.1: another car is refused'
expect_err 'the car is not the one of the log' 'version 0.1: and says so'

# A log of now.
cat >"$scratch/bench.yaml" <<YAML
kind: bench
name: log of now
scenario: $PWD/rt-tests/golden/hard.yaml
vehicle: $scratch/now/vehicles/sports.yaml
realtime: {period_us: 5000}
log: $scratch/now.mf4
YAML
copy now
run "$programs/skidpad-run" "$scratch/bench.yaml" --rt virtual --for 0.4
expect_status 0 'a log of now'
run "$replay" "$scratch/now.mf4"
expect_status 0 'it replays'
expect_out "$same" 'to the same bits'
copy now2 "1i # another comment"
mv "$scratch/now2/tyres" "$scratch/now2/rubber"
sed -i 's,\.\./tyres/,../rubber/,' "$car"
run "$replay" "$scratch/now.mf4" --vehicle "$car"
expect_status 0 'comments and names of tyre files do not count'
sed -i 's/^\( *LMUY *= *\)[0-9.]*/\10.9/; $a$ a line more' "$scratch"/now2/rubber/*.tir
run "$replay" "$scratch/now.mf4" --vehicle "$car"
expect_status 2 'a tyre file that has changed is another car'
expect_err 'the car is not the one of the log' 'and says so'
run "$replay" "$scratch/now.mf4" --vehicle config/vehicles/sedan.yaml
expect_status 2 'another car is refused'
finish
