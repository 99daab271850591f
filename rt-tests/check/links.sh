#!/bin/bash
# Does every relative link in a Markdown file lead to a file? And does docs/dependencies.md name
# every package that set-up installs?
cd "$(dirname "$0")/../.." || exit 1
bad=0
while IFS=: read -r file line target; do
    target=${target#](}
    target=${target%)}
    case $target in
    http://* | https://* | mailto:* | '#'*) continue ;;
    esac
    if [ ! -e "$(dirname "$file")/${target%%#*}" ]; then
        echo "$file:$line: the link leads nowhere: $target"
        bad=1
    fi
done < <(find . \( -name .git -o -name "${BUILD:-build}" -o -name node_modules \) -prune \
    -o -name '*.md' -print0 | xargs -0 grep -noE '\]\([^) ]+\)')

while read -r package; do
    if ! grep -qF "\`$package\`" docs/dependencies.md; then
        echo "docs/dependencies.md: says nothing about the package $package of deploy/packages.txt"
        bad=1
    fi
done < <(awk '!/^#/ && NF { print $2 }' deploy/packages.txt)
exit $bad
