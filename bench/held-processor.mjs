// A process held to a part of a core, by Linux control groups: so that two replicas can be compared with one where load, services and database
// share two cores. Needs root; null where there are no groups that may be written.

import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Microseconds: short, so that no call waits long for the next. */
const PERIOD = 10_000
const GROUPS = [
  {
    root: '/sys/fs/cgroup/cpu',
    limit: (part) => [
      ['cpu.cfs_period_us', PERIOD],
      ['cpu.cfs_quota_us', part * PERIOD],
    ],
  },
  { root: '/sys/fs/cgroup', limit: (part) => [['cpu.max', `${part * PERIOD} ${PERIOD}`]] },
]

/** Returns what lets go of it again; its process may have ended. */
export function heldTo(part, pid) {
  for (const { root, limit } of GROUPS) {
    if (!existsSync(join(root, 'cgroup.procs'))) continue
    const group = join(root, `primo-bench-${pid}`)
    try {
      mkdirSync(group)
      for (const [file, value] of limit(part)) writeFileSync(join(group, file), String(value))
      writeFileSync(join(group, 'cgroup.procs'), String(pid))
    } catch {
      continue
    }
    return () => {
      try {
        writeFileSync(join(root, 'cgroup.procs'), String(pid))
      } catch {
        // It has ended.
      }
      rmdirSync(group)
    }
  }
  return null
}
