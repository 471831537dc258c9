import { expect } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import { inParallel } from "../support/in-parallel.ts";
import { isThorough } from "../support/thorough.ts";
import { refusedToAll } from "./expectations.ts";
import { fill, namesOnly, type Operation } from "./operations.ts";
import type { Outcome } from "./rules.ts";

/** Asks the cells of the security matrix: what a call as somebody meets, and whether that is what is expected. */

/** What happened, in the words of the expectations; anything else is told as it is. */
type Seen = Outcome | "invalid-credential" | "scope-missing";

export interface Call {
  operation: Operation;
  /** Values of the path's parameters that exist. */
  values: Record<string, string>;
  /** The same for a target that does not exist; null where the target is the server itself. */
  absentValues: Record<string, string> | null;
}

interface Answer {
  status: number;
  text: string;
}

async function send(client: ApiClient, { operation }: Call, values: Record<string, string>): Promise<Answer> {
  // What cannot be read is looked at last, so whoever gets as far as that may do it, and has not.
  const broken = operation.hasBody ? { body: "{", headers: { "content-type": "application/json" } } : {};
  const response = await client.fetch(operation.method, fill(operation, values), broken);
  return { status: response.status, text: await response.text() };
}

function withoutNames({ text }: Answer, values: Record<string, string>): string {
  return Object.values(values).reduce(
    (left, value) => left.replaceAll(new RegExp(`\\b${value}\\b`, "g"), "<name>"),
    text,
  );
}

/** Writes that name nothing but their target would happen, so they are sent where they are to be refused only. */
function wouldHappen({ operation, values }: Call): boolean {
  return operation.method !== "GET" && !operation.hasBody && namesOnly(operation, values);
}

/** A call as somebody, and what they are to see. */
export type Case = readonly [who: string, client: ApiClient, call: Call, expected: Seen];

export class MatrixCells {
  /** How often each outcome was expected and seen. */
  readonly counts = new Map<string, number>();
  readonly #absentAnswers = new Map<string, Promise<Answer>>();
  readonly #asksAll = isThorough();

  /** What somebody is told of a target that does not exist. It is asked for once: several targets are compared with it. */
  #askAbsent(who: string, client: ApiClient, call: Call, values: Record<string, string>): Promise<Answer> {
    const key = `${who} ${call.operation.method} ${fill(call.operation, values)}`;
    const answer = this.#absentAnswers.get(key) ?? send(client, call, values);
    this.#absentAnswers.set(key, answer);
    return answer;
  }

  async #meet(who: string, client: ApiClient, call: Call): Promise<Seen | string> {
    const answer = await send(client, call, call.values);
    const { status, text } = answer;
    if (status === 401) {
      return text.includes("token is required") ? "sign-in" : "invalid-credential";
    }
    if (status === 403) {
      return text.includes("does not have the required scope") ? "scope-missing" : "forbidden";
    }
    if (status >= 500) {
      return `${status} ${text}`;
    }
    if (status !== 404 || call.absentValues === null) {
      return "allowed";
    }
    const absent = await this.#askAbsent(who, client, call, call.absentValues);
    const same = absent.status === 404 && withoutNames(absent, call.absentValues) === withoutNames(answer, call.values);
    return same ? "hidden" : "allowed";
  }

  async #check([who, client, call, expected]: Case): Promise<void> {
    const { operation } = call;
    if (expected === "allowed" && wouldHappen(call)) {
      return;
    }
    const seen = await this.#meet(who, client, call);
    // A question answers no where there is nothing to ask about.
    const isNo = operation.isQuestion && expected === "allowed" && seen === "hidden";
    // A token of somebody who administers nothing has not the scope for it, whatever was asked for.
    const isForbidden = operation.kind === "administer-site" && expected === "forbidden" && seen === "scope-missing";
    const isRefused =
      refusedToAll.includes(`${operation.method} ${operation.path}`) && expected === "allowed" && seen === "forbidden";
    const acceptable = isNo || isForbidden || isRefused ? expected : seen;
    const what = `${operation.method} ${fill(operation, call.values)} as ${who}`;
    expect({ what, seen: acceptable }).toEqual({ what, seen: expected });
    this.counts.set(expected, (this.counts.get(expected) ?? 0) + 1);
  }

  /**
   * Checks what the generator tells of. The short run asks one of the cells of an operation that have one expectation and
   * one rule: the first for each name that `ruleOf` returns, which is by default who calls.
   */
  checkAll(
    cases: () => Generator<Case>,
    ruleOf: (who: string, operation: Operation) => string = (who) => who,
  ): Promise<void> {
    const asked = new Set<string>();
    const isNew = ([who, , { operation }, expected]: Case): boolean => {
      const cell = `${operation.method} ${operation.path} ${expected} ${ruleOf(who, operation)}`;
      return this.#asksAll || asked.size < asked.add(cell).size;
    };
    return inParallel(cases().filter(isNew), (cell) => this.#check(cell));
  }
}
