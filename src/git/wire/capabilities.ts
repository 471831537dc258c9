import { ProtocolError } from "./protocol-error.ts";

/*
 * A capability list is words separated by spaces, each `name` or `name=value`. A name may appear more than once
 * (symref). Protocol v0 hangs the list behind a NUL on the first line of a list, v2 gives each its own line.
 * Source: gitprotocol-capabilities(5).
 */
export class Capabilities {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** The first value given for the name, null when it is absent or has no value. */
  find(name: string): string | null {
    return this.#values.get(name)?.[0] ?? null;
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  names(): readonly string[] {
    return [...this.#values.keys()];
  }
}

const maxCapabilities = 256;

/** Reads a list. Throws ProtocolError for more words than any client has reason to send. */
export function parseCapabilities(text: string | readonly string[]): Capabilities {
  const words = typeof text === "string" ? text.split(" ") : text;
  if (words.length > maxCapabilities) {
    throw new ProtocolError(`A list of ${words.length} capabilities is longer than ${maxCapabilities}`);
  }
  const values = new Map<string, string[]>();
  for (const word of words) {
    if (word === "") {
      continue;
    }
    const equals = word.indexOf("=");
    const name = equals < 0 ? word : word.slice(0, equals);
    const list = values.get(name) ?? [];
    if (equals >= 0) {
      list.push(word.slice(equals + 1));
    }
    values.set(name, list);
  }
  return new Capabilities(values);
}

/** The words of a list, in the order given; `true` stands for a name without a value. */
export function writeCapabilities(list: readonly (readonly [name: string, value: string | true])[]): string[] {
  return list.map(([name, value]) => (value === true ? name : `${name}=${value}`));
}

/** An agent string may hold only printable ASCII without spaces; other characters become dots, as git does. */
export function agentValue(agent: string): string {
  return agent.replace(/[^\x21-\x7e]/g, ".");
}

/** The client's description of itself, fit for a log: short, of printable ASCII; null if there is none. */
export interface ClientDescription {
  /** its program, as in `git/2.39.5` */
  readonly agent: string | null;
  /** how it names the conversation in its own log (`transfer.advertiseSID`) */
  readonly session: string | null;
}

const longestDescription = 128;

export function describeClient(capabilities: Capabilities): ClientDescription {
  return { agent: describe(capabilities.find("agent")), session: describe(capabilities.find("session-id")) };
}

function describe(value: string | null): string | null {
  return value === null ? null : agentValue(value.slice(0, longestDescription));
}
