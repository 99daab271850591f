#include "shared/wire/seal.h"

#include "shared/base/folders.h"

#include <errno.h>
#include <fcntl.h>
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

int seal_key_make(const char *path, struct err *e)
{
    struct seal_key key;
    char text[2 * SEAL_KEY + 1];
    seal_random(&key, sizeof key);
    (void)sodium_bin2hex(text, sizeof text, key.bytes, sizeof key.bytes);
    text[2 * SEAL_KEY] = '\n';
    folders_make(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_set(e, -errno, "%s: %s", path,
                       errno == EEXIST ? "there is such a file already; a key is never overwritten"
                                       : strerror(errno));
    errno = 0;
    ssize_t wrote = write(fd, text, sizeof text);
    int error = wrote == (ssize_t)sizeof text ? 0 : errno ? errno : EIO;
    if (close(fd) && !error)
        error = errno;
    if (error)
        (void)unlink(path); /* half a key would be in the way of the next */
    sodium_memzero(text, sizeof text);
    sodium_memzero(&key, sizeof key);
    return error ? err_set(e, -error, "%s: %s", path, strerror(error)) : 0;
}

int seal_key_load(const char *path, struct seal_key *key, struct err *e)
{
    char text[2 * SEAL_KEY + 2] = "";
    struct stat file;
    size_t bytes = 0;
    const char *end = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &file)) {
        int error = errno;
        if (fd >= 0)
            (void)close(fd);
        return err_set(e, -error, "%s: %s; `skidpad host --new-key FILE` makes a key", path,
                       strerror(error));
    }
    ssize_t got = read(fd, text, sizeof text);
    (void)close(fd);
    if ((file.st_mode & 077) != 0)
        return err_set(e, -EPERM, "%s: others may read this key; chmod 600 it", path);
    if (sodium_init() < 0 || got < 2 * SEAL_KEY ||
        (got > 2 * SEAL_KEY && text[2 * SEAL_KEY] != '\n') || got > 2 * SEAL_KEY + 1 ||
        sodium_hex2bin(key->bytes, sizeof key->bytes, text, 2 * SEAL_KEY, NULL, &bytes, &end) ||
        bytes != SEAL_KEY)
        return err_set(e, -EBADMSG, "%s: a key file holds %d hexadecimal digits", path,
                       2 * SEAL_KEY);
    sodium_memzero(text, sizeof text);
    return 0;
}

bool seal_key_default(char *path, size_t size)
{
    const char *named = getenv("SKIDPAD_KEY"), *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    int wrote = -1;
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
