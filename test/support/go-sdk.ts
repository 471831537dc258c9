import { goModule } from "./find-go.ts";
import { Scratch } from "./git.ts";
import { testPassword, type TestApp } from "./test-app.ts";

/**
 * Builds the program in test/clients/go and runs the part of that name as the administrator "root-of-all". Returns the lines
 * that it wrote, one for each step that went well. Throws what it or the compiler says when one of them fails.
 */
export async function runGoSdk(app: TestApp, part: string): Promise<string[]> {
  using scratch = new Scratch();
  const program = scratch.join("sdk");
  await run(["go", "build", "-o", program, "."], {
    cwd: goModule,
    env: process.env,
  });
  const stdout = await run([program, app.url, "root-of-all", testPassword, part], {
    cwd: scratch.path,
    env: { PATH: process.env["PATH"] ?? "", HOME: scratch.path },
  });
  return stdout.trim().split("\n");
}

async function run(
  command: string[],
  options: { cwd: string; env: Record<string, string | undefined> },
): Promise<string> {
  const child = Bun.spawn(command, { ...options, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) {
    throw new Error(`${command[0]} ended with ${code}: ${stderr}${stdout}`);
  }
  return stdout;
}
