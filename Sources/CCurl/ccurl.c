#include "ccurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define FUNCTIONS(each) \
    each(global_init) each(easy_init) each(easy_cleanup) each(easy_reset) each(easy_strerror) each(easy_setopt) each(easy_getinfo) each(free) \
    each(slist_append) each(slist_free_all) each(multi_init) each(multi_cleanup) each(multi_add_handle) \
    each(multi_remove_handle) each(multi_perform) each(multi_poll) each(multi_wakeup) each(multi_info_read) \
    each(url) each(url_cleanup) each(url_get) each(url_set)

#define FIELD(name) __typeof__(&curl_##name) name;
static struct { FUNCTIONS(FIELD) } lib;
// OpenSSL's, found among the libraries that libcurl has brought; NULL if it uses another TLS.
static void (*alpn_selected)(const void *ssl, const unsigned char **name, unsigned int *length) = NULL;
static bool loaded = false;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#ifdef __APPLE__
static const char *const names[] = { "libcurl.4.dylib", "/usr/lib/libcurl.4.dylib" };
#else
static const char *const names[] = { "libcurl.so.4", "libcurl.so" };
#endif

static void load(void) {
    void *handle = NULL;
    for (size_t i = 0; handle == NULL && i < sizeof names / sizeof names[0]; i++) handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return;
    loaded = true;
#define LOOK_UP(name) lib.name = (__typeof__(&curl_##name))dlsym(handle, "curl_" #name); loaded = loaded && lib.name != NULL;
    FUNCTIONS(LOOK_UP)
    alpn_selected = (__typeof__(alpn_selected))dlsym(handle, "SSL_get0_alpn_selected");
}

CURLcode ccurl_global_init(long flags) {
    pthread_once(&once, load);
    return loaded ? lib.global_init(flags) : CURLE_FAILED_INIT;
}

CURL *ccurl_easy_init(void) {
    pthread_once(&once, load);
    return loaded ? lib.easy_init() : NULL;
}
void ccurl_easy_cleanup(CURL *easy) { lib.easy_cleanup(easy); }
void ccurl_easy_reset(CURL *easy) { lib.easy_reset(easy); }
const char *ccurl_easy_strerror(CURLcode code) { return loaded ? lib.easy_strerror(code) : "libcurl (libcurl4) is not on this machine"; }
void ccurl_free(void *text) { lib.free(text); }

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text) { return lib.slist_append(list, text); }
void ccurl_slist_free_all(struct curl_slist *list) { lib.slist_free_all(list); }

CURLM *ccurl_multi_init(void) {
    pthread_once(&once, load);
    return loaded ? lib.multi_init() : NULL;
}
CURLMcode ccurl_multi_cleanup(CURLM *multi) { return lib.multi_cleanup(multi); }
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy) { return lib.multi_add_handle(multi, easy); }
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy) { return lib.multi_remove_handle(multi, easy); }
CURLMcode ccurl_multi_perform(CURLM *multi, int *running) { return lib.multi_perform(multi, running); }
CURLMcode ccurl_multi_poll(CURLM *multi, struct curl_waitfd *extra, unsigned int count, int milliseconds, int *ready) {
    return lib.multi_poll(multi, extra, count, milliseconds, ready);
}
CURLMcode ccurl_multi_wakeup(CURLM *multi) { return lib.multi_wakeup(multi); }
CURLMsg *ccurl_multi_info_read(CURLM *multi, int *left) { return lib.multi_info_read(multi, left); }

CURLU *ccurl_url(void) {
    pthread_once(&once, load);
    return loaded ? lib.url() : NULL;
}
void ccurl_url_cleanup(CURLU *url) { lib.url_cleanup(url); }
CURLUcode ccurl_url_get(const CURLU *url, CURLUPart part, char **text, unsigned int flags) { return lib.url_get(url, part, text, flags); }
CURLUcode ccurl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags) { return lib.url_set(url, part, text, flags); }

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) { return lib.easy_setopt(easy, option, value); }
CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) { return lib.easy_setopt(easy, option, value); }
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) { return lib.easy_setopt(easy, option, value); }
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *value) { return lib.easy_setopt(easy, option, value); }
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) { return lib.easy_setopt(easy, option, value); }
CURLcode ccurl_set_data_callback(CURL *easy, CURLoption option, ccurl_data_callback callback) {
    return lib.easy_setopt(easy, option, callback);
}
CURLcode ccurl_set_prereq_callback(CURL *easy, ccurl_prereq_callback callback) {
    return lib.easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}
CURLcode ccurl_set_socket_callback(CURL *easy, ccurl_socket_callback callback) {
    return lib.easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, callback);
}
CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) { return lib.easy_getinfo(easy, info, value); }
CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) { return lib.easy_getinfo(easy, info, value); }
CURLcode ccurl_get_string(CURL *easy, CURLINFO info, const char **value) { return lib.easy_getinfo(easy, info, value); }
bool ccurl_agreed_on_http2(CURL *easy) {
    struct curl_tlssessioninfo *tls = NULL;
    if (alpn_selected == NULL || lib.easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &tls) != CURLE_OK) return true;
    if (tls == NULL || tls->backend != CURLSSLBACKEND_OPENSSL) return true;
    if (tls->internals == NULL) return false;
    const unsigned char *name = NULL;
    unsigned int length = 0;
    alpn_selected(tls->internals, &name, &length);
    return length == 2 && memcmp(name, "h2", 2) == 0;
}
