import { html, type Html } from "../html.ts";

/** The colours in which the field knows the most common languages. */
const colours: Readonly<Record<string, string>> = {
  C: "#555555",
  "C#": "#178600",
  "C++": "#f34b7d",
  CSS: "#663399",
  Clojure: "#db5855",
  Dart: "#00b4ab",
  Dockerfile: "#384d54",
  Elixir: "#6e4a7e",
  Erlang: "#b83998",
  Fortran: "#4d41b1",
  Go: "#00add8",
  HCL: "#844fba",
  HTML: "#e34c26",
  Haskell: "#5e5086",
  Java: "#b07219",
  JavaScript: "#d4b830",
  Julia: "#a270ba",
  Kotlin: "#a97bff",
  Lua: "#3a3ab0",
  Makefile: "#427819",
  Nix: "#7e7eff",
  OCaml: "#ef7a08",
  PHP: "#4f5d95",
  PLpgSQL: "#336790",
  Perl: "#0298c3",
  PowerShell: "#2a6fb5",
  Python: "#3572a5",
  R: "#198ce7",
  Ruby: "#a01a1a",
  Rust: "#c07048",
  SQL: "#b5651d",
  Scala: "#c22d40",
  Shell: "#6f9a3a",
  Svelte: "#ff3e00",
  Swift: "#f05138",
  TypeScript: "#3178c6",
  Vue: "#41b883",
  Zig: "#ec915c",
};

export function languageColour(name: string): string {
  return colours[name] ?? "#8892a0";
}

export function languageDot(name: string): Html {
  return html`<svg class="dot" viewBox="0 0 8 8" aria-hidden="true"><circle cx="4" cy="4" r="4" fill="${languageColour(name)}"/></svg>`;
}

/** The shares of the languages of a repository as a bar and a list, the largest first; `rows` are names and bytes. */
export function languageBar(rows: readonly { name: string; bytes: number }[]): Html | null {
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total === 0) {
    return null;
  }
  const shown = rows.slice(0, 7).map(({ name, bytes }) => ({ name, share: bytes / total }));
  const rest = 1 - shown.reduce((sum, { share }) => sum + share, 0);
  const all = rest > 0.0005 ? [...shown, { name: "Other", share: rest }] : shown;
  const label = all.map(({ name, share }) => `${name} ${(100 * share).toFixed(1)} %`);
  let x = 0;
  const bars = all.map(({ name, share }) => {
    const width = share * 280;
    const bar = html`<rect x="${x.toFixed(1)}" width="${Math.max(1, width - 1.5).toFixed(1)}" height="8" fill="${languageColour(name)}"/>`;
    x += width;
    return bar;
  });
  const items = all.map(
    ({ name, share }) =>
      html`<li class="line">${languageDot(name)}${name} <span class="faint num">${(100 * share).toFixed(1)} %</span></li>`,
  );
  return html`<svg class="languages" viewBox="0 0 280 8" preserveAspectRatio="none" role="img" aria-label="${label.join(", ")}">${bars}</svg><ul class="line flow soft small">${items}</ul>`;
}
