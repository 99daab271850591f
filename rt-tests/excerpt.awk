# What to show of the log of a failed test program: everything but the tests that passed, the
# progress of a build, and cmocka's closing list. Of long logs the beginning, then only what looks
# like errors.

function keep(text) {
    lines[++count] = text
}
function keep_held(    i) {
    for (i = 1; i <= held_count; i++)
        keep(held[i])
    held_count = 0
}

/\[==========\] Running/ { listing = 0; next }
/\[==========\] [0-9]+ test\(s\) run/ { keep_held(); listing = 1; next }
listing && /^\[  (PASSED |SKIPPED|FAILED ) \]|^ *[0-9]+ (FAILED|SKIPPED) TEST|^$/ { next }
/\[ RUN      \] / { keep_held(); held[held_count = 1] = $0; next }
/\[       OK \] / { held_count = 0; next }
/^ok |^  (CC|AR|LD|TIDY) +[^ ]+$/ { next }
held_count { held[++held_count] = $0; next }
{ keep($0) }

END {
    keep_held()
    for (i = 1; i <= count; i++) {
        if (count > 80 && i == 41)
            print "      | ... of the rest the errors:"
        if (count <= 80 || i <= 40 ||
            (shown < 40 && lines[i] ~ /(error|warning): |ERROR|FAILED|   LINE|^not ok|SUMMARY/ && ++shown))
            print "      | " lines[i]
    }
}
