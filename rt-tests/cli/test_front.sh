#!/bin/sh
# The front command: finds programs, lists them, suggests, and says what is wrong.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

run skidpad
expect_status 0 'alone it lists the commands'
expect_out 'version    print the version' 'each command is listed with its one-liner'
run skidpad --help
expect_out 'usage: skidpad COMMAND' '--help shows the usage'
run skidpad help version
expect_out 'usage: skidpad version' 'help COMMAND shows the help of the command'

run skidpad version --short
expect_status 0 'a command runs'
expect_out "$(cat VERSION)" 'version prints the version of the file VERSION'
run skidpad --version
expect_out 'revision' '--version is the command version'

run skidpad versoin
expect_status 2 'a mistyped command has status 2'
expect_err "did you mean 'version'?" 'a mistyped command is suggested'
run skidpad qqqqqqq
expect_status 2 'an unknown command has status 2'
expect_err "unknown command 'qqqqqqq'" 'an unknown command is named'
run skidpad ../skidpad
expect_status 2 'a path is no command'
run skidpad version --shrot
expect_status 2 'a mistyped option has status 2'
expect_err 'did you mean --short?' 'a mistyped option is suggested'

# A build tree without programs.
SKIDPAD_BUILD=$scratch
export SKIDPAD_BUILD
run skidpad version
expect_status 2 'nothing built has status 2'
expect_err 'run make first' 'nothing built says what to do'
unset SKIDPAD_BUILD

# Installed, called through a symbolic link from elsewhere.
mkdir -p "$scratch/usr/bin" "$scratch/usr/libexec/skidpad" "$scratch/elsewhere"
cp skidpad "$scratch/usr/bin/skidpad"
# shellcheck disable=SC2016 # for the script that is written here
printf '#!/bin/sh\necho "config $SKIDPAD_CONFIG_DIR arguments $*"\n' \
    >"$scratch/usr/libexec/skidpad/skidpad-echo"
chmod +x "$scratch/usr/libexec/skidpad/skidpad-echo"
ln -s "$scratch/usr/bin/skidpad" "$scratch/elsewhere/skidpad"
run "$scratch/elsewhere/skidpad" echo one 'two  three'
expect_out 'arguments one two  three' 'installed, arguments arrive unchanged'
expect_out 'share/skidpad/config' 'installed, the configuration folder is share/skidpad/config'
run env SKIDPAD_CONFIG_DIR=/mine "$scratch/elsewhere/skidpad" echo
expect_out 'config /mine' 'a configuration folder that is set stays'

finish
