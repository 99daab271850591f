#!/bin/bash
# Runs shellcheck on every shell script of the repository.
cd "$(dirname "$0")/../.." || exit 1
mapfile -t scripts < <(find . \( -name .git -o -name "${BUILD:-build}" -o -name node_modules \) -prune \
    -o -type f \( -name '*.sh' -o -perm -u+x \) -print | sort)
checked=()
for script in "${scripts[@]}"; do
    if [[ $script == *.sh ]] || head -n 1 "$script" | grep -qE '^#! ?/(usr/)?bin/(env )?(ba|da)?sh'; then
        checked+=("$script")
    fi
done
exec shellcheck -x --source-path=SCRIPTDIR "${checked[@]}"
