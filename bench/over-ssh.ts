import { rm } from "node:fs/promises";
import { operate, operationsOf, retold, type OperationName, type Source } from "./git-operations.ts";
import type { OurSide } from "./git-sides.ts";
import type { SshAccess } from "./ssh-client.ts";
import { median } from "./support/statistics.ts";
import { figure } from "./support/table.ts";

interface Way {
  wallMs: number[];
  cpuMs: number[];
}

export interface SshResult {
  history: string;
  operation: OperationName;
  http: Way;
  ssh: Way;
}

/** Large and small, in either direction. */
const measured: readonly OperationName[] = ["push", "clone", "clone depth 1", "fetch 50 commits"];

/** How many uncounted sets of operations come first, as over HTTP (first-pushes.ts), which the server has served long before. */
const warmUpRounds = 5;

/** Our server over SSH and over HTTP, by turns. `warmUp` is a small history for what comes before. */
export async function overSsh(
  source: Source,
  warmUp: Source,
  ours: OurSide,
  ssh: SshAccess,
  options: { rounds: number; scratch: string },
): Promise<SshResult[]> {
  for (let round = 1; round <= warmUpRounds; round++) {
    const name = `${warmUp.name}-first-ssh-${round}`;
    await ours.createRepository(name, warmUp.branch);
    for (const operation of operationsOf(warmUp)) {
      await operate(operation, warmUp, ssh.url(name), options.scratch, sshConfig(ssh));
    }
  }
  const operations = operationsOf(source).filter((name) => measured.includes(name));
  const results = operations.map((operation): SshResult => ({
    history: source.name,
    operation,
    http: { wallMs: [], cpuMs: [] },
    ssh: { wallMs: [], cpuMs: [] },
  }));
  for (let round = 1; round <= options.rounds; round++) {
    const httpName = `${source.name}-http-${round}`;
    const sshName = `${source.name}-ssh-${round}`;
    const httpUrl = await ours.createRepository(httpName, source.branch);
    await ours.createRepository(sshName, source.branch);
    const [byHttp, bySsh] = [await retold(source, options.scratch), await retold(source, options.scratch)];
    for (const result of results) {
      await measure(result.http, ours, () => operate(result.operation, byHttp, httpUrl, options.scratch));
      await measure(result.ssh, ours, () =>
        operate(result.operation, bySsh, ssh.url(sshName), options.scratch, sshConfig(ssh)),
      );
    }
    await Promise.all([byHttp, bySsh].map(({ path }) => rm(path, { recursive: true })));
  }
  return results;
}

function sshConfig({ command }: SshAccess): string[] {
  return [`core.sshCommand=${command}`];
}

async function measure(way: Way, ours: OurSide, operation: () => Promise<number>): Promise<void> {
  const before = await ours.cpu();
  way.wallMs.push(await operation());
  way.cpuMs.push((await ours.cpu()) - before);
}

export const sshHeader = ["over SSH", "operation", "HTTP ms", "SSH ms", "ratio", "HTTP CPU ms", "SSH CPU ms", "ratio"];

export function sshRow({ history, operation, http, ssh }: SshResult): string[] {
  const columns = (["wallMs", "cpuMs"] as const).flatMap((field) => {
    const [over, through] = [median(http[field]), median(ssh[field])];
    return [figure(over), figure(through), figure(through / over)];
  });
  return [history, operation, ...columns];
}
