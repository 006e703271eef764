import Foundation
import PackagePlugin

/// Puts the files of the report page into the program that writes it, so that the program needs no file beside it.
@main
struct EmbedPage: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = target.directoryURL.appending(path: "Page")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { ["html", "css", "mjs"].contains($0.pathExtension) }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
    let output = context.pluginWorkDirectoryURL.appending(path: "PageFiles.swift")
    return [
      .buildCommand(
        displayName: "Embedding the report page",
        executable: try context.tool(named: "PageEmbedder").url,
        arguments: [output.path] + files.map(\.path), inputFiles: files, outputFiles: [output])
    ]
  }
}
