// The addresses that imputers may call: the hosts that the operator names, and nothing else. A name's address is checked
// when the connection is made. This machine, link-local addresses (where clouds hand out credentials) and other special
// ranges must be named themselves.

import { lookup as resolve } from 'node:dns'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { BlockList, isIPv6, type LookupFunction } from 'node:net'

export interface Egress {
  /** Whether an imputer may name the address. */
  readonly allows: (url: URL) => boolean
  /** Connections, kept open between calls. */
  readonly agents: { readonly 'http:': HttpAgent; readonly 'https:': HttpsAgent }
}

/**
 * Special-purpose ranges of IANA's registries, and IPv6 ranges that embed IPv4. Private IPv4 is allowed: model servers
 * of a cluster have it.
 */
const SPECIAL = new BlockList()
const V4 = `0.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15
  198.51.100.0/24 203.0.113.0/24 224.0.0.0/3`
const V6 = `::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7
  fe80::/10 fec0::/10 ff00::/8`
for (const subnet of `${V4} ${V6}`.split(/\s+/)) {
  const [net, bits] = subnet.split('/')
  SPECIAL.addSubnet(net!, Number(bits), isIPv6(net!) ? 'ipv6' : 'ipv4')
}

/** `hosts`: HOST or HOST:PORT in small letters, given by `flag`; 'any': whatever the caller asks for, for programs that someone runs for himself. */
export function createEgress(hosts: readonly string[] | 'any', flag = '--imputer-hosts'): Egress {
  const lookup: LookupFunction = (name, options, done) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '')
      const near = addresses.find(({ address }) => !mayStandFor(hosts, name, address))
      if (near !== undefined) return done(new Error(`${name} stands for an address that ${flag} must name itself`), '')
      const [first] = addresses
      if (options.all === true) done(null, addresses)
      else done(null, first!.address, first!.family)
    })
  }
  return {
    allows: (url) => hosts === 'any' || hosts.includes(url.host) || hosts.includes(url.hostname),
    agents: {
      'http:': new HttpAgent({ keepAlive: true, lookup }),
      'https:': new HttpsAgent({ keepAlive: true, lookup }),
    },
  }
}

/** Whether a connection to `name` may go to the address that it resolves to. */
export function mayStandFor(hosts: readonly string[] | 'any', name: string, address: string): boolean {
  if (hosts === 'any' || name === 'localhost') return true
  const [family, shown] = isIPv6(address) ? (['ipv6', `[${address}]`] as const) : (['ipv4', address] as const)
  return !SPECIAL.check(address, family) || hosts.includes(shown)
}
