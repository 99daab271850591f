# Checks every #include of the listed sources against rules.txt. Prints file:line: message for each
# violation and ends with status 1 if there was one.
#
#   awk -f arrows.awk rules.txt FILE...      from the top of the tree; FILE... are all its sources

# The part of the project that a file belongs to: "model" for target/model/tyre/tyre.h.
function part_of(path,    words) {
    split(path, words, "/")
    if (path ~ /^(target|host)\/skidpad-[^\/]*\.c$/)
        return "programs"
    if (path ~ /^target\/[^\/]*$/)
        return "loop"
    if (words[1] == "host")
        return "host"
    return words[2]
}

function is_loader(path,    name) {
    name = path
    sub(/.*\//, "", name)
    return name ~ loader_pattern
}

# A shell pattern with * as a regular expression.
function pattern(glob) {
    gsub(/\./, "\\.", glob)
    gsub(/\*/, ".*", glob)
    return "^" glob "$"
}

function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    violations++
}

function check_own(header,    to, from, folder) {
    if (!(header in known)) {
        complain("\"" header "\" is not in the tree; write the path from the top, as in \"shared/base/err.h\"")
        return
    }
    from = part_of(FILENAME)
    to = part_of(header)
    for (folder in private)
        if (index(header, folder "/") == 1 && index(FILENAME, folder "/") != 1 &&
            !((folder, FILENAME) in may_open))
            complain("only " private[folder] " may include what is in " folder " (" header ")")
    if (pure_file && is_loader(header) && !is_loader(FILENAME))
        complain("pure code must not include the loader " header)
    else if (from != to && !((from, to) in arrow) && !(is_loader(FILENAME) && (to in loader_adds)))
        complain(from " must not include " to " (" header ")")
}

# Rules. All files but the first are known sources.
BEGIN {
    for (i = 2; i < ARGC; i++)
        known[ARGV[i]]
}
FILENAME == ARGV[1] {
    if (/^#/ || NF == 0)
        next
    if ($1 == "arrow") {
        parts[$2]
        for (i = 3; i <= NF; i++)
            arrow[$2, $i]
    } else if ($1 == "private") {
        private[$2] = "itself"
        for (i = 3; i <= NF; i++) {
            may_open[$2, $i]
            private[$2] = private[$2] ", " $i
        }
    } else {
        for (i = 2; i <= NF; i++) {
            if ($1 == "pure")
                pure[$i]
            else if ($1 == "header")
                pure_header[$i]
            else if ($1 == "loader-adds")
                loader_adds[$i]
            else if ($1 == "loader")
                loader_pattern = loader_pattern (loader_pattern ? "|" : "") pattern($i)
        }
    }
    next
}

FNR == 1 {
    part = part_of(FILENAME)
    if (!(part in parts))
        complain("folder '" part "' has no arrow in rules.txt")
    pure_file = (part in pure) && !is_loader(FILENAME)
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\"")
    check_own(quoted[2])
}
/^[ \t]*#[ \t]*include[ \t]*</ && pure_file {
    split($0, quoted, /[<>]/)
    if (!(quoted[2] in pure_header))
        complain(part " is pure and must not include <" quoted[2] ">")
}

END { exit violations > 0 }
