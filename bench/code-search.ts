import { Type } from "typebox";
import { Value } from "typebox/value";
import { median } from "./support/statistics.ts";
import type { StithyServer } from "./support/stithy-server.ts";

const rounds = 9;

const answer = Type.Object({ total_count: Type.Integer(), incomplete_results: Type.Boolean() });

/** One kind of search. Each round asks for something else, because the server keeps results. */
export interface SearchFigures {
  label: string;
  files: number;
  medianMs: number;
  maxMs: number;
}

/** How long searches in all files of a repository take that nobody asked for before, and one whose result is known. */
export async function measureCodeSearch(server: StithyServer, repository: string): Promise<SearchFigures[]> {
  const api = `${server.url}/api/v1/repos/${repository}/grep`;
  const search = async (parameters: Record<string, string>): Promise<{ files: number; ms: number }> => {
    const started = performance.now();
    const response = await fetch(`${api}?${new URLSearchParams(parameters)}`);
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const found = Value.Parse(answer, await response.json());
    return { files: found.total_count, ms: performance.now() - started };
  };
  const measure = async (
    label: string,
    parametersOf: (round: number) => Record<string, string>,
  ): Promise<SearchFigures> => {
    const results: { files: number; ms: number }[] = [];
    for (let round = 0; round < rounds; round++) results.push(await search(parametersOf(round)));
    const times = results.map(({ ms }) => ms);
    return { label, files: results[0]?.files ?? 0, medianMs: median(times), maxMs: Math.max(...times) };
  };
  await search({ q: "warm up" });
  return [
    // Another number of lines around makes another search.
    await measure("a text that is in no file", (round) => ({ q: `no such text ${round}` })),
    await measure("a word", (round) => ({ q: "function", word: "true", context: String(round) })),
    await measure("an expression", (round) => ({ q: "[a-z]+\\(.*\\) ?\\{", regex: "true", context: String(round) })),
    await measure("an expression that others take for ever", (round) => ({
      q: `(a|b)*a(a|b){${10 + round}}#`,
      regex: "true",
    })),
    await measure("a word again", () => ({ q: "function", word: "true" })),
  ];
}
