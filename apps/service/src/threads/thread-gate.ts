// The end of a thread that calls the store. A thread that is stopped within a call of the SQLite driver takes the whole
// process with it: its native code aborts. So such a thread calls the store through a gate, and is stopped once the gate is
// shut and nothing is within.

import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { StoreUnavailable } from '../ledger/store.js'

/** Memory of both threads: whether a call is within, and whether the gate is shut. */
export type Gate = Int32Array<SharedArrayBuffer>

const WITHIN = 0
const SHUT = 1

/** Milliseconds in which a thread may end by itself. */
const PATIENCE = 1000

/** Gates of threads that run. */
const open = new Set<Gate>()

/** For the `workerData` of a thread, which must be ended by `endThread`. */
export function createGate(): Gate {
  if (open.size === 0) process.on('exit', shutAll)
  const gate = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  open.add(gate)
  return gate
}

/** In the thread: runs a call of the store, which does not wait for anything. */
export function through<T>(gate: Gate, call: () => T): T {
  Atomics.store(gate, WITHIN, 1)
  try {
    // After the line above: who shuts the gate sees the call, or the call sees it shut.
    if (Atomics.load(gate, SHUT) === 1) throw new StoreUnavailable('the store is closed')
    return call()
  } finally {
    Atomics.store(gate, WITHIN, 0)
    Atomics.notify(gate, WITHIN)
  }
}

/** Asks the thread to close, and stops it between two calls of the store if it has not ended soon. */
export async function endThread(worker: Worker, gate: Gate): Promise<void> {
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  worker.postMessage('close')
  await Promise.race([ended, pause(PATIENCE)])
  Atomics.store(gate, SHUT, 1)
  while (Atomics.load(gate, WITHIN) === 1) await pause(1)
  await worker.terminate()
  forget(gate)
}

/** The thread has ended. */
export function forget(gate: Gate): void {
  open.delete(gate)
  if (open.size === 0) process.off('exit', shutAll)
}

/** The process exits, which stops its threads. */
function shutAll(): void {
  for (const gate of open) {
    Atomics.store(gate, SHUT, 1)
    Atomics.wait(gate, WITHIN, 1, PATIENCE)
  }
}
