import { plainNames } from "./env.ts";
import { Settings } from "./settings.ts";

/** A variable of the environment that begins with STITHY_ and is no setting. */
export interface IgnoredVariable {
  name: string;
  /** The variables that may have been meant; none if another program made this one. */
  meant: string[];
}

/** Kubernetes describes every service to every container: that of a service named "stithy" begins with STITHY_. */
const ofKubernetes = /_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?$/;
const kubernetesAddress = /^(tcp|udp|sctp):\/\//;
/** More letters than this make it another word. */
const typingErrors = 2;

const names = Object.entries(Settings.properties as Record<string, { properties: object }>).flatMap(
  ([section, { properties }]) => Object.keys(properties).map((key) => ({ section, key })),
);

/**
 * Returns a variable that is no setting, with what may have been meant: a setting whose section and key are joined by one
 * underscore, a key without its section, or a name with up to two wrong letters.
 */
export function describeIgnored({ name, value }: { name: string; value: string }): IgnoredVariable {
  if (ofKubernetes.test(name) || kubernetesAddress.test(value)) {
    return { name, meant: [] };
  }
  const rest = name.slice("STITHY_".length).toLowerCase();
  const exact = names.filter(({ section, key }) => rest === `${section}_${key}` || rest === key);
  if (exact.length > 0) {
    return { name, meant: exact.map(variableOf) };
  }
  const near = [...plainNames, ...names.map(variableOf)].filter((known) => distance(name, known) <= typingErrors);
  return { name, meant: near.slice(0, 3) };
}

/** Returns the setting that a section and key may have meant, such as `server.port`; null if none is near. */
export function nearSetting(section: string, key: string): string | null {
  const wanted = `${section}.${key}`;
  const near = names.find((one) => distance(wanted, `${one.section}.${one.key}`) <= typingErrors);
  const elsewhere = names.filter((one) => one.key === key);
  const found = near ?? (elsewhere.length === 1 ? elsewhere[0] : undefined);
  return found === undefined ? null : `${found.section}.${found.key}`;
}

function variableOf({ section, key }: { section: string; key: string }): string {
  return `STITHY_${section.toUpperCase()}__${key.toUpperCase()}`;
}

/** Returns how many letters have to be put in, left out or changed (Levenshtein); one more than `typingErrors` at most. */
function distance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > typingErrors) {
    return typingErrors + 1;
  }
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 1; at <= left.length; at++) {
    const next = [at];
    for (let index = 1; index <= right.length; index++) {
      const changed = (row[index - 1] ?? 0) + (left[at - 1] === right[index - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
