// curl_loop URL REQUESTS JOBS AGENT: GETs on libcurl's multi interface with nothing around it; what `counterfoil client load` is
// measured beside. One thread, one easy handle for each job, set up once and used again; the body is gathered, the status and
// the presence of a body are checked. Prints one line of JSON, as `counterfoil client load` does.
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct job {
    CURL *easy;
    char *body;
    size_t length, room;
};

static size_t take(char *data, size_t size, size_t count, void *box) {
    struct job *job = box;
    size_t bytes = size * count;
    if (job->length + bytes > job->room) {
        job->room = 2 * (job->length + bytes);
        job->body = realloc(job->body, job->room);
        if (job->body == NULL) return 0;
    }
    memcpy(job->body + job->length, data, bytes);
    job->length += bytes;
    return bytes;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

// Bytes of the process in memory; 0 where there is no /proc.
static long resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static int fail(const char *what) {
    fprintf(stderr, "curl_loop: %s\n", what);
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 5) return fail("usage: curl_loop URL REQUESTS JOBS AGENT");
    long wanted = atol(argv[2]), jobs = atol(argv[3]), started = 0, ended = 0, tenth = 0;
    if (wanted < 1 || jobs < 1) return fail("expected at least one request and one job");
    curl_global_init(CURL_GLOBAL_SSL);
    CURLM *multi = curl_multi_init();
    struct job *all = calloc(jobs, sizeof *all);
    if (multi == NULL || all == NULL) return fail("out of memory");
    double began = now();
    for (long i = 0; i < jobs && started < wanted; i++, started++) {
        all[i].easy = curl_easy_init();
        curl_easy_setopt(all[i].easy, CURLOPT_URL, argv[1]);
        curl_easy_setopt(all[i].easy, CURLOPT_USERAGENT, argv[4]);
        curl_easy_setopt(all[i].easy, CURLOPT_PROXY, "");
        curl_easy_setopt(all[i].easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(all[i].easy, CURLOPT_TIMEOUT_MS, 5000L);
        curl_easy_setopt(all[i].easy, CURLOPT_WRITEFUNCTION, take);
        curl_easy_setopt(all[i].easy, CURLOPT_WRITEDATA, &all[i]);
        curl_easy_setopt(all[i].easy, CURLOPT_PRIVATE, &all[i]);
        curl_multi_add_handle(multi, all[i].easy);
    }
    while (ended < wanted) {
        int running, left;
        CURLMsg *message;
        curl_multi_perform(multi, &running);
        while ((message = curl_multi_info_read(multi, &left)) != NULL) {
            struct job *job;
            long status = 0;
            CURL *easy = message->easy_handle;
            if (message->data.result != CURLE_OK) return fail(curl_easy_strerror(message->data.result));
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, &job);
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            if (status != 200 || job->length == 0) return fail("found an answer that is no 200 with a body");
            curl_multi_remove_handle(multi, easy);
            job->length = 0;
            if (++ended == (wanted + 9) / 10) tenth = resident();
            if (started < wanted) {
                started++;
                curl_multi_add_handle(multi, easy);
            }
        }
        if (ended < wanted) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    printf("{\"requests\": %ld, \"seconds\": %.6f, \"residentAtTenth\": %ld, \"residentAtEnd\": %ld}\n", ended, now() - began, tenth,
           resident());
    return 0;
}
