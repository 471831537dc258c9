import { expect, test } from "bun:test";
import { localPath } from "./local-path.ts";

test("paths of this server are taken as they are", () => {
  for (const path of [
    "/",
    "/user/settings",
    "/alice/tour?page=2",
    "/login/oauth/authorize?client_id=a&redirect_uri=https%3A%2F%2Fci.example%2Fcb",
  ]) {
    expect(localPath(path)).toBe(path);
  }
});

test("everything that leads elsewhere, or could, is refused", () => {
  const elsewhere = [
    "",
    "user",
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/a\\b",
    "javascript:alert(1)",
    "/..//evil.example",
    "/./\n/evil.example",
    " /a",
    "/ä",
  ];
  for (const text of elsewhere) {
    expect(localPath(text)).toBeNull();
  }
});
