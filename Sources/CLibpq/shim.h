/* libpq, wrappers of its macros that Swift can't import, and the system calls that wait for its sockets. */
#ifndef CLIBPQ_SHIM_H
#define CLIBPQ_SHIM_H

/* Debian puts it into a subfolder; naming that here makes pkg-config unnecessary. */
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

/* For waiting for libpq's sockets; not in Swift's Glibc module. */
#include <sys/epoll.h>
#include <sys/eventfd.h>

/* The field codes are character macros, which Swift does not import. */
static inline const char *clibpq_sqlstate(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline const char *clibpq_constraint(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME);
}

static inline const char *clibpq_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

/* Always in English; the message is in the server's language. */
static inline const char *clibpq_severity(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
}

/* The file and the function of the server's source that reported the fault. */
static inline const char *clibpq_source_file(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SOURCE_FILE);
}

static inline const char *clibpq_source_function(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);
}

static void clibpq_ignore_notice(void *context, const PGresult *notice) {
    (void)context;
    (void)notice;
}

/* Without this libpq writes the server's notices to standard error. */
static inline void clibpq_silence_notices(PGconn *connection) {
    PQsetNoticeReceiver(connection, clibpq_ignore_notice, NULL);
}

#endif
