import type { Capabilities } from "../wire/capabilities.ts";
import { PacketWriter } from "../wire/packet-writer.ts";
import { flushPacket } from "../wire/pkt-line.ts";
import { Sideband, sideband64k, sidebandPackets } from "../wire/sideband.ts";

export interface PushReport {
  /** null when the pack was taken (or there was none), else why it was not */
  readonly unpackError: string | null;
  /** for each command, in their order: null when done, else why it was not */
  readonly refs: readonly { readonly name: string; readonly error: string | null }[];
}

const nothing = new Uint8Array(0);

/** Whether the client wants a report about its push. */
export function wantsReport(capabilities: Capabilities): boolean {
  return capabilities.has("report-status") || capabilities.has("report-status-v2");
}

function hasSideband(capabilities: Capabilities): boolean {
  return capabilities.has("side-band-64k");
}

/**
 * The answer to a push, complete with its last flush: `unpack ok`, then `ok <ref>` or `ng <ref> <reason>` each, if the
 * client asked for a report. Source: gitprotocol-pack(5).
 */
export function writePushReport(report: PushReport, capabilities: Capabilities): Uint8Array {
  const sideband = hasSideband(capabilities);
  if (!wantsReport(capabilities)) {
    return sideband ? flushPacket : nothing;
  }
  const lines = new PacketWriter().line(`unpack ${report.unpackError === null ? "ok" : oneLine(report.unpackError)}`);
  for (const { name, error } of report.refs) {
    lines.line(error === null ? `ok ${name}` : `ng ${name} ${oneLine(error)}`);
  }
  const bytes = lines.flush().take();
  return sideband ? Buffer.concat([sidebandPackets(Sideband.data, bytes, sideband64k), flushPacket]) : bytes;
}

/**
 * Text for the person who pushes (git shows it after `remote:`); empty when the client has no sideband, or wants quiet and
 * the text is no reason of a refusal.
 */
export function writePushMessage(
  text: string,
  capabilities: Capabilities,
  kind: "progress" | "reason" = "progress",
): Uint8Array {
  return hasSideband(capabilities) && (kind === "reason" || !capabilities.has("quiet"))
    ? sidebandPackets(Sideband.progress, text, sideband64k)
    : nothing;
}

/** Returns a packet that may be sent at any time before the report, so that no proxy ends the connection. */
export function writePushKeepalive(capabilities: Capabilities): Uint8Array {
  return hasSideband(capabilities) ? sidebandPackets(Sideband.data, nothing, sideband64k) : nothing;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 1000);
}
