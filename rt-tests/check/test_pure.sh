#!/bin/sh
# The check of pure objects must see calls to the outside and variables, planted in small objects.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

objects=$scratch/obj
mkdir -p "$objects/target/model" "$objects/target/road" "$objects/shared/can"

# compile OBJECT TEXT
compile() {
    printf '%s\n' "$2" | ${CC:-gcc} -std=c17 -O2 -Wno-unused -x c -c - -o "$objects/$1"
}

check_objects() {
    run rt-tests/check/pure.sh "$objects"
}

# violation NAME TEXT MESSAGE: an object of that text fails with the message.
violation() {
    compile target/model/planted.o "$2"
    check_objects
    expect_status 1 "$1"
    expect_out "$3" "$1: the message names object and symbol"
    rm "$objects/target/model/planted.o"
}

check_objects
expect_status 1 'no objects at all is a failure, not a pass'

compile target/model/tyre.o 'double force(double x) { return x * x; }'
compile target/road/road.o '#include <string.h>
double force(double);
struct ops { double (*f)(double); };
const struct ops road_ops = {force};
void copy(void *to, const void *from, unsigned long n) { memcpy(to, from, n); }'
check_objects
expect_status 0 'pure objects that use each other, memcpy and constant tables pass'

violation 'malloc is seen' '#include <stdlib.h>
void *grab(unsigned long n) { return malloc(n); }' \
    'planted.o: references malloc'
violation "libm's sin is seen" '#include <math.h>
double wave(double x) { return sin(x); }' \
    'planted.o: references sin'
violation 'a static local variable is seen' 'int next(void) { static int count = 7; return count++; }' \
    'is a variable that lives beyond a call'
violation 'a zeroed global variable is seen' 'int total[100]; int *get(void) { return total; }' \
    "'total' in .bss"
violation 'a thread-local variable is seen' '_Thread_local int mine; int *get(void) { return &mine; }' \
    "'mine' in .tbss"

compile target/model/car_load.o '#include <stdio.h>
void say(void) { puts("loading"); }'
check_objects
expect_status 0 'a loader may call the C library'
compile target/model/car.o 'void say(void); void step(void) { say(); }'
check_objects
expect_status 1 'but pure code may not call a loader'
expect_out 'car.o: references say' 'and the message names it'
rm "$objects/target/model/car.o"

compile shared/can/codec.o '#include <stdio.h>
void show(void) { puts("codec"); }'
check_objects
expect_status 1 'pure folders of shared are checked too'
expect_out 'shared/can/codec.o: references puts' 'and the message names the object'
finish
