#include_next <signal.h>
#ifndef SKIDPAD_SHIM_SIGNAL_H
#define SKIDPAD_SHIM_SIGNAL_H

#define SIGDEBUG                  SIGXCPU
#define sigdebug_marker           0xfccf0000
#define SIGDEBUG_UNDEFINED        0
#define SIGDEBUG_MIGRATE_SIGNAL   1
#define SIGDEBUG_MIGRATE_SYSCALL  2
#define SIGDEBUG_MIGRATE_FAULT    3
#define SIGDEBUG_MIGRATE_PRIOINV  4
#define SIGDEBUG_NOMLOCK          5
#define SIGDEBUG_WATCHDOG         6
#define SIGDEBUG_RESCNT_IMBALANCE 7

#endif
