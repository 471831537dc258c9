/** For whom a page is drawn: what its parts need to make links and to write dates. */
export interface Reader {
  /** Path of the server below its host, without a final slash; empty as a rule. Every link begins with it. */
  readonly root: string;
  /** The time of the request, milliseconds. */
  readonly now: number;
  /** The reader's time zone, a name of the IANA database. */
  readonly zone: string;
}
