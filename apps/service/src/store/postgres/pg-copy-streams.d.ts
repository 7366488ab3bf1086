// The part of pg-copy-streams that is used here; the package brings no types.

declare module 'pg-copy-streams' {
  import type { Readable, Writable } from 'node:stream'
  import type { Submittable } from 'pg'

  const copyStreams: {
    readonly from: (statement: string) => Writable & Submittable
    readonly to: (statement: string) => Readable & Submittable
  }
  export default copyStreams
}
