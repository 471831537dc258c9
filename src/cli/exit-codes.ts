/** How a command ends, for scripts. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** The command line, the configuration or a seed is wrong, or database and data directory do not belong together: trying again does not help. */
  wrong: 2,
  /** Another server has the data directory, the database or the port. */
  inUse: 3,
  /** A second SIGINT or SIGTERM, two seconds after the first or later, ended a server that was still finishing. */
  forced: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The end of the program's help. */
export const exitCodeHelp = `
Exit codes:
  0    done
  1    it failed; standard error says why
  2    the command line, the configuration or a seed is wrong, or database and data directory do not belong together
  3    another server has the data directory, the database or the port
  130  a second signal ended a server before its requests were finished

Results go to standard output, everything else to standard error.`;
