#!/bin/sh
# The Makefile from outside: help, install, uninstall.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

unset SKIDPAD_BUILD

run make help
expect_status 0 'make help works'
for target in all run test check unit model fuzz install uninstall clean; do
    expect_out "make $target " "make help explains $target"
done

root=$scratch/root
run make install "DESTDIR=$root" PREFIX=/opt/skidpad
expect_status 0 'make install works'
run "$root/opt/skidpad/bin/skidpad" version --short
expect_out "$(cat VERSION)" 'the installed front command finds the programs'
differing=$(cd config && find . -type f |
    while read -r file; do
        cmp "$file" "$root/opt/skidpad/share/skidpad/config/$file" 2>&1
    done)
check "$([ -z "$differing" ]; echo $?)" 'the configuration is installed completely'

run make uninstall "DESTDIR=$root" PREFIX=/opt/skidpad
expect_status 0 'make uninstall works'
check "$([ -z "$(find "$root" -type f)" ]; echo $?)" 'make uninstall leaves no file'

run env PATH="$scratch:$PATH" make CC=no-such-compiler BUILD="$scratch/build" all
expect_status 2 'a missing compiler has status 2'
expect_err "'make setup' installs what is missing" 'a missing compiler says what to do'
finish
