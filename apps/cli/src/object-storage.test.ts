import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openObjectStorage } from './object-storage.js'

test('an object storage that says nothing is given up', { timeout: 10_000 }, async () => {
  const silent = createServer((socket) => void onTestFinished(() => void socket.destroy()))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silent.close())
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const environment = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_ENDPOINT_URL_S3: endpoint }
  const storage = openObjectStorage('s3://bucket', environment, undefined, 100)
  await expect(storage.get('a', join(tmpdir(), 'primo-nothing'))).rejects.toThrow(
    /^GET a: nothing came from .* for 0\.1 s$/,
  )
})
