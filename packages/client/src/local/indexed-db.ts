// A browser's database as spool and as keeper of the policy: what a page that was closed left is sent by the next one.

/// <reference lib="dom" />

import type { Report, Spool } from '../outbox.js'
import type { KeptPolicy, PolicyKeep } from './policy-source.js'

const STORES = ['reports', 'policies'] as const

function opened(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1)
    request.onupgradeneeded = () => {
      request.result
        .createObjectStore('reports', { keyPath: 'place', autoIncrement: true })
        .createIndex('id', 'report.id')
      request.result.createObjectStore('policies')
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** Resolves with the result when the transaction is on the disk. */
function done<T>(
  database: IDBDatabase,
  store: (typeof STORES)[number],
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(store, mode, { durability: 'strict' })
    const request = work(transaction.objectStore(store))
    transaction.oncomplete = () => resolve(request.result)
    transaction.onabort = () => reject(transaction.error)
    transaction.onerror = () => reject(transaction.error)
  })
}

/**
 * Keeps reports in IndexedDB until the service has taken them.
 * @example
 * const uploads = { spool: indexedDbSpool('primo') }
 */
export function indexedDbSpool(name: string): Spool {
  const database = opened(name)
  database.catch(() => undefined)
  return {
    kept: async () => {
      const rows = await done<{ report: Report }[]>(await database, 'reports', 'readonly', (store) => store.getAll())
      return rows.map(({ report }) => report)
    },
    add: async (report) => void (await done(await database, 'reports', 'readwrite', (store) => store.add({ report }))),
    remove: async (id) => {
      const key = await done(await database, 'reports', 'readonly', (store) => store.index('id').getKey(id))
      if (key !== undefined) await done(await database, 'reports', 'readwrite', (store) => store.delete(key))
    },
  }
}

/** Keeps the policy of a page that decides locally, by the name of its problem. */
export function indexedDbPolicy(name: string, problem: string): PolicyKeep {
  const database = opened(name)
  database.catch(() => undefined)
  return {
    load: async () =>
      (await done<KeptPolicy | undefined>(await database, 'policies', 'readonly', (store) => store.get(problem))) ??
      null,
    save: async (kept) =>
      void (await done(await database, 'policies', 'readwrite', (store) => store.put(kept, problem))),
  }
}
