"""Which failures are plausible for which call, and which of them must go unnoticed."""
import errno
from collections import namedtuple

PROGRAMS = ("skidpad-run", "skidpad-host", "skidpad-control", "skidpad-ecu", "skidpad-replay",
            "skidpad-export")

# plan: as the library takes it. absorbed: the result must be as without the failure.
Action = namedtuple("Action", "name plan absorbed")


def error(name, absorbed=False):
    return Action(name, f"e{getattr(errno, name)}", absorbed)


SHORT, EINTR = Action("short", "short", True), error("EINTR", True)
DELAY = Action("delay", "delay:300", True)
BACK, ON = Action("clock -60 ms", "step:-60000000", True), Action("clock +1 h", "step:3600000000000", True)
ENOSPC, EIO, EMFILE, ENOMEM = map(error, ("ENOSPC", "EIO", "EMFILE", "ENOMEM"))
EAGAIN, ENOBUFS, EACCES = map(error, ("EAGAIN", "ENOBUFS", "EACCES"))
REFUSED, ENOENT, EROFS, ENOTDIR = map(error, ("ECONNREFUSED", "ENOENT", "EROFS", "ENOTDIR"))
IN_USE = error("EADDRINUSE")

STREAM_OUT = (ENOSPC, EIO)
TABLE = {
    "access": (EACCES,), "fdatasync": (EIO,), "fsync": (EIO,), "ftruncate": (EIO,),
    "flock": (error("ENOLCK"),), "fstat": (EIO,), "lstat": (EACCES,), "stat": (EACCES,),
    "link": (ENOSPC,), "rename": (ENOSPC, EROFS), "unlink": (EROFS,), "mkdir": (ENOSPC, EACCES),
    "chmod": (EROFS,), "fchmod": (EROFS,), "mkstemp": (ENOSPC, EMFILE), "dup3": (EMFILE,),
    "dup2": (EMFILE,), "memfd_create": (EMFILE,), "getpwuid": (EMFILE,), "getgrnam": (EMFILE,),
    "chown": (EROFS,), "fchown": (EROFS,), "realpath": (EACCES,), "getpeername": (ENOBUFS,),
    "if_nametoindex": (ENOBUFS,), "if_nameindex": (ENOBUFS,),
    "lseek": (EIO,), "readlink": (EACCES,), "opendir": (EMFILE, EACCES), "readdir": (EIO,),
    "read": (EINTR, SHORT, EIO), "pread": (EINTR, SHORT, EIO),
    "write": (EINTR, SHORT, ENOSPC, EIO, DELAY), "pwrite": (EINTR, SHORT, ENOSPC, EIO),
    "close": (EIO,), "open": (EMFILE, ENOSPC, EACCES), "openat": (EMFILE, ENOSPC),
    "fcntl": (EIO,), "ioctl": (EIO,), "socket": (EMFILE, ENOBUFS), "socketpair": (EMFILE,),
    "listen": (IN_USE,), "accept4": (EMFILE, error("ECONNABORTED")), "bind": (IN_USE, ENOBUFS),
    "connect": (EAGAIN, REFUSED), "getsockname": (ENOBUFS,), "setsockopt": (ENOBUFS,),
    "getsockopt": (ENOBUFS,), "send": (EAGAIN, ENOBUFS, REFUSED), "sendto": (EAGAIN, ENOBUFS),
    "sendmsg": (EAGAIN, ENOBUFS, REFUSED), "sendmmsg": (EAGAIN, ENOBUFS),
    "recv": (EAGAIN, REFUSED, ENOMEM), "recvfrom": (EAGAIN, EINTR, ENOMEM),
    "recvmsg": (EAGAIN, EINTR, ENOMEM), "recvmmsg": (EAGAIN, EINTR, ENOMEM),
    "poll": (EINTR, ENOMEM, DELAY), "ppoll": (EINTR, ENOMEM), "eventfd": (EMFILE,),
    "signalfd": (EMFILE,), "sigtimedwait": (EINTR,), "pipe2": (EMFILE,), "fork": (EAGAIN, ENOMEM),
    "waitpid": (EINTR,), "sem_wait": (EINTR,), "nanosleep": (EINTR, DELAY), "usleep": (EINTR,),
    "setpriority": (Action("EACCES", EACCES.plan, True),), "mlockall": (ENOMEM,),
    "execv": (EACCES,), "execl": (EACCES,), "pthread_create": (EAGAIN, DELAY),
    "clock_nanosleep": (EINTR,), "clock_gettime": (BACK, ON), "prctl": (error("EINVAL"),),
    "syscall": (error("ENOSYS"),), "mmap": (ENOMEM,),
    "fopen": (EMFILE, ENOSPC, EACCES), "fdopen": (ENOMEM,), "fopencookie": (ENOMEM,), "tmpfile": (EMFILE,),
    "open_memstream": (ENOMEM,), "fgets": (EIO,), "__getdelim": (EIO,), "fread": (EIO,),
    "fclose": (ENOSPC, EIO), "fflush": (ENOSPC, EIO),
}
TABLE.update({name: (ENOMEM,) for name in ("malloc", "calloc", "realloc", "aligned_alloc", "strdup",
                                           "strndup")})
TABLE.update({name: STREAM_OUT for name in ("fwrite", "fputs", "fputc", "puts", "putchar",
                                            "vfprintf", "fprintf", "printf")})
# As _FORTIFY_SOURCE calls them.
TABLE.update({f"__{name}_chk": TABLE[name] for name in (
    "read", "pread", "recv", "recvfrom", "readlink", "poll", "ppoll", "vfprintf", "fprintf",
    "printf", "fgets", "fread")})
TABLE["__open_2"] = TABLE["open"]
# Of other libraries.
TABLE.update({name: (ENOMEM,) for name in (
    "mg_start", "mg_write", "mg_websocket_write", "yaml_parser_initialize", "newlocale",
    "Mat_CreateVer", "Mat_VarCreate", "Mat_VarWrite", "Mat_Close")})

TERMINAL = (EIO,)   # a stream that people read: nobody can be told, but nothing else may suffer

# The files whose call sites must all fail at least once.
ROOMS = ("target/run", "target/control", "target/publish", "target/serve", "target/tune",
         "target/stand_in", "target/skidpad-run", "target/skidpad-control", "target/log_",
         "target/io/can_record", "shared/wire/mdf_write", "shared/wire/log_texts",
         "shared/wire/seal", "shared/wire/telemetry", "shared/base/folders", "host/")


def of(site, every):
    """Failures of a call site: of those outside the rooms under test one is enough."""
    if site.terminal:
        return TERMINAL
    actions = TABLE[site.call]
    if every:
        return actions
    actions = tuple(a for a in actions if a is not DELAY)
    return actions if in_rooms(site.line) else actions[:1]


def turns(site, action, every):
    """Which of its calls fail."""
    last = site.count
    if not every:
        lasting = last > 1 and in_rooms(site.line) and action in (ENOSPC, ENOBUFS, ENOMEM)
        return ("1", "1+") if lasting else ("1",)
    some = {1, 2, 3, (last + 1) // 2, last}
    plain = [str(n) for n in sorted(some) if 1 <= n <= last]
    return plain if action is DELAY or action.plan.startswith("step") else plain + ["1+", "2+"]


def in_rooms(line):
    return any(room in line for room in ROOMS)


def allowed(path):
    """The words of a list; what follows a # is the reason."""
    with open(path, encoding="utf-8") as f:
        words = (line.split("#")[0].strip() for line in f)
        return {w for w in words if w}
