// Files in an object storage that speaks S3, by requests signed with AWS Signature Version 4: the address of the service, region and
// keys are in the variables that every such tool reads.

import { createHash, createHmac } from 'node:crypto'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { type IncomingMessage, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { UsageError } from './output.js'

export interface ObjectStorage {
  /** Whether it was there. */
  readonly get: (key: string, file: string) => Promise<boolean>
  readonly put: (key: string, file: string) => Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Milliseconds in which nothing comes or goes before a call is given up. */
const PATIENCE = 60_000

const hashed = (text: string) => createHash('sha256').update(text).digest('hex')
const signed = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

async function hashedFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer)
  return hash.digest('hex')
}

/** `address`: s3://BUCKET or s3://BUCKET/PREFIX. */
export function openObjectStorage(
  address: string,
  environment: Environment,
  now = () => new Date(),
  patience = PATIENCE,
): ObjectStorage {
  const { hostname: bucket, pathname } = new URL(address)
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = environment
  const region = environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? 'us-east-1'
  const endpoint =
    environment.AWS_ENDPOINT_URL_S3 ?? environment.AWS_ENDPOINT_URL ?? `https://s3.${region}.amazonaws.com`
  if (id === undefined || secret === undefined)
    throw new UsageError('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set for an address such as s3://bucket')
  const prefix = pathname.replace(/^\/|\/$/g, '')

  async function send(method: 'GET' | 'PUT', key: string, file?: string): Promise<IncomingMessage> {
    const path = [bucket, prefix, key]
      .filter((part) => part !== '')
      .join('/')
      .split('/')
      .map(encoded)
      .join('/')
    const url = new URL(`/${path}`, endpoint)
    const time = now()
      .toISOString()
      .replace(/[-:]|\.\d{3}/g, '')
    const content = file === undefined ? hashed('') : await hashedFile(file)
    const headers: Record<string, string> = {
      host: url.host,
      'x-amz-content-sha256': content,
      'x-amz-date': time,
      ...(token === undefined ? {} : { 'x-amz-security-token': token }),
    }
    const names = Object.keys(headers).sort()
    const listed = names.join(';')
    const lines = names.map((name) => `${name}:${headers[name]}\n`).join('')
    const canonical = [method, url.pathname, '', lines, listed, content].join('\n')
    const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
    const toSign = ['AWS4-HMAC-SHA256', time, scope, hashed(canonical)].join('\n')
    const key4 = scope.split('/').reduce<string | Buffer>(signed, `AWS4${secret}`)
    const signature = signed(key4, toSign).toString('hex')
    const authorization = `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${listed}, Signature=${signature}`
    const length = file === undefined ? {} : { 'content-length': statSync(file).size }
    return new Promise((resolve, reject) => {
      const ask = url.protocol === 'http:' ? plain : secure
      const call = ask(url, { method, headers: { ...headers, ...length, authorization } }, resolve)
      call.on('error', reject)
      const silent = () => new Error(`${method} ${key}: nothing came from ${url.host} for ${patience / 1000} s`)
      call.setTimeout(patience, () => call.destroy(silent()))
      if (file === undefined) call.end()
      else pipeline(createReadStream(file), call).catch(reject)
    })
  }

  /** The answer, if it is one of success; its text says why not. */
  async function answered(reply: IncomingMessage, what: string): Promise<IncomingMessage> {
    if (reply.statusCode! < 300) return reply
    let text = ''
    for await (const piece of reply) text += String(piece)
    throw new Error(`${what}: ${reply.statusCode} ${text.slice(0, 300)}`)
  }

  return {
    get: async (key, file) => {
      const reply = await send('GET', key)
      if (reply.statusCode === 404) {
        reply.resume()
        return false
      }
      await pipeline(await answered(reply, `GET ${key}`), createWriteStream(file))
      return true
    },
    put: async (key, file) => {
      const reply = await answered(await send('PUT', key, file), `PUT ${key}`)
      reply.resume()
    },
  }
}

/** As signatures want it: all but letters, digits and -._~ */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}
