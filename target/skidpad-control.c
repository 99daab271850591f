/* skidpad control: asks a run on this machine for something. */
#include "shared/base/options.h"
#include "target/control.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The name for the lease: as given, else the user's. */
static void name_of(const struct options *o, char who[LEASE_NAME])
{
    /* There is one thread only. */
    /* cppcheck-suppress getpwuidCalled */
    const struct passwd *user = getpwuid(geteuid());
    if (options_given(o, "as"))
        (void)snprintf(who, LEASE_NAME, "%s",
                       strlen(options_text(o, "as")) < LEASE_NAME ? options_text(o, "as") : "");
    else
        (void)snprintf(who, LEASE_NAME, "%s",
                       user && lease_name_is_good(user->pw_name) ? user->pw_name : "socket");
}

/* `reset` alone leaves the safe state that there is now: its number, or 0 if there is none. If
 * another one comes in between, the number is wrong and the run refuses. */
static unsigned long long safe_number(const char *socket, struct err *e)
{
    static const char mark[] = "SAFE STATE ";
    char answer[CONTROL_LINE];
    int bad = control_ask(socket, "status", answer, sizeof answer, e);
    const char *at = bad ? NULL : strstr(answer, mark);
    return at ? strtoull(at + sizeof mark - 1, NULL, 10) : 0;
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"as", "NAME", "(user)", "who asks: the name that holds the bench"},
        {0},
    };
    static const struct options_program program = {
        .name = "control",
        .summary =
            "command a run that is going on: start, stop, safe state, faults, set-up, diagnosis",
        .arguments = "SOCKET start | stop | safe | reset [NUMBER] | status | fault NAME on|off |\n"
                     "       set NAME VALUE | scenario NAME | take | release | dtc | uds HEX",
        .args_max = 4,
        .specs = specs,
        .example = "skidpad control out/abs_split.sock status",
        .notes =
            "SOCKET is the `control:` of the run's bench file. `safe` stops the bench; `reset` "
            "leaves "
            "the safe state,\nby its number or the one there is. `set front_spring 1.2` changes "
            "the "
            "car while it drives; the names\nare the signals setup_* of `skidpad signals`. `dtc` "
            "and "
            "`uds 22F190` ask the unit's diagnosis. `start`\nand `scenario` are for `skidpad run "
            "--serve`. Who asks holds the bench for 10 s: others may only stop it,\nor `take` it "
            "over. "
            "\"ok 7 tick 1200: ...\": request 7 was carried out by tick 1200. Status: 0 done, 1 "
            "refused,\n2 no run listens there, or it does not answer.",
    };
    struct options o;
    char line[CONTROL_LINE], answer[CONTROL_LINE], who[LEASE_NAME];
    struct err e = {""};
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    if (o.arg_count < 2) {
        fprintf(stderr,
                "skidpad control: name a socket and a request; see skidpad control --help\n");
        return 2;
    }
    name_of(&o, who);
    if (!lease_name_is_good(who) && command_is_safe(o.args[1])) {
        (void)snprintf(who, sizeof who, "socket"); /* a stop is nobody's */
    } else if (!lease_name_is_good(who)) {
        fprintf(stderr,
                "skidpad control: --as \"%s\": a name has 1 to %d letters, digits or ._@-\n",
                options_text(&o, "as"), LEASE_NAME - 1);
        return 2;
    }
    (void)snprintf(line, sizeof line, "@%s", who);
    for (int i = 1; i < o.arg_count; i++)
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), " %s", o.args[i]);
    if (o.arg_count == 2 && strcmp(o.args[1], "reset") == 0)
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), " %llu",
                       safe_number(o.args[0], &e));
    if (control_ask(o.args[0], line, answer, sizeof answer, &e)) {
        fprintf(stderr, "skidpad control: %s\n", e.text);
        return 2;
    }
    bool ok = strncmp(answer, "ok", 2) == 0;
    fprintf(ok ? stdout : stderr, "%s\n", answer);
    return ok ? 0 : 1;
}
