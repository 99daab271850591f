# Counts the tests in the output of one test program: prints "planned passed skipped".
# What was planned and neither passed nor was skipped has failed, whether it said so or the program
# ended before. Understands cmocka's usual output and TAP (ok / not ok / # SKIP, plan 1..N).
#
#   awk -v kind=cmocka -f count.awk LOG
#
# A test may print text without a newline before cmocka's mark, so marks count anywhere in a line.

kind == "cmocka" && /\[==========\] Running [0-9]+ test\(s\)\./ {
    match($0, /Running [0-9]+/)
    planned += substr($0, RSTART + 8, RLENGTH - 8)
    listing = 0
}
kind == "cmocka" && /\[==========\] [0-9]+ test\(s\) run\./ { listing = 1 }
kind == "cmocka" && !listing && /\[       OK \] / { passed++ }
kind == "cmocka" && !listing && /\[  SKIPPED \] / { skipped++ }

kind == "tap" && /^1\.\.[0-9]+$/ { planned = substr($0, 4) + 0 }
kind == "tap" && /^ok / { if (/# SKIP/) skipped++; else passed++ }

END { print planned + 0, passed + 0, skipped + 0 }
