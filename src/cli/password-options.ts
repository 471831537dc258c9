import { Option, type Command } from "commander";
import { generatePassword } from "../lib/generate-password.ts";

export interface PasswordOptions {
  password?: string;
  passwordStdin?: boolean;
}

/** Adds the ways to give a password; without any, one is made up. */
export function withPasswordOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--password <password>",
        "the password. Other users of the machine can see it in the list of processes",
      ).conflicts("passwordStdin"),
    )
    .option("--password-stdin", "read the password from the first line of standard input");
}

/** The password that the options give, or a generated one, which nobody knows unless it is printed. */
export async function choosePassword(options: PasswordOptions): Promise<{ password: string; generated: boolean }> {
  if (options.password !== undefined) {
    return { password: options.password, generated: false };
  }
  if (options.passwordStdin === true) {
    const [line = ""] = (await Bun.stdin.text()).split(/\r?\n/);
    return { password: line, generated: false };
  }
  return { password: generatePassword(), generated: true };
}
