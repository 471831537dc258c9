/**
 * An address of the web (http or https, with its slashes) as a URL; null for anything else. Only such addresses become links: one of another
 * scheme could run a script.
 */
export function parseWebAddress(text: string): URL | null {
  return /^\s*https?:\/\//i.test(text) ? URL.parse(text) : null;
}
