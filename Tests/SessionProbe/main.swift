import Foundation
import Sessions

// Saves one version of a session after the other in the folder given, until it is killed, and writes a line for each.
// It imports what an app would, so it also shows what `Sessions` alone is linked with.
let storage = FileStorage(folder: URL(fileURLWithPath: CommandLine.arguments[1]))
var version = 0
while true {
    version += 1
    // From a few bytes to several pages: as many letters as the first line says.
    let length = version * 7_919 % 20_000
    try storage.save(Data("\(length)\n\(String(repeating: "x", count: length))".utf8))
    FileHandle.standardOutput.write(Data("\(version)\n".utf8))
}
