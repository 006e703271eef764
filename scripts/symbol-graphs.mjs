// The public symbols of the libraries, as the compiler tells them of what `swift build` has left; nothing is compiled.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const swift = (...args) => execFileSync("swift", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28, stdio: "pipe" });

/** The modules in Swift that a library product carries into a program: its targets, and what these depend on, that first. */
export function libraryModules(build) {
  // It only reads, so it need not wait until nobody else uses the build folder, as the tests do.
  const { products, targets } = JSON.parse(swift("package", "--ignore-lock", "dump-package"));
  const byName = new Map(targets.map((target) => [target.name, target]));
  const seen = new Set();
  const found = [];
  const visit = (name) => {
    const target = byName.get(name);
    if (!target || target.type !== "regular" || seen.has(name)) return;
    seen.add(name);
    for (const dependency of target.dependencies) visit((dependency.byName ?? dependency.target ?? [])[0]);
    found.push(name);
  };
  for (const { type, targets } of products) if (type.library) targets.forEach(visit);
  return found.filter((name) => existsSync(join(build, `Modules/${name}.swiftmodule`)));
}

/** Writes what the compiler tells of a module's public symbols: its graph, and those of its extensions of other modules; their paths. */
export function writeGraphs(build, module, folder, ...options) {
  swift("symbolgraph-extract", "-module-name", module, ...importing(build),
    "-minimum-access-level", "public", "-skip-synthesized-members", ...options, "-output-dir", folder);
  return readdirSync(folder)
    .filter((name) => name === `${module}.symbols.json` || name.startsWith(`${module}@`))
    .map((name) => join(folder, name));
}

/**
 * The public symbols of graphs that have no documentation comment, and how many symbols there are. What overrides another symbol, or
 * fulfils a protocol that says what it is (`==`, `rawValue`), means the same as that one.
 */
export function undocumented(paths) {
  const missing = [];
  let count = 0;
  for (const { symbols, relationships } of paths.map((path) => JSON.parse(readFileSync(path, "utf8")))) {
    const overriding = new Set(relationships.filter(({ kind }) => kind === "overrides").map(({ source }) => source));
    for (const { identifier, kind, pathComponents, docComment, location } of symbols) {
      // Only what is in it is of this module.
      if (kind.identifier === "swift.extension") continue;
      count += 1;
      // What stands in no source is made by the compiler.
      if (!location || overriding.has(identifier.precise)) continue;
      if (docComment?.lines.some(({ text }) => text.trim())) continue;
      const file = relative(root, fileURLToPath(location.uri));
      missing.push(`${file}:${location.position.line + 1}: ${kind.displayName.toLowerCase()} ${pathComponents.join(".")}`);
    }
  }
  return { missing, count };
}

const known = new Map();

/** What a compiler needs to import the built modules. */
export function importing(build) {
  if (!known.has(build)) known.set(build, optionsToImport(build));
  return known.get(build);
}

function optionsToImport(build) {
  const { target } = JSON.parse(swift("-print-target-info"));
  const maps = readdirSync(build)
    .map((name) => join(build, name, "module.modulemap"))
    .filter((path) => existsSync(path));
  const sdk = process.platform === "darwin" ? ["-sdk", execFileSync("xcrun", ["--show-sdk-path"]).toString().trim()] : [];
  return ["-I", join(build, "Modules"), "-target", target.triple, ...sdk, ...maps.flatMap((map) => ["-Xcc", `-fmodule-map-file=${map}`]),
    ...handwrittenMaps().flatMap((path) => ["-I", path])];
}

/** Where the maps stand that are written by hand: those of system libraries, and of C targets that need one. */
const handwrittenMaps = () =>
  readdirSync(join(root, "Sources"))
    .flatMap((name) => ["", "include", "Embedded/include"].map((folder) => join(root, "Sources", name, folder)))
    .filter((path) => existsSync(join(path, "module.modulemap")));
