import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Glob } from "bun";
import type { Scratch } from "../../support/git.ts";
import { missingPrograms, runProgram, tryProgram } from "../shared/run-program.ts";

const programs = ["rpm", "rpmbuild", "rpmkeys", "createrepo_c", "dnf"];

/** Whether rpm's programs are there; says so where they are not. */
export const hasRpmTools = (what: string): boolean => !missingPrograms(what, programs);

/** They read and write UTF-8, and find no settings of the machine's user. */
const env = { LC_ALL: "C.UTF-8", HOME: "/nonexistent" };

/** Runs a program of rpm's and returns what it wrote. Throws with what it said when it fails. */
export const runTool = (command: readonly string[]): Promise<string> => runProgram(command, { env });

/** Runs a program of rpm's, whether it goes well or not; `text` is all that it said. */
export async function tryTool(command: readonly string[]): Promise<{ status: number; text: string }> {
  const { status, stdout, stderr } = await tryProgram(command, { env });
  return { status, text: stdout + stderr };
}

/** Builds the binary and source packages of a spec with rpmbuild. Returns their paths, sorted. */
export async function buildRpms(scratch: Scratch, name: string, spec: string): Promise<string[]> {
  const top = scratch.join(`build-${name}`);
  const file = `${top}/${name}.spec`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, spec);
  await runTool(["rpmbuild", "-ba", "--quiet", "--define", `_topdir ${top}`, "--define", "_buildhost builder", file]);
  return [...new Glob("{RPMS,SRPMS}/**/*.rpm").scanSync(top)].sort().map((path) => `${top}/${path}`);
}

/** A small package for every architecture, with a program that tells its version. */
export function plainSpec(name: string, version: string, release = "1", more = ""): string {
  return `Name: ${name}
Version: ${version}
Release: ${release}
Summary: The ${name}
License: MIT
BuildArch: noarch
${more}
%description
What ${name} is for.
%install
mkdir -p %{buildroot}/usr/bin
echo 'echo ${name} ${version}' > %{buildroot}/usr/bin/${name}
chmod 755 %{buildroot}/usr/bin/${name}
%files
/usr/bin/${name}
`;
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** A package with everything that an index tells: all kinds of dependencies and files, hard texts, a long list of changes. */
export const richSpec = `Name: rich
Epoch: 3
Version: 1.2.3~rc1
Release: 4
Summary: A "rich" package <with> & things — ünïcode
License: MIT AND (Apache-2.0 OR BSD)
Group: Applications/Text
URL: https://example.test/?a=1&b=2
Vendor: Example "Corp"
Packager: Jo <jo@example.test>
BuildArch: noarch
Requires: bash >= 4.0
Requires: bash >= 4.0
Requires: (foo if bar else baz)
Requires(pre): shadow
Requires(post): /usr/bin/sh
Requires: /etc/rich.conf
Requires: /usr/share/rich
Requires: libc.so.6()
Requires: libc.so.6(GLIBC_2.4)
Requires: libc.so.6(GLIBC_2.34)
Requires: libc.so.6(GLIBC_2.17)
Requires: virtual
Provides: rich-api = 2:5-6
Provides: virtual
Conflicts: old < 1
Obsoletes: older <= 2:1.0-1
Recommends: nice > 1
Suggests: maybe
Supplements: (rich and lang)
Enhances: thing = 0:1
%description
Line one with <tags> & "quotes" 'single'.
  Indented	by a tab.

Last line.
%package -n rich-sub
Summary: A package without files
Requires: rich = 3:%{version}-%{release}
%description -n rich-sub

%install
mkdir -p %{buildroot}/usr/bin %{buildroot}/etc/rich.d %{buildroot}/usr/share/rich/empty "%{buildroot}/usr/share/rich/with space" %{buildroot}/var/log %{buildroot}/usr/lib
echo '#!/bin/sh' > %{buildroot}/usr/bin/rich; chmod 755 %{buildroot}/usr/bin/rich
echo conf > %{buildroot}/etc/rich.conf
echo a > "%{buildroot}/usr/share/rich/with space/a&b<c>.txt"
echo u > "%{buildroot}/usr/share/rich/ünï.txt"
ln -s ../bin/rich %{buildroot}/usr/lib/sendmail
touch %{buildroot}/var/log/rich.log
%files
/usr/bin/rich
%config(noreplace) /etc/rich.conf
%dir /etc/rich.d
/usr/share/rich
/usr/lib/sendmail
%ghost /var/log/rich.log
%files -n rich-sub
%changelog
* Tue Mar 03 2020 Jo <jo@example.test> - 3:1.2.3-4
- Third & last
- more
* Mon Mar 02 2020 Jo <jo@example.test> - 3:1.2.3-3
- Third of one day
* Mon Mar 02 2020 Al <al@example.test> - 3:1.2.3-2
- Second of one day
* Mon Mar 02 2020 Bo <bo@example.test> - 3:1.2.3-2
- First of one day
${[20, 19, 18, 17, 16, 15, 14, 13, 12].map((day) => `* ${weekdays[(day + 5) % 7]} Feb ${day} 2020 Jo <jo@x>\n- of ${day}\n`).join("")}`;
