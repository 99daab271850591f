#!/bin/bash
# The time of day can be set while a run goes on: it may make dates for people, but no age, time-out,
# rate, deadline or lease. Every place that reads it is listed here with what it makes of it.
cd "$(dirname "$0")/../.." || exit 1
allowed='
target/html.c           date of a report
target/publish.c        date of a run, in its description
target/run_log.c        date of a log
target/watchdog_tell.c  date in the report of a watchdog
target/io/can_record.c  dates in a candump log: read once, then the clock of the ticks goes on
target/io/can_batch.c   stamps of the kernel, compared with the clock of the ticks by can_stamp
target/io/can_stamp.c   how far it is ahead, to notice that it was set
target/io/can_rtdm.c    stamps of the core, likewise
'
bad=0
while IFS=: read -r file line text; do
    if ! grep -qE "^$file +[a-z]" <<<"$allowed"; then
        echo "$file:$line: the time of day, which can be set:${text}"
        echo "    take CLOCK_MONOTONIC (performance.now() in the page), or add it to $0 with its reason"
        bad=1
    fi
done < <(grep -rnE 'CLOCK_(REALTIME|TAI)|gettimeofday\(|[^a-z_.]time\((NULL|&)|timespec_get\(|Date\.now|new Date|mg_get_current_time|SO_TIMESTAMP' \
    --include='*.[ch]' --include='*.ts' target host/*.c host/*.h host/web/src shared | grep -vE ':[0-9]+: *(/?\*|//)')
while read -r file _; do
    if [ -n "$file" ] && [ ! -e "$file" ]; then
        echo "$0: lists $file, which is not there"
        bad=1
    fi
done <<<"$allowed"
exit $bad
