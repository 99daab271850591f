# Results of skidpad bench as a Markdown table; reads the JSON line by line as bench writes it.
function value(line) {
    sub(/^[^:]*: */, "", line)
    sub(/,$/, "", line)
    gsub(/"/, "", line)
    return line
}

BEGIN {
    print "| kernel, condition | period | steps | missed | inputs late or held | wake-up mean | p99.9 | max | execution max |"
    print "|---|---|---|---|---|---|---|---|---|"
}

/^  "label":/ { label = value($0) }
/^      "period_us":/ { period = value($0) }
/^      "steps":/ { steps = value($0) }
/^      "missed":/ { missed = value($0) }
/^      "(wake_up|execution|response|inputs)":/ { part = $1 }
part == "\"wake_up\":" && /^        "mean_ns":/ { mean = value($0) / 1000 }
part == "\"wake_up\":" && /^        "p99_9_ns":/ { high = value($0) / 1000 }
part == "\"wake_up\":" && /^        "max_ns":/ { most = value($0) / 1000 }
part == "\"execution\":" && /^        "max_ns":/ { work = value($0) / 1000 }
part == "\"inputs\":" && /^        "late":/ { late = value($0) }
part == "\"inputs\":" && /^        "held":/ { late += value($0) }
/^      "state_equal":/ {
    printf "| %s | %s us | %d | %d | %d | %.1f us | %.1f us | %.1f us | %.1f us |\n",
        label, period, steps, missed, late, mean, high, most, work
}
