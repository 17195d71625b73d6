// Reads a refusal, from a file, with the types that openapi-generator made.

import java.io.File
import kotlinx.serialization.json.Json
import org.openapitools.client.models.Problem
import org.openapitools.client.models.ProblemCode
import org.openapitools.client.models.ReasonCode
import org.openapitools.client.models.State

private val json = Json { ignoreUnknownKeys = true }

fun main(arguments: Array<String>) {
    val text = File(arguments[0]).readText()
    val problem = json.decodeFromString<Problem>(text)
    check(problem.status == 409 && problem.code == ProblemCode.taken) { problem }
    val reason = problem.reasons!!.single()
    check(reason.code == ReasonCode.taken && reason.state == State.claimed) { reason }
    val unknown = json.decodeFromString<Problem>(text.replace("\"taken\"", "\"later\""))
    check(unknown.code == ProblemCode.unknown_default_open_api) { unknown }
}
