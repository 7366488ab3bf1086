// Which addresses imputers may call: the hosts that the operator names, and nothing else. What a name stands for is looked at when
// the connection is made: this machine and link-local addresses (where clouds hand out credentials) must be named themselves.

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

const NEAR = new BlockList()
for (const [net, bits, family] of [
  ['0.0.0.0', 8, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
] as const)
  NEAR.addSubnet(net, bits, family)

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

function mayStandFor(hosts: readonly string[] | 'any', name: string, address: string): boolean {
  if (hosts === 'any' || name === 'localhost') return true
  const [family, shown] = isIPv6(address) ? (['ipv6', `[${address}]`] as const) : (['ipv4', address] as const)
  return !NEAR.check(address, family) || hosts.includes(shown)
}
