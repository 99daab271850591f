#!/bin/sh
# The soak of `make soak`, for 20 s.
exec "$(dirname "$0")/soak.sh" 20 6 16
