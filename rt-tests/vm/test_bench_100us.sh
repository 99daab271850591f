#!/bin/sh
# No deadline is missed at 0.1 ms on the PREEMPT_RT kernel under load.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

loaded_bench 100
finish
