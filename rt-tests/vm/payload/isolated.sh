# shellcheck shell=sh
# Two CPUs: the loop alone on the isolated one, everything else on the other. Says on which CPUs each
# thread may run and where it was seen last.
# programs: ip
# modules: can-raw vcan
# kernel: isolcpus=managed_irq,domain,1 nohz_full=1 rcu_nocbs=1 irqaffinity=0
# seconds: 200
set -u

config=/vm/share/skidpad/config
cat /sys/devices/system/cpu/isolated >isolated.txt
ip link add vcan0 type vcan
ip link set vcan0 up
cat >isolated.yaml <<END
kind: bench
name: isolated
scenario: $config/scenarios/abs_split.yaml
duration_s: 0
realtime: {period_us: 1000, cpu: 1}
limits: {missed: 1000000000, missed_in_row: 0}
telemetry: {to: "127.0.0.1:20555"}
control: /tmp/run.sock
can: [{name: chassis, bus: $config/can/skidpad_chassis.yaml, transport: "socketcan:vcan0",
       gateway: always}]
stand_in: {params: $config/ecu/sedan.yaml}
END
skidpad run isolated.yaml --rt "$VM_RT" --log /tmp/isolated.mf4 >run.txt 2>&1 &
run=$!

# The loop drives when it answers with a tick.
until skidpad control /tmp/run.sock status 2>/dev/null | grep -q 'speed\|tick\|km/h'; do
    kill -0 $run || break
    sleep 0.2
done
sleep 2

# A line for each thread of the run and of the unit: process, policy (1: SCHED_FIFO), allowed, last.
for process in /proc/[0-9]*; do
    case $(tr '\0' ' ' <"$process/cmdline") in
    *skidpad-run*) name=run ;;
    *skidpad-ecu*) name=unit ;;
    *) continue ;;
    esac
    for thread in "$process"/task/*; do
        allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$thread/status")
        # Counted from behind the name in brackets: 37 is the CPU, 39 the policy.
        sed 's/.*) //' "$thread/stat" >/tmp/stat
        echo "$name $(tr ' ' _ <"$thread/comm") policy $(cut -d ' ' -f 39 /tmp/stat)" \
            "allowed $allowed last $(cut -d ' ' -f 37 /tmp/stat)"
    done
done >threads.txt
cat threads.txt
skidpad control /tmp/run.sock stop
wait $run
echo $? >run.status
cat run.txt
exit 0
