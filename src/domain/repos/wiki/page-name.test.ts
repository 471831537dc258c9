import { expect, test } from "bun:test";
import { literalFile, literalPath, nameOfTitle, pageAtPath, pageOfFile } from "./page-name.ts";

test.each([
  ["Home", "Home", "Home.md"],
  ["Home Page", "Home-Page", "Home-Page.md"],
  ["100% Free", "100%25-Free", "100%25-Free.md"],
  ["2000-01-02 meeting", "2000-01-02+meeting.-", "2000-01-02 meeting.-.md"],
  ["notes.md", "notes.md.-", "notes.md.-.md"],
  ["a/b", "a%2Fb", "a%2Fb.md"],
  ["C++ (old)!", "C%2B%2B-%28old%29%21", "C%2B%2B-%28old%29%21.md"],
  ["Übung", "%C3%9Cbung", "%C3%9Cbung.md"],
  ["_Sidebar", "_Sidebar", "_Sidebar.md"],
  ["ends.-", "ends.-.-", "ends.-.-.md"],
])("%s is %s in addresses and %s in git", (title, path, file) => {
  expect(nameOfTitle(` ${title} `)).toEqual({ title, path, file });
  expect(pageAtPath(path)).toEqual({ title, path, file });
  expect(pageOfFile(file)).toEqual({ title, path, file, isCanonical: true });
});

test("a name that was decoded once too often, or never encoded, is the same page", () => {
  expect(pageAtPath("Home Page")).toEqual(pageAtPath("Home-Page"));
  expect(pageAtPath("a/b")).toEqual(pageAtPath("a%2Fb"));
  expect(pageAtPath("Übung")).toEqual(pageAtPath("%C3%9Cbung"));
});

test("a file with a name that git alone gave it has a title and a path", () => {
  expect(pageOfFile("Home Page.md")).toEqual({
    title: "Home Page",
    path: "Home-Page",
    file: "Home Page.md",
    isCanonical: false,
  });
  expect(pageOfFile("100%.md")).toMatchObject({ title: "100%", path: "100%25", isCanonical: false });
  expect(pageOfFile("%FF.md")?.title).toBe("%FF");
  expect(pageOfFile(".md")?.title).toBe("");
  expect(pageOfFile("Home.MD")).toBeNull();
  expect(pageOfFile("image.png")).toBeNull();
  expect(literalPath("C++ 100%.md")).toBe("C%2B%2B%20100%25.md");
  expect(literalFile("C%2B%2B%20100%25.md")).toBe("C++ 100%.md");
  expect(literalFile("C++ 100%.md")).toBe("C++ 100%.md");
  expect(literalFile("Home")).toBeNull();
});

test.each([
  ["nothing", "", "title is required"],
  ["spaces", "  ", "title is required"],
  ["a way out", "../x", `".." cannot be a part`],
  ["a way out with backslashes", "..\\x", `".." cannot be a part`],
  ["a point", ".", `"." cannot be a part`],
  ["a leading slash", "/x", "an empty name cannot be a part"],
  ["git's own directory", ".git", `".git" cannot be a part`],
  ["git's own directory below", "x/.GIT", `".GIT" cannot be a part`],
  ["a control character", "a\u0007b", "no control characters"],
  ["a line break", "a\nb", "no control characters"],
  ["half a pair", "a\ud800b", "no half of a surrogate pair"],
  ["a part of addresses", "_new", "part of the addresses of wikis"],
  ["too many letters", "x".repeat(253), "255 are the most"],
  ["too many bytes", "ä".repeat(43), "255 are the most"],
])("%s is no title", (_, title, message) => {
  expect(() => nameOfTitle(title)).toThrow(message);
});

test("the longest titles", () => {
  expect(nameOfTitle("x".repeat(252)).file.length).toBe(255);
  expect(nameOfTitle("ä".repeat(42)).file.length).toBe(255);
});
