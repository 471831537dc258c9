import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../shared/run-program.ts";

export interface DebOptions {
  name: string;
  version?: string;
  architecture?: string;
  compression?: "none" | "gzip" | "xz" | "zstd";
  /** Further lines of the control file. */
  more?: string;
  /** What the package's one file says, in /usr/share/NAME/text. */
  text?: string;
}

let made = 0;

/** A package that dpkg-deb builds, in a directory of the test's. */
export async function makeDeb(directory: string, options: DebOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { name, version = "1.0", architecture = "all", compression = "xz", more = "", text = version } = options;
  const place = join(directory, `deb-${++made}`);
  mkdirSync(join(place, "tree/DEBIAN"), { recursive: true });
  mkdirSync(join(place, "tree/usr/share", name), { recursive: true });
  const control = [
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    "Maintainer: Ann <ann@example.com>",
    `Description: the package ${name}`,
    " It has one file.",
    " .",
    " And two paragraphs of description.",
  ];
  await Bun.write(join(place, "tree/DEBIAN/control"), `${control.join("\n")}\n${more}`);
  await Bun.write(join(place, "tree/usr/share", name, "text"), text);
  const file = join(place, "made.deb");
  await runProgram(["dpkg-deb", `-Z${compression}`, "--root-owner-group", "--build", join(place, "tree"), file]);
  return Bun.file(file).bytes();
}

/** An ar archive of these members, made by hand: what dpkg-deb would not build. */
export function arOf(members: readonly (readonly [name: string, content: Uint8Array])[]): Buffer {
  const pieces = [Buffer.from("!<arch>\n")];
  for (const [name, content] of members) {
    const header = `${name.padEnd(16)}${"0".padEnd(12)}${"0".padEnd(6)}${"0".padEnd(6)}${"100644".padEnd(8)}`;
    pieces.push(Buffer.from(`${header}${String(content.length).padEnd(10)}\`\n`, "latin1"), Buffer.from(content));
    if (content.length % 2 === 1) {
      pieces.push(Buffer.from("\n"));
    }
  }
  return Buffer.concat(pieces);
}

/** A tar archive of these files, in the format of POSIX, with its end. */
export function tarOf(files: readonly (readonly [name: string, content: Uint8Array | number])[]): Buffer {
  const pieces: Buffer[] = [];
  for (const [name, content] of files) {
    // A number is a size without the bytes.
    const size = typeof content === "number" ? content : content.length;
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write("0000644\0", 100);
    header.write("0000000\0", 108);
    header.write("0000000\0", 116);
    header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
    header.write("00000000000\0", 136);
    header.write("        ", 148);
    header.write("0", 156);
    header.write("ustar\0", 257);
    header.write("00", 263);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    pieces.push(header);
    if (typeof content !== "number") {
      pieces.push(Buffer.from(content), Buffer.alloc((512 - (size % 512)) % 512));
    }
  }
  return Buffer.concat([...pieces, Buffer.alloc(1024)]);
}

/** A package of these bytes as its control archive. */
export function debOf(controlName: string, control: Uint8Array): Buffer {
  return arOf([
    ["debian-binary", Buffer.from("2.0\n")],
    [controlName, control],
    ["data.tar", tarOf([])],
  ]);
}

/** A package without files, made by hand: quicker than dpkg-deb. */
export function smallDeb(name: string, version = "1.0", architecture = "all"): Uint8Array<ArrayBuffer> {
  const control = `Package: ${name}\nVersion: ${version}\nArchitecture: ${architecture}\nMaintainer: Ann <ann@example.com>\nDescription: ${name}\n`;
  return new Uint8Array(debOf("control.tar", tarOf([["./control", Buffer.from(control)]])));
}

export const plainControl = "Package: plain\nVersion: 1.0\nArchitecture: all\nDescription: a package\n";
