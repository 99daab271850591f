#!/bin/sh
# skidpad tyre: the table, the picture, forces at points, and what bad input gets.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
sedan=config/tyres/sedan_205_55R16.tir

# nothing_written NAME: standard output is empty.
nothing_written() {
    check "$([ -z "$out" ]; echo $?)" "$1"
}

run skidpad tyre $sedan --svg "$scratch/sedan.svg"
expect_status 0 'a tyre is shown'
expect_no_err 'a clean file gets no warning'
expect_out '205/55 R16' 'the size is shown'
expect_out 'Magic Formula 6.1, left side' 'the version is shown'
expect_out 'cornering stiffness in kN/rad' 'stiffness is shown over load'
check "$(xmllint --noout "$scratch/sedan.svg" 2>/dev/null || [ $? -eq 127 ]; echo $?)" \
    'the picture is well-formed'
check "$(grep -q 'Aligning moment' "$scratch/sedan.svg"; echo $?)" 'the picture has its charts'
for tyre in config/tyres/*.tir; do
    run skidpad tyre "$tyre" --svg "$scratch/any.svg"
    expect_status 0 "$tyre is shown"
done

# Forces at points. Columns in any order, others pass through, blanks and comments are allowed.
printf '%s\n' '# two points' 'run,kappa,alpha_rad,gamma_rad, Fz_N,Vx_mps' \
    'left,0,-0.05,0,4200,20' '' 'locked,-1,0,0,4200,20' >"$scratch/in.csv"
run skidpad tyre $sedan --points "$scratch/in.csv"
expect_status 0 'forces at points are computed'
expect_out 'run,kappa,alpha_rad,gamma_rad, Fz_N,Vx_mps,Fx_N,Fy_N,Mx_Nm,My_Nm,Mz_Nm' \
    'results are appended to the columns'
check "$([ "$(printf '%s\n' "$out" | wc -l)" -eq 3 ]; echo $?)" 'every point gets a line'
check "$(printf '%s\n' "$out" | awk -F, '$1 == "left" { exit !($8 > 2500 && $8 < 4400) }'
    echo $?)" 'slip to the right makes a force to the left'
check "$(printf '%s\n' "$out" | awk -F, '$1 == "locked" { exit !($7 < -3000 && $8 == 0) }'
    echo $?)" 'a locked wheel brakes straight on'
run skidpad tyre $sedan --points "$scratch/in.csv" --friction 0.1
check "$(printf '%s\n' "$out" | awk -F, '$1 == "locked" { exit !($7 > -400 && $7 < -300) }'
    echo $?)" 'road friction scales the forces'
printf '%s\n' 'Fz_N,kappa,alpha_rad,gamma_rad,Vx_mps,pressure_Pa' '4200,0,0.02,0,20,0' \
    '4200,0,0.02,0,20,230000' '4200,0,0.02,0,20,160000' >"$scratch/p.csv"
run skidpad tyre $sedan --points "$scratch/p.csv"
check "$(printf '%s\n' "$out" | awk -F, 'NR > 1 { f[NR] = $8 } END { exit !(f[2] == f[3] && f[4] != f[2]) }'
    echo $?)" 'pressure acts, and 0 is that of the file'

# refused CSV-TEXT MESSAGE NAME
refused() {
    printf '%b' "$1" >"$scratch/bad.csv"
    run skidpad tyre $sedan --points "$scratch/bad.csv"
    expect_status 2 "$3: status 2"
    expect_err "$2" "$3: says so"
    nothing_written "$3: nothing written"
}
head='Fz_N,kappa,alpha_rad,gamma_rad,Vx_mps\n'
refused '' 'no line with column names' 'empty table'
refused "$head" 'no row below' 'table without rows'
refused 'Fz_N,kappa\n1,2\n' 'bad.csv:1: column alpha_rad is missing' 'missing column'
refused "${head}4000,0,0,0,20\n4000,0,0,0\n" 'bad.csv:3: 4 cells' 'short row'
refused "${head}4000,0,0,0,20\n4000,x,0,0,20\n" 'bad.csv:3:6: kappa: not a number' 'bad number'
refused "${head}4000,nan,0,0,20\n" 'bad.csv:2:6: kappa: not a number' 'NaN'
refused "${head}-1,0,0,0,20\n" 'bad.csv:2:1: Fz_N: -1 is negative' 'negative load'
refused "${head}4000,0,10,0,20\n" 'alpha_rad: 10 is not allowed' 'slip angle in degrees'
run skidpad tyre $sedan --points "$scratch/none.csv"
expect_status 2 'missing table: status 2'
expect_err 'none.csv: No such file' 'missing table: says so'

# Bad tyre files.
run skidpad tyre "$scratch/none.tir"
expect_status 2 'missing tyre: status 2'
expect_err 'none.tir: No such file' 'missing tyre: says so'
sed 's/^PDX1 .*/PDX1 = nan/' $sedan >"$scratch/nan.tir"
run skidpad tyre "$scratch/nan.tir" --svg "$scratch/nan.svg"
expect_status 2 'damaged tyre: status 2'
expect_err ": PDX1: 'nan' is not a number" 'damaged tyre: says where and what'
nothing_written 'damaged tyre: nothing on standard output'
check "$([ ! -e "$scratch/nan.svg" ]; echo $?)" 'damaged tyre: no picture'
head -c 1500 $sedan >"$scratch/cut.tir"
run skidpad tyre "$scratch/cut.tir" --svg "$scratch/nan.svg"
expect_status 2 'truncated tyre: status 2'
expect_err 'PKY1: missing' 'truncated tyre: names what is missing'
run skidpad tyre "$scratch"
expect_status 2 'a folder is no tyre'
run skidpad tyre $sedan --svg "$scratch/no/such/folder.svg"
expect_status 2 'a picture that cannot be written: status 2'
nothing_written 'a picture that cannot be written: nothing on standard output'
run skidpad tyre
expect_status 2 'no file: status 2'
run skidpad tyre $sedan --friction 0
expect_status 2 'no friction: status 2'

finish
