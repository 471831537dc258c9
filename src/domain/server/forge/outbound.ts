import type { Config } from "../../../config/config.ts";
import { removeProxyVariables } from "../../../config/env.ts";
import { agent } from "../../../lib/version.ts";
import { AddressPolicy } from "../../../outbound/address-policy.ts";
import { OutboundClient } from "../../../outbound/outbound-client.ts";

/** Loopback addresses, for tests on one machine: receivers beside an ephemeral server. */
const loopback = ["127.0.0.0/8", "::1"];

export function buildOutbound({ outbound, ephemeral }: Config): OutboundClient {
  removeProxyVariables();
  const policy = new AddressPolicy([...outbound.allowed_networks, ...(ephemeral ? loopback : [])]);
  const { proxy, bypass_proxy_for_ssh_and_git: mayBypassProxy } = outbound;
  return new OutboundClient({ policy, proxy, mayBypassProxy, userAgent: agent });
}
