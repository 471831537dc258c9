import { describe, expect, test } from "bun:test";
import { commandText, programText } from "./command-text.ts";

const fromSource = {
  argv0: "bun",
  argv: ["/usr/bin/bun", "/home/smith/stithy/src/main.ts", "serve"],
  execPath: "/usr/bin/bun",
  directory: "/home/smith/stithy",
  isExecutable: false,
};

describe("commands in messages", () => {
  test("name the executable as it was typed", () => {
    const started = { ...fromSource, argv0: "./dist/stithy", isExecutable: true };
    expect(commandText("doctor", started)).toBe("./dist/stithy doctor");
    expect(programText({ ...started, argv0: "/opt/my forge/stithy" })).toBe("'/opt/my forge/stithy'");
  });

  test("name Bun and the script from the directory of the user", () => {
    expect(commandText("migrate", fromSource)).toBe("bun src/main.ts migrate");
    expect(programText({ ...fromSource, directory: "/home/smith" })).toBe("bun stithy/src/main.ts");
  });

  test("name npx where Bun came from it", () => {
    const execPath = "/home/smith/.npm/_npx/8d/node_modules/bun/bin/bun.exe";
    expect(programText({ ...fromSource, execPath })).toBe(`npx -y bun@${Bun.version} src/main.ts`);
  });

  test("have the data directory and configuration file of the server", () => {
    const argv = [...fromSource.argv, "--port", "0", "--data", "it's here", "-c=/etc/stithy.toml"];
    expect(commandText("doctor", { ...fromSource, argv })).toBe(
      String.raw`bun src/main.ts doctor --data 'it'\''s here' -c /etc/stithy.toml`,
    );
  });

  test("are plain within another program", () => {
    expect(commandText("doctor", { ...fromSource, argv: ["bun", "/usr/lib/other.ts"] })).toBe("stithy doctor");
  });
});
