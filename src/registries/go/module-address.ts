import { modulePathFault, unescapeModule } from "../../domain/packages/go-modules/module-path.ts";

/** A request about a module. */
export interface ModuleQuestion {
  /** All versions, or of one of them: its time, its go.mod, its zip. */
  readonly what: "list" | "info" | "mod" | "zip";
  /** Null for the latest one. */
  readonly version: string | null;
}

export interface ModuleAddress {
  readonly module: string;
  readonly asked: ModuleQuestion;
}

const form = /^(.+)\/@(?:latest|v\/(list|[^/]+\.(?:info|mod|zip)))$/;

/**
 * Reads the part of an address behind the registry's own, decoded, such as `example.org/!tool/@v/v1.0.0.info`. Null for
 * what no registry of modules has. Source: the Go modules reference, "GOPROXY protocol".
 */
export function parseModuleAddress(path: string): ModuleAddress | null {
  const [, escaped = "", file] = form.exec(path) ?? [];
  const module = unescapeModule(escaped);
  if (module === null || modulePathFault(module) !== null) {
    return null;
  }
  if (file === undefined || file === "list") {
    return { module, asked: { what: file ?? "info", version: null } };
  }
  const dot = file.lastIndexOf(".");
  const what = file.slice(dot + 1) as "info" | "mod" | "zip";
  const version = unescapeModule(file.slice(0, dot));
  return version === null ? null : { module, asked: { what, version: version === "latest" ? null : version } };
}
