// A proxy before the service that counts requests and bytes, workers' too, and whose service can be changed.

import { createServer, request } from 'node:http'

export async function countingProxy(first) {
  let target = first
  let paths = []
  let streams = 0
  let before = 0
  let gone = 0
  const sockets = new Set()
  const sent = () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, gone)
  const pass = (from, to) => {
    if (target === null) return from.socket.destroy()
    paths.push(from.url)
    const { hostname, port } = new URL(target)
    const asked = request({ hostname, port, path: from.url, method: from.method, headers: from.headers }, (reply) => {
      if (reply.headers['content-type'] === 'text/event-stream') {
        streams++
        to.once('close', () => streams--)
      }
      to.writeHead(reply.statusCode, reply.headers)
      reply.pipe(to)
      reply.once('error', () => to.destroy())
    })
    asked.once('error', () => from.socket.destroy())
    to.once('close', () => asked.destroy())
    from.pipe(asked)
  }
  const server = createServer(pass)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      gone += socket.bytesWritten
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    to: (url) => {
      target = url
      if (url === null) for (const socket of sockets) socket.destroy()
    },
    counted: () => {
      const bytes = sent() - before
      before += bytes
      const seen = paths
      paths = []
      return { paths: seen, bytes }
    },
    streams: () => streams,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
