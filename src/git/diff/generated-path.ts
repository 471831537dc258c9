/** Files that programs write, and others' code that a repository keeps a copy of: the common ones, by their paths. */
const generated =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|go\.sum|composer\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|flake\.lock|mix\.lock|pubspec\.lock)$|\.min\.(?:js|css)$|\.(?:js|css)\.map$|(?:^|\/)(?:node_modules|vendor)\//;

export function isGeneratedPath(path: string): boolean {
  return generated.test(path);
}
