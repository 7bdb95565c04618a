// libcurl, loaded when it is first needed.
//
// Linked in the usual way it brings thirty libraries into every start of the program, a stub bank's too, which needs none
// of them. The functions are libcurl's own, by their names with a c before; the variadic ones, which Swift cannot call,
// have one for each type of argument.
#ifndef COUNTERFOIL_CCURL_H
#define COUNTERFOIL_CCURL_H

#define CURL_DISABLE_TYPECHECK
// Newer headers mark names as deprecated for clang too, and our warnings are errors.
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <stdbool.h>

typedef size_t (*ccurl_data_callback)(char *data, size_t size, size_t count, void *box);
typedef int (*ccurl_prereq_callback)(void *box, char *remote_ip, char *local_ip, int remote_port, int local_port);
typedef int (*ccurl_socket_callback)(void *box, curl_socket_t socket, curlsocktype purpose);

// Loads libcurl, once. CURLE_FAILED_INIT if it is not on this machine or lacks a function; nothing else may be called then.
CURLcode ccurl_global_init(long flags);

CURL *ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *easy);
void ccurl_easy_reset(CURL *easy);
const char *ccurl_easy_strerror(CURLcode code);
void ccurl_free(void *text);

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text);
void ccurl_slist_free_all(struct curl_slist *list);

CURLM *ccurl_multi_init(void);
CURLMcode ccurl_multi_cleanup(CURLM *multi);
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode ccurl_multi_perform(CURLM *multi, int *running);
CURLMcode ccurl_multi_poll(CURLM *multi, struct curl_waitfd *extra, unsigned int count, int milliseconds, int *ready);
CURLMcode ccurl_multi_wakeup(CURLM *multi);
CURLMsg *ccurl_multi_info_read(CURLM *multi, int *left);

CURLU *ccurl_url(void);
void ccurl_url_cleanup(CURLU *url);
CURLUcode ccurl_url_get(const CURLU *url, CURLUPart part, char **text, unsigned int flags);
CURLUcode ccurl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags);

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value);
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *value);
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode ccurl_set_data_callback(CURL *easy, CURLoption option, ccurl_data_callback callback);
CURLcode ccurl_set_prereq_callback(CURL *easy, ccurl_prereq_callback callback);
CURLcode ccurl_set_socket_callback(CURL *easy, ccurl_socket_callback callback);
CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value);
CURLcode ccurl_get_string(CURL *easy, CURLINFO info, const char **value);

// True if TLS's ALPN agreed on HTTP/2 for the connection that the transfer has at this moment: to be asked within a
// callback. CURLINFO_HTTP_VERSION does not show it: in 7.88.1 it repeats what the status line claims. If the TLS library is not
// OpenSSL, its word cannot be had, and the claim is taken for true.
bool ccurl_agreed_on_http2(CURL *easy);

#endif
