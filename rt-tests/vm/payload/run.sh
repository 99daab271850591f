# shellcheck shell=sh
# skidpad run in real time and on the simulated clock; the logs are replayed here, and the first one
# comes out to be replayed elsewhere.
# seconds: 1500
set -u

bench=/vm/share/skidpad/config/benches/scripted.yaml
status=0
for core in "$VM_RT" virtual; do
    skidpad run $bench --rt "$core" --cpu 0 --period-us 2000 --for "${for_s:?}" --log "/tmp/$core.mf4" \
        >"run-$core.txt" 2>&1 || status=1
    skidpad replay "/tmp/$core.mf4" >"replay-$core.txt" 2>&1 || status=1
    cat "run-$core.txt" "replay-$core.txt"
done
cp "/tmp/$VM_RT.mf4" run.mf4
exit $status
