/** How one request sets how long its connection may be silent, in seconds; 0 is without limit. */
type SetLimit = (seconds: number) => void;

const limits = new WeakMap<Request, SetLimit>();

/** Notes how to change a request's limit when it arrives. */
export function setTimeLimits(request: Request, set: SetLimit): void {
  limits.set(request, set);
}

/** The longest that the server counts. */
const longest = 255;

/** For an answer that may need minutes before it begins. */
export function extendTimeLimit(request: Request): void {
  limits.get(request)?.(longest);
}

/**
 * Exempts a request from the server's idle timeout. For pushes only, and only by those who may push: git is silent while
 * it makes a pack, and the server while it indexes it. Whoever calls it has a limit for the whole.
 */
export function withoutTimeLimit(request: Request): void {
  limits.get(request)?.(0);
}
