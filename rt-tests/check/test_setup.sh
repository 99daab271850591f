#!/bin/sh
# Set-up must call apt only if a package is missing, and without rights must print what to type.
# dpkg-query, apt-get, sudo and id are stand-ins here; nothing is installed.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

bin=$scratch/bin
mkdir "$bin"

# stand_in NAME BODY: a program of that name that comes first in the path.
stand_in() {
    printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

# Everything is installed but what the file "missing" names.
# shellcheck disable=SC2016 # expanded by the stand-in
stand_in dpkg-query 'shift 3
for package; do
    grep -qxF "$package" '"$scratch"'/missing || echo "$package:amd64 installed"
done'
stand_in apt-get "echo \"apt-get \$*\" >>$scratch/calls"

# setup USER_ID SUDO SET...: runs the set-up as that user; SUDO is the status of sudo -n true.
setup() {
    stand_in id "echo $1"
    # shellcheck disable=SC2016 # expanded by the stand-in
    stand_in sudo '[ "$*" = "-n true" ] && exit '"$2"'
shift; "$@"'
    shift 2
    : >"$scratch/calls"
    run env PATH="$bin:$PATH" deploy/setup.sh "$@"
    calls=$(cat "$scratch/calls")
}

: >"$scratch/missing"
setup 0 0 run test
expect_status 0 'with all packages there set-up passes'
check "$([ -z "$calls" ]; echo $?)" 'and does not call apt'

printf 'libyaml-dev\ncppcheck\n' >"$scratch/missing"
setup 0 0 run test
expect_status 0 'root installs'
out=$calls
expect_out 'apt-get -q update' 'after an update'
expect_out 'install -y --no-install-recommends libyaml-dev cppcheck' 'what is missing and no more'

setup 0 0 run
out=$calls
expect_out '--no-install-recommends libyaml-dev' 'the run set'
check "$(! grep -q cppcheck "$scratch/calls"; echo $?)" 'does not need the test set'

setup 1000 0 run
out=$calls
expect_out 'install -y --no-install-recommends libyaml-dev' 'a user with sudo installs'

setup 1000 1 run
expect_status 2 'a user without rights gets status 2'
expect_err 'apt-get install --no-install-recommends libyaml-dev' 'and the line to type'
check "$([ -z "$calls" ]; echo $?)" 'and apt is not called'

printf 'nodejs\nnpm\n' >"$scratch/missing"
stand_in node :
stand_in npm :
setup 0 0 web
expect_status 0 'node and npm from elsewhere'
check "$([ -z "$calls" ]; echo $?)" 'are not installed again'
printf 'libyaml-dev\n' >"$scratch/missing"

stand_in apt-get 'exit 100'
setup 0 0 run
expect_status 2 'if apt fails the status is 2'
expect_err 'apt could not install: libyaml-dev' 'and the packages are named'
setup 0 0 nonsense
expect_status 2 'an unknown set has status 2'
finish
