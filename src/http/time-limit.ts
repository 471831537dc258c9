/** How one request sets how long its connection may be silent, in seconds; 0 is without limit. */
type SetLimit = (seconds: number) => void;

const limits = new WeakMap<Request, SetLimit>();

/** Notes how to change a request's limit when it arrives. */
export function setTimeLimits(request: Request, set: SetLimit): void {
  limits.set(request, set);
}

/**
 * Exempts a request from the server's idle timeout. For git only, which is silent while a pack is indexed:
 * these requests have a time limit of their own.
 */
export function withoutTimeLimit(request: Request): void {
  limits.get(request)?.(0);
}
