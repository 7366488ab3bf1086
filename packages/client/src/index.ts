// The public door of @primo/client.

export type { BatchOptions } from './batcher.js'
export { type Client, type ClientOptions, createClient, type Decided, type DecideOptions, newId } from './client.js'
export { ClientError, type TransportOptions } from './transport.js'
