import TestService
import TestSupport
import Testing

/// A process that reaches its limit of open files is ended by the runtime, so the settings must fit the limit.
@Suite struct OpenFilesTests {
    @Test(arguments: [
        (["HANDLES_DATABASE_CONNECTIONS": "400"], "546"),
        (["HANDLES_DATABASE_CONNECTIONS": "200", "HANDLES_READ_URL": "host=/nonexistent"], "546"),
    ])
    func settingsThatNeedMoreThanTheSystemAllowsAreRefused(_ settings: [String: String], _ needed: String) async throws
    {
        let variables = ["DATABASE_URL": "host=/nonexistent", "HANDLES_ADMIN_KEY": "0123456789abcdef"]
        let ended = try await #require(throws: Service.Ended.self) {
            let service = try await Service(
                in: TemporaryFolder.make("files"), variables.merging(settings) { $1 }, openFiles: 512)
            await service.end(9)
        }
        #expect(ended.status == 64)
        for words in ["512", needed, "HANDLES_DATABASE_CONNECTIONS", "ulimit -n", "LimitNOFILE"] {
            #expect(ended.words.contains(words), "\(ended.words)")
        }
    }

    @Test func serviceStartsWhenItsSettingsFitTheOpenFileLimit() async throws {
        let service = try await Service(
            in: TemporaryFolder.make("files"), ["HANDLES_DATABASE_CONNECTIONS": "300"], openFiles: 512)
        #expect(await service.end(15) == 0)
    }
}
