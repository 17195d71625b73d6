import CLibpq
import Testing

@testable import Postgres

@Suite struct SessionStatusTests {
    @Test func statusIsOneValueOfThreeReports() {
        let cases: [(ConnStatusType, PGTransactionStatusType, PGpipelineStatus, SessionStatus)] = [
            (CONNECTION_OK, PQTRANS_IDLE, PQ_PIPELINE_OFF, .idle),
            (CONNECTION_OK, PQTRANS_INTRANS, PQ_PIPELINE_OFF, .inTransaction),
            (CONNECTION_OK, PQTRANS_INERROR, PQ_PIPELINE_OFF, .inFailedTransaction),
            (CONNECTION_OK, PQTRANS_ACTIVE, PQ_PIPELINE_OFF, .busy),
            // A pipeline that has not been ended, in which the next statement would wait until its deadline.
            (CONNECTION_OK, PQTRANS_IDLE, PQ_PIPELINE_ON, .busy),
            (CONNECTION_OK, PQTRANS_INERROR, PQ_PIPELINE_ABORTED, .busy),
            (CONNECTION_OK, PQTRANS_UNKNOWN, PQ_PIPELINE_OFF, .broken),
            (CONNECTION_BAD, PQTRANS_IDLE, PQ_PIPELINE_OFF, .broken),
            (CONNECTION_STARTED, PQTRANS_IDLE, PQ_PIPELINE_OFF, .busy),
        ]
        for (connection, transaction, pipeline, status) in cases {
            #expect(SessionStatus(connection, transaction, pipeline) == status)
        }
    }
}
