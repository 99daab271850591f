#include "shared/wire/seal.h"

#include "shared/base/folders.h"
#include "shared/base/io.h"
#include "shared/base/used_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void seal_random(void *bytes, size_t count)
{
    if (sodium_init() < 0)
        abort(); /* no random numbers on this system: nothing here can work */
    randombytes_buf(bytes, count);
}

/* A new file that is there whole or not at all, since others may look for it at the same time.
 * Returns 0 or an errno. */
static int write_once(const char *path, const void *bytes, size_t count)
{
    char part[PATH_MAX];
    if (snprintf(part, sizeof part, "%s.XXXXXX", path) >= (int)sizeof part)
        return ENAMETOOLONG;
    int fd = mkostemp(part, O_CLOEXEC); /* for its owner only */
    if (fd < 0)
        return errno;
    int error = -io_write(fd, bytes, count);
    if (close(fd) && !error)
        error = errno;
    if (!error && link(part, path))
        error = errno;
    (void)unlink(part);
    return error;
}

int seal_key_make(const char *path, struct err *e)
{
    struct seal_key key;
    char text[2 * SEAL_KEY + 1];
    seal_random(&key, sizeof key);
    (void)sodium_bin2hex(text, sizeof text, key.bytes, sizeof key.bytes);
    text[2 * SEAL_KEY] = '\n';
    folders_make(path);
    int error = write_once(path, text, sizeof text);
    sodium_memzero(text, sizeof text);
    sodium_memzero(&key, sizeof key);
    return error ? err_set(e, -error, "%s: %s", path,
                           error == EEXIST
                               ? "there is such a file already; a key is never overwritten"
                               : strerror(error))
                 : 0;
}

/* The user who called sudo, or this one. */
static uid_t caller(void)
{
    const char *text = geteuid() == 0 ? getenv("SUDO_UID") : NULL;
    char *end = NULL;
    unsigned long id = text ? strtoul(text, &end, 10) : 0;
    return text && end != text && *end == '\0' && id < UINT32_MAX ? (uid_t)id : geteuid();
}

static bool is_own(uid_t owner)
{
    return owner == geteuid() || owner == 0 || owner == caller();
}

int seal_file_check(int fd, const char *path, struct err *e)
{
    struct stat file, folder;
    const char *slash = strrchr(path, '/');
    char above[PATH_MAX] = ".";
    if (slash)
        (void)snprintf(above, sizeof above, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    if (fstat(fd, &file) || stat(above, &folder))
        return err_set(e, -errno, "%s: %s", path, strerror(errno));
    if (!S_ISREG(file.st_mode))
        return err_set(e, -EPERM, "%s: is no plain file", path);
    if ((file.st_mode & 077) != 0)
        return err_set(e, -EPERM, "%s: others may read or change it; chmod 600 it", path);
    /* In a sticky folder only the owner of a file can put another in its place. */
    bool open_to_all = (folder.st_mode & S_IWOTH) && !(folder.st_mode & S_ISVTX);
    bool open_to_group =
        (folder.st_mode & S_IWGRP) && !(folder.st_mode & S_ISVTX) && folder.st_gid != getegid();
    if (!is_own(file.st_uid) || !is_own(folder.st_uid))
        return err_set(e, -EPERM, "%s: it or its folder belongs to another user", path);
    if (open_to_all || open_to_group)
        return err_set(e, -EPERM, "%s: others may change its folder; chmod go-w %s", path, above);
    return 0;
}

int seal_key_load(const char *path, struct seal_key *key, struct err *e)
{
    char text[2 * SEAL_KEY + 2] = "";
    size_t bytes = 0;
    const char *end = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_set(e, -errno, "%s: %s; `skidpad host --new-key FILE` makes a key", path,
                       strerror(errno));
    used_files_note(fd, path, USED_AS_INPUT);
    int bad = seal_file_check(fd, path, e);
    ssize_t got = bad ? 0 : io_read(fd, text, sizeof text);
    (void)close(fd);
    if (bad)
        return bad;
    if (sodium_init() < 0 || got < 2 * SEAL_KEY ||
        (got > 2 * SEAL_KEY && text[2 * SEAL_KEY] != '\n') || got > 2 * SEAL_KEY + 1 ||
        sodium_hex2bin(key->bytes, sizeof key->bytes, text, 2 * SEAL_KEY, NULL, &bytes, &end) ||
        bytes != SEAL_KEY)
        return err_set(e, -EBADMSG, "%s: a key file holds %d hexadecimal digits", path,
                       2 * SEAL_KEY);
    sodium_memzero(text, sizeof text);
    return 0;
}

/* The key of the user who called sudo, if that one has a key. */
static bool caller_key(char *path, size_t size)
{
    /* At the start, by one thread. */
    /* cppcheck-suppress getpwuidCalled */
    const struct passwd *user = caller() != geteuid() ? getpwuid(caller()) : NULL;
    int wrote = user ? snprintf(path, size, "%s/.config/skidpad/key", user->pw_dir) : -1;
    return wrote > 0 && (size_t)wrote < size && access(path, F_OK) == 0;
}

bool seal_key_default(char *path, size_t size)
{
    const char *named = getenv("SKIDPAD_KEY"), *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    int wrote = -1;
    if ((!named || !named[0]) && caller_key(path, size))
        return true;
    if (named && named[0])
        wrote = snprintf(path, size, "%s", named);
    else if (config && config[0] == '/')
        wrote = snprintf(path, size, "%s/skidpad/key", config);
    else if (home && home[0] == '/')
        wrote = snprintf(path, size, "%s/.config/skidpad/key", home);
    return wrote > 0 && (size_t)wrote < size;
}

void seal_session(const struct seal_key *key, uint64_t run, const uint8_t host[SEAL_NONCE],
                  const uint8_t target[SEAL_NONCE], struct seal_key *session)
{
    struct {
        char what[16];
        uint64_t run;
        uint8_t host[SEAL_NONCE], target[SEAL_NONCE];
    } text = {.what = "skidpad session", .run = run};
    memcpy(text.host, host, SEAL_NONCE);
    memcpy(text.target, target, SEAL_NONCE);
    seal_make(key, &text, sizeof text, session->bytes);
}

void seal_make(const struct seal_key *key, const void *bytes, size_t count,
               uint8_t seal[SEAL_BYTES])
{
    (void)crypto_generichash(seal, SEAL_BYTES, bytes, count, key->bytes, sizeof key->bytes);
}

bool seal_is_right(const struct seal_key *key, const void *bytes, size_t count,
                   const uint8_t seal[SEAL_BYTES])
{
    uint8_t own[SEAL_BYTES];
    seal_make(key, bytes, count, own);
    return sodium_memcmp(own, seal, SEAL_BYTES) == 0;
}

void seal_tag(const struct seal_key *key, const struct seal_part *parts, int count,
              uint8_t tag[SEAL_TAG])
{
    crypto_generichash_state state;
    (void)crypto_generichash_init(&state, key->bytes, sizeof key->bytes, SEAL_TAG);
    for (int i = 0; i < count; i++)
        if (parts[i].bytes > 0)
            (void)crypto_generichash_update(&state, parts[i].at, parts[i].bytes);
    (void)crypto_generichash_final(&state, tag, SEAL_TAG);
}

bool seal_tag_is_right(const struct seal_key *key, const struct seal_part *all,
                       const uint8_t tag[SEAL_TAG])
{
    uint8_t own[SEAL_TAG];
    seal_tag(key, all, 1, own);
    return sodium_memcmp(own, tag, SEAL_TAG) == 0;
}
