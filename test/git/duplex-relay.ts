import { connect } from "node:net";

/*
 * Stands in for ssh: git calls it as its SSH command, and it carries what both sides say over a local socket to a
 * DuplexServer. The host is the port; the first line sent is the command with the protocol that git asks for.
 */
const command = process.argv.at(-1) ?? "";
const socket = connect({ host: "127.0.0.1", port: Number(process.argv.at(-2)), allowHalfOpen: true });
socket.write(`${command.split(" ")[0]} ${process.env["GIT_PROTOCOL"] ?? ""}\n`);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
// git may close its end before ours is done with it.
process.stdout.on("error", () => process.exit(0));
socket.on("end", () => process.stdin.destroy());
