// A load generator light enough to share two cores with what it measures: raw sockets, requests written down before the
// clock starts, one request in flight per connection, and no more of HTTP read than where an answer ends.

import { connect } from 'node:net'

/** Bodies are sent in turn, each as a POST to its `to` or to `path`. */
export async function load({ url, path, bodies, headers, connections, seconds }) {
  const { hostname, port, host } = new URL(url)
  const requests = bodies.map(({ body, to }) => {
    const fields = { ...headers, host, 'content-length': Buffer.byteLength(body) }
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
    return Buffer.from(`POST ${to ?? path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
  })
  const latencies = new Float64Array(4e6)
  let answered = 0
  let refused = 0
  let next = 0
  const start = performance.now()
  const end = start + seconds * 1000
  await Promise.all(
    Array.from({ length: connections }, () => {
      const socket = connect(Number(port), hostname)
      socket.setNoDelay(true)
      let sent = 0
      let pending = null
      const send = () => {
        sent = performance.now()
        if (sent >= end) return socket.end()
        socket.write(requests[next++ % requests.length])
      }
      return new Promise((resolve, reject) => {
        socket.on('connect', send)
        socket.on('error', reject)
        socket.on('close', resolve)
        socket.on('data', (chunk) => {
          pending = pending === null ? chunk : Buffer.concat([pending, chunk])
          const total = answerLength(pending)
          if (total === null || pending.length < total) return
          if (pending[9] === 0x32) latencies[answered++] = performance.now() - sent
          else refused++
          pending = null
          send()
        })
      })
    }),
  )
  const sorted = latencies.subarray(0, answered).sort()
  const at = (share) => sorted[Math.min(answered - 1, Math.floor(share * answered))]
  if (refused > 0) console.log(`  ${refused} requests were refused`)
  return { perSecond: answered / ((performance.now() - start) / 1000), p50: at(0.5), p99: at(0.99), answered }
}

/** Bytes of the answer that begins here, or null while its head is not there whole. */
function answerLength(bytes) {
  const head = bytes.indexOf('\r\n\r\n')
  if (head < 0) return null
  const length = /content-length: (\d+)/i.exec(bytes.latin1Slice(0, head))
  if (length === null) throw new Error('an answer without a content-length cannot be read here')
  return head + 4 + Number(length[1])
}
