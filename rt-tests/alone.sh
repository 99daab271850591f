#!/bin/sh
# Runs a command with a network of its own, loopback only, so that tests that run side by side, or
# beside the benches of this PC, do not meet on a port. Where the kernel does not allow that, the
# command runs with the network of the PC.
#
#   rt-tests/alone.sh COMMAND...
up='ip link set lo up && exec "$@"'
if unshare --net ip link set lo up 2>/dev/null; then
    exec unshare --net sh -c "$up" sh "$@"
fi
own='--user --map-current-user --keep-caps --net'
# shellcheck disable=SC2086 # several words
if unshare $own ip link set lo up 2>/dev/null; then
    exec unshare $own sh -c "$up" sh setpriv --ambient-caps=-all --inh-caps=-all "$@"
fi
exec "$@"
