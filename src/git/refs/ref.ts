/** A ref as transports see it. Lists of refs are sorted bytewise by name, as git advertises them. */
export interface Ref {
  /** full name, such as `refs/heads/main` */
  readonly name: string;
  /** what it points to, in hex */
  readonly oid: string;
  /** for an annotated tag the object at the end of its chain, in hex; null for everything else */
  readonly peeled: string | null;
}
