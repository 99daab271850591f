/* The page's files: only plain ones below the folder, by names without surprises. */
#include "host/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

static const struct {
    const char *ending, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".webp", "image/webp"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".wasm", "application/wasm"},
    {".glb", "model/gltf-binary"},
    {".map", "application/json"},
    {".txt", "text/plain; charset=utf-8"},
};

static const char *type_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof types[0]; i++)
        if (strcmp(dot, types[i].ending) == 0)
            return types[i].type;
    return NULL;
}

/* Letters, digits and -_./ only; no part begins with a dot. */
static bool is_plain(const char *path)
{
    for (const char *c = path; *c; c++) {
        bool letter =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        if (!letter && !strchr("-_./", *c))
            return false;
        if (*c == '.' && (c == path || c[-1] == '/'))
            return false;
    }
    return path[0] != '\0' && path[0] != '/';
}

/* The kernel refuses whatever leads out of the folder, links included. The folder is opened each
 * time: `make web` makes it anew while a host runs. */
static int open_below(const char *folder, const char *path)
{
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
                           .resolve =
                               RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = at >= 0 ? (int)syscall(SYS_openat2, at, path, &how, sizeof how) : -1;
    if (at >= 0)
        (void)close(at);
    return fd;
}

bool pages_are_built(const struct pages_setup *setup)
{
    int fd = open_below(setup->folder, "index.html");
    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

static void send_head(struct web_connection *c, const char *type, long long bytes, bool cache)
{
    (void)web_printf(c,
                     "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %lld\r\n"
                     "Content-Security-Policy: %s\r\nX-Content-Type-Options: nosniff\r\n"
                     "Referrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\n"
                     "Cross-Origin-Resource-Policy: same-origin\r\nX-Frame-Options: DENY\r\n"
                     "Cache-Control: %s\r\nConnection: close\r\n\r\n",
                     type, bytes, policy, cache ? "no-cache" : "no-store");
}

static void send_text(struct web_connection *c, const char *text, bool head_only)
{
    send_head(c, "text/html; charset=utf-8", (long long)strlen(text), false);
    if (!head_only)
        (void)web_write(c, text, strlen(text));
}

static void send_file(struct web_connection *c, int fd, const char *type, long long bytes,
                      bool head_only)
{
    char part[16384];
    ssize_t n;
    send_head(c, type, bytes, true);
    while (!head_only && (n = read(fd, part, sizeof part)) > 0)
        if (!web_write(c, part, (size_t)n))
            return;
}

/* Without style: the policy allows none inside a page, and a file of its own may be missing, too.
 */
static const char not_built[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
    "<title>skidpad host: the page is not built</title></head><body>\n"
    "<h1>The page is not built</h1>\n"
    "<p>skidpad host runs: it takes the telemetry of targets, records it if it was started with "
    "<code>--record</code>, and waits for pages. Only the page's own files are missing.</p>\n"
    "<p>In skidpad's source tree, with node and npm:</p>\n"
    "<pre>deploy/setup.sh web    # installs node and npm, if they are missing\n"
    "make web               # builds the page into host/web/dist</pre>\n"
    "<p>Then reload this page; the host need not be started again. A page that was built elsewhere "
    "is served with <code>skidpad host --web FOLDER</code>.</p>\n</body></html>\n";

void pages_serve_file(struct pages *p, struct web_connection *c)
{
    const struct web_request *r = &c->request;
    const char *path = r->path + 1; /* behind the slash */
    struct stat file;
    bool head_only = strcmp(r->method, "HEAD") == 0;
    if (!pages_host_is_own(p, c)) {
        pages_refuse(p, c, 403, "This server is not known by that name.");
        return;
    }
    if (!head_only && strcmp(r->method, "GET") != 0) {
        pages_refuse(p, c, 405, "Only GET is understood.");
        return;
    }
    if (path[0] == '\0')
        path = "index.html";
    const char *type = type_of(path);
    int fd = type && is_plain(path) ? open_below(p->setup.folder, path) : -1;
    if (fd >= 0 && (fstat(fd, &file) || !S_ISREG(file.st_mode))) {
        (void)close(fd);
        fd = -1;
    }
    if (fd >= 0) {
        send_file(c, fd, type, (long long)file.st_size, head_only);
        (void)close(fd);
    } else if (strcmp(path, "index.html") == 0) {
        send_text(c, not_built, head_only);
    } else {
        pages_refuse(p, c, 404, "There is no such file.");
    }
}
