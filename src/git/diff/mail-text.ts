import type { Signature } from "../objects/signature.ts";
import { fromHeader, isEightBit, mailHeader } from "./mail-header.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

/** The parts of a commit that a mail shows. */
interface MailCommit {
  readonly oid: string;
  readonly author: Signature;
  readonly message: string;
}

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The place of a mail among several; from 1. */
interface MailNumber {
  readonly number: number;
  readonly total: number;
}

/**
 * The headers and the message of a commit as `git format-patch` writes them; the date in the first line is always this
 * one. Of several mails, the subject says which one it is.
 */
export function mailText({ oid, author, message }: MailCommit, place: MailNumber | null = null): string {
  const { subject, body } = splitMessage(message);
  let text = `From ${oid} Mon Sep 17 00:00:00 2001\n`;
  text += fromHeader(author.name, author.email);
  text += `Date: ${mailDate(author)}\n`;
  text += `${mailHeader(`Subject: [PATCH${numberOf(place)}] `, subject, "subject")}\n`;
  if (isEightBit(message)) {
    text += "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n";
  }
  return body === "" ? `${text.trimEnd()}\n\n` : `${text}\n${body}`;
}

function numberOf(place: MailNumber | null): string {
  if (place === null || place.total === 1) {
    return "";
  }
  const total = String(place.total);
  return ` ${String(place.number).padStart(total.length, "0")}/${total}`;
}

/** The first paragraph in one line, and the rest without spaces at the ends of lines. */
function splitMessage(message: string): { subject: string; body: string } {
  const lines = message.split("\n").map((line) => trimEndOf(line, " \t\r"));
  let at = 0;
  while (at < lines.length && lines[at] === "") {
    at++;
  }
  const subject: string[] = [];
  while (at < lines.length && lines[at] !== "") {
    subject.push(lines[at++]!);
  }
  while (at < lines.length && lines[at] === "") {
    at++;
  }
  const body = trimEndOf(lines.slice(at).join("\n"), " \t\r\n");
  return { subject: subject.join(" "), body: body === "" ? "" : `${body}\n` };
}

/** An instant as RFC 2822 writes it, in its own offset. */
function mailDate({ seconds, offsetMinutes }: Signature): string {
  const local = new Date((seconds + offsetMinutes * 60) * 1000);
  const minutes = Math.abs(offsetMinutes);
  const zone = `${offsetMinutes < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
  const time = `${two(local.getUTCHours())}:${two(local.getUTCMinutes())}:${two(local.getUTCSeconds())}`;
  return `${days[local.getUTCDay()]}, ${local.getUTCDate()} ${months[local.getUTCMonth()]} ${local.getUTCFullYear()} ${time} ${zone}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
