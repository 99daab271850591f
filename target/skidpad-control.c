/* skidpad control: asks a run on this machine for something. */
#include "shared/base/options.h"
#include "target/control.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {{0}};
    static const struct options_program program = {
        .name = "control",
        .summary =
            "command a run that is going on: start, stop, safe state, faults, set-up, diagnosis",
        .arguments =
            "SOCKET start | stop | safe | reset | status | fault NAME on|off | set NAME VALUE |\n"
            "       scenario NAME | dtc | uds HEX",
        .args_max = 4,
        .specs = specs,
        .example = "skidpad control out/abs_split.sock status",
        .notes =
            "SOCKET is the `control:` of the run's bench file. `reset` leaves the safe state; "
            "faults are\nthose of the bench file. `set front_spring 1.2` changes the car while "
            "it drives; the names\nare the signals setup_* of `skidpad signals`. `dtc` and `uds "
            "22F190` ask the unit's diagnosis.\n`start` and `scenario` are for `skidpad run "
            "--serve`. Status: 0 done, 1 refused, 2 no run listens there.",
    };
    struct options o;
    char line[CONTROL_LINE] = "", answer[CONTROL_LINE];
    struct err e = {""};
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    if (o.arg_count < 2) {
        fprintf(stderr,
                "skidpad control: name a socket and a request; see skidpad control --help\n");
        return 2;
    }
    for (int i = 1; i < o.arg_count; i++)
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", i > 1 ? " " : "",
                       o.args[i]);
    if (control_ask(o.args[0], line, answer, sizeof answer, &e)) {
        fprintf(stderr, "skidpad control: %s\n", e.text);
        return 2;
    }
    bool ok = strncmp(answer, "ok", 2) == 0;
    fprintf(ok ? stdout : stderr, "%s\n", answer);
    return ok ? 0 : 1;
}
